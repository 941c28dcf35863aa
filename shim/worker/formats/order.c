/*
 * order.c - rows of a sheet in the order of their numbers.
 */
#include "formats/book.h"

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
