/*
 * strings.c - shared strings of an XLSX, and rows in the order of their numbers.
 */

#include "formats/book.h"
#include "text/text.h"

#define HELD_MAXIMUM (16 << 20) /* bytes of rows that are held */

/* A cell, followed by its text. */
typedef struct HeldCell
{
	unsigned column;
	unsigned length;
} HeldCell;

typedef struct HeldRow
{
	uint64_t number;
	size_t start; /* of its cells */
	size_t end;
	const char *fault;
	const char *flaw;
} HeldRow;

struct RowOrder
{
	Sheet *sheet;
	char *cells;  /* of the held rows and the open one */
	size_t used;  /* bytes of cells */
	size_t start; /* of the cells of the open row */
	HeldRow *rows;
	size_t count;
	size_t room;
	bool disordered; /* a held row has a smaller number than the one before */
	bool full;		 /* rows are passed on as they come */
	uint64_t last;	 /* greatest number of a row that was passed on */
};

RowOrder *
order_begin(Sheet *sheet)
{
	RowOrder *order = parse_allocate(sheet->parse, sizeof(RowOrder));

	order->sheet = sheet;
	order->cells = parse_allocate(sheet->parse, HELD_MAXIMUM);
	return order;
}

static int
compare(const void *left, const void *right)
{
	const HeldRow *one = left;
	const HeldRow *other = right;

	if (one->number != other->number)
		return one->number < other->number ? -1 : 1;
	return one->start < other->start ? -1 : 1;
}

static void
pass_cells(RowOrder *order, size_t start, size_t end)
{
	HeldCell cell;

	for (; start < end; start += sizeof(cell) + cell.length)
	{
		memcpy(&cell, order->cells + start, sizeof(cell));
		sheet_cell(order->sheet, cell.column, order->cells + start + sizeof(cell), cell.length);
	}
}

static void
pass_row(RowOrder *order, uint64_t number)
{
	if (number <= order->last && order->sheet->flaw == NULL)
		order->sheet->flaw =
			"the row stands in the workbook after a row of the same or a greater number";
	if (order->last < number)
		order->last = number;
	sheet_row(order->sheet, number);
}

void
order_pass(RowOrder *order)
{
	Sheet *sheet = order->sheet;
	const char *fault = sheet->fault; /* of the open row */
	const char *flaw = sheet->flaw;

	if (order->disordered)
		qsort(order->rows, order->count, sizeof(HeldRow), compare);
	for (size_t i = 0; i < order->count; i++)
	{
		const HeldRow *row = &order->rows[i];

		sheet->fault = sheet->flaw = NULL;
		pass_cells(order, row->start, row->end);
		if (sheet->fault == NULL)
			sheet->fault = row->fault;
		if (sheet->flaw == NULL)
			sheet->flaw = row->flaw;
		pass_row(order, row->number);
	}
	sheet->fault = fault;
	sheet->flaw = flaw;
	pass_cells(order, order->start, order->used);
	parse_release(sheet->parse, order->rows);
	parse_release(sheet->parse, order->cells);
	order->rows = NULL;
	order->cells = NULL;
	order->count = order->room = order->start = order->used = 0;
	order->disordered = false;
	order->full = true;
}

/* Make room for a cell or row; if there is none, all is passed on: false. */
static bool
hold(RowOrder *order, size_t more)
{
	if (order->full)
		return false;
	if (order->used + (order->count + 1) * sizeof(HeldRow) + more > HELD_MAXIMUM)
	{
		order_pass(order);
		return false;
	}
	if (order->count == order->room)
	{
		order->room += order->room + 64;
		order->rows = parse_resize(order->sheet->parse, order->rows, order->room * sizeof(HeldRow));
	}
	return true;
}

void
order_cell(RowOrder *order, unsigned column, const char *text, size_t length)
{
	HeldCell cell = {column, (unsigned) length};

	if (!hold(order, sizeof(cell) + length))
	{
		sheet_cell(order->sheet, column, text, length);
		return;
	}
	memcpy(order->cells + order->used, &cell, sizeof(cell));
	memcpy(order->cells + order->used + sizeof(cell), text, length);
	order->used += sizeof(cell) + length;
}

void
order_row(RowOrder *order, uint64_t number)
{
	Sheet *sheet = order->sheet;

	if (order->used == order->start && sheet->filled == 0 && sheet->fault == NULL)
		sheet_undo(sheet);
	else if (hold(order, 0))
	{
		order->disordered |= order->count > 0 && order->rows[order->count - 1].number > number;
		order->rows[order->count++] =
			(HeldRow){number, order->start, order->used, sheet->fault, sheet->flaw};
		order->start = order->used;
		sheet->fault = sheet->flaw = NULL;
	}
	else
		pass_row(order, number);
}

#define STRINGS_STEP (1 << 20)

const char *
strings_text(const Strings *strings, uint64_t number, size_t *length)
{
	size_t start;

	if (number >= strings->count)
		return NULL;
	start = number == 0 ? 0 : strings->ends[number - 1];
	*length = strings->ends[number] - start;
	/* if all strings are empty, there is no buffer */
	return strings->bytes == NULL ? "" : strings->bytes + start;
}

/* The unit of UTF-16 that an escape such as "_x000D_" stands for; -1 if there is none. */
static long
escaped(const char *text, size_t length)
{
	return length >= 7 && text[0] == '_' && text[1] == 'x' && text[6] == '_' ? text_unit(text + 2)
																			 : -1;
}

size_t
strings_unescape(char *text, size_t length)
{
	size_t used = 0;

	if (memmem(text, length, "_x", 2) == NULL)
		return length;
	for (size_t i = 0; i < length;)
	{
		long character = escaped(text + i, length - i);

		if (character <= 0)
		{
			text[used++] = text[i++];
			continue;
		}
		i += 7;
		if ((character & 0xFC00) == 0xD800)
		{
			long low = escaped(text + i, length - i);
			bool paired = low > 0 && (low & 0xFC00) == 0xDC00;

			i += paired ? 7 : 0;
			character = paired ? 0x10000 + ((character & 0x3FF) << 10) + (low & 0x3FF) : 0xFFFD;
		}
		else if ((character & 0xFC00) == 0xDC00)
			character = 0xFFFD;
		/* no longer than the escape */
		used = (size_t) (text_put(text + used, (uint32_t) character) - text);
	}
	return used;
}

static void
start(void *data, const char *name, const char **attributes)
{
	Strings *strings = data;

	(void) attributes;
	if (strcmp(name, "rPh") == 0)
		strings->in_phonetic = true;
	else if (strcmp(name, "t") == 0)
		strings->in_text = !strings->in_phonetic;
}

/* End of a string. */
static void
add(Strings *strings)
{
	size_t from = strings->count == 0 ? 0 : strings->ends[strings->count - 1];

	if (strings->count == strings->room)
	{
		strings->room += strings->room / 4 + 1024;
		strings->ends =
			parse_resize(strings->parse, strings->ends, strings->room * sizeof(*strings->ends));
	}
	if (strings->length > from)
		strings->length = from + strings_unescape(strings->bytes + from, strings->length - from);
	strings->ends[strings->count++] = (uint32_t) strings->length;
}

static void
end(void *data, const char *name)
{
	Strings *strings = data;

	if (strcmp(name, "t") == 0)
		strings->in_text = false;
	else if (strcmp(name, "rPh") == 0)
		strings->in_phonetic = false;
	else if (strcmp(name, "si") == 0)
		add(strings);
}

static void
text(void *data, const char *bytes, size_t length)
{
	Strings *strings = data;

	if (!strings->in_text)
		return;
	if (strings->length + length > BOOK_STRINGS)
		parse_refuse_file(strings->parse, "the workbook has more than 112 MB of different texts");
	if (strings->capacity - strings->length < length)
	{
		strings->capacity += strings->capacity / 8 + STRINGS_STEP + length;
		strings->bytes = parse_resize(strings->parse, strings->bytes, strings->capacity);
	}
	memcpy(strings->bytes + strings->length, bytes, length);
	strings->length += length;
}

const XmlHandlers strings_handlers = {start, end, text};
