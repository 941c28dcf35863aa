/*
 * xls_sheet.c - a sheet of a workbook of Excel 5 to 2003: rows of cells.
 *
 * Excel writes cells in order of rows; the cells of other programs are sorted first if necessary.
 */
#include "xls/biff.h"

typedef struct XlsSheet
{
	Xls *xls;
	Sheet *sheet;
	bool open;
	unsigned row;
	unsigned column;	  /* cell of a formula with a string result */
	bool awaited;		  /* its string has not been read yet */
	size_t cells;		  /* records of the cells */
	bool disordered;	  /* the rows are not in order */
	struct XlsCell *list; /* records of all cells, if they must be sorted */
} XlsSheet;

/* A record of one cell, or of adjacent cells. */
typedef struct XlsCell
{
	size_t at;
	unsigned row;
} XlsCell;

static void
end_row(XlsSheet *book)
{
	if (!book->open)
		return;
	if (book->sheet->filled == 0 && book->sheet->fault == NULL)
		sheet_undo(book->sheet);
	else
		sheet_row(book->sheet, book->row + 1);
	book->open = false;
}

/* Begin a cell: its row, column and style. */
static unsigned
locate_cell(XlsSheet *book, const BiffCursor *cursor)
{
	unsigned row = (unsigned) biff_number(book->xls, cursor->at, 2);

	if (book->open && row != book->row)
		end_row(book);
	book->open = true;
	book->row = row;
	book->awaited = false;
	return (unsigned) biff_number(book->xls, cursor->at + 2, 2);
}

static void
put_number(XlsSheet *book, unsigned column, uint64_t style, double number)
{
	char text[VALUE_MAXIMUM] = "";
	char value[VALUE_MAXIMUM];
	size_t length = value_styled(value, number, &book->xls->formats, style, book->xls->since_1904);

	if (length == 0)
		length = value_number(value, text, (size_t) snprintf(text, sizeof(text), "%.17g", number));
	if (length > 0)
		sheet_cell(book->sheet, column, value, length);
	else
		sheet_cell(book->sheet, column, text, strlen(text));
}

/*
 * Read an RK number of 30 bits: an integer or the upper half of a double, possibly in hundredths.
 */
static double
read_rk(const Xls *xls, size_t at)
{
	uint32_t bits = (uint32_t) biff_number(xls, at, 4);
	uint64_t upper = (uint64_t) (bits & ~3U) << 32;
	int32_t whole = (int32_t) (bits & ~3U) / 4;
	double number;

	if (bits & 2)
		number = whole;
	else
		memcpy(&number, &upper, sizeof(number));
	return (bits & 1) ? number / 100 : number;
}

static void
put_many(XlsSheet *book, BiffCursor cursor)
{
	unsigned column = locate_cell(book, &cursor);

	for (cursor.at += 4; cursor.at + 8 <= cursor.end; cursor.at += 6)
		put_number(book, column++, biff_number(book->xls, cursor.at, 2),
				   read_rk(book->xls, cursor.at + 2));
}

/* Put a boolean, or an error by its number. */
static void
put_truth(XlsSheet *book, unsigned column, uint64_t value, bool is_error)
{
	static const struct
	{
		unsigned char number;
		const char *name;
	} errors[] = {{0x00, "#NULL!"}, {0x07, "#DIV/0!"}, {0x0F, "#VALUE!"}, {0x17, "#REF!"},
				  {0x1D, "#NAME?"}, {0x24, "#NUM!"},   {0x2A, "#N/A"},	  {0x2B, "#GETTING_DATA"}};
	const char *text = is_error ? NULL : value ? "true" : "false";

	for (size_t i = 0; is_error && i < lengthof(errors); i++)
		if (errors[i].number == value)
			text = errors[i].name;
	if (text != NULL)
		sheet_cell(book->sheet, column, text, strlen(text));
	else
		book->sheet->flaw = "a cell has an error that is not known and is empty";
}

static void
put_text(XlsSheet *book, unsigned column, BiffCursor cursor)
{
	Buffer *cell = &book->xls->parse->cell;

	cell->length = 0;
	biff_text(book->xls, &cursor, 2, cell);
	sheet_text(book->sheet, column);
}

static void
put_shared(XlsSheet *book, unsigned column, uint64_t number)
{
	if (number < book->xls->text_count)
		put_text(book, column, book->xls->texts[number]);
	else if (book->xls->text_count == 0)
		sheet_lose(book->sheet, book->row + 1,
				   "the workbook lacks the shared strings that its cells refer to");
	else
		book->sheet->flaw = "a cell refers to a text that is not in the workbook and is empty";
}

/* Read the result of a formula: a number, or another type that its first byte determines. */
static void
put_formula(XlsSheet *book, unsigned column, uint64_t style, size_t at)
{
	const Xls *xls = book->xls;
	uint64_t kind = biff_number(xls, at, 1);

	if (biff_number(xls, at + 6, 2) != 0xFFFF)
		put_number(book, column, style, biff_double(xls, at));
	else if (kind == 0)
	{
		book->awaited = true;
		book->column = column;
	}
	else if (kind == 1 || kind == 2)
		put_truth(book, column, biff_number(xls, at + 2, 1), kind == 2);
	else
		sheet_cell(book->sheet, column, "", 0);
}

static bool
is_old(int type)
{
	return type >= BIFF_FIRST_OLD && type <= BIFF_LAST_OLD;
}

static void
read_cell(XlsSheet *book, int type, BiffCursor cursor)
{
	const Xls *xls = book->xls;
	unsigned column = locate_cell(book, &cursor);
	uint64_t style = biff_number(xls, cursor.at + 4, 2);

	cursor.at += 6;
	if (is_old(type))
		book->sheet->flaw = "a cell is stored as in Excel 2, which is not read, and is empty";
	else if (type == BIFF_NUMBER)
		put_number(book, column, style, biff_double(xls, cursor.at));
	else if (type == BIFF_RK)
		put_number(book, column, style, read_rk(xls, cursor.at));
	else if (type == BIFF_LABELSST)
		put_shared(book, column, biff_number(xls, cursor.at, 4));
	else if (type == BIFF_FORMULA)
		put_formula(book, column, style, cursor.at);
	else if (type == BIFF_BOOLERR)
		put_truth(book, column, biff_number(xls, cursor.at, 1),
				  biff_number(xls, cursor.at + 1, 1) != 0);
	else
		put_text(book, column, cursor);
}

static bool
is_cell(int type, const BiffCursor *cursor)
{
	switch (type)
	{
		case BIFF_NUMBER:
		case BIFF_RK:
		case BIFF_LABELSST:
		case BIFF_LABEL:
		case BIFF_RSTRING:
		case BIFF_BOOLERR:
		case BIFF_FORMULA:
		case BIFF_MULRK:
			/* row, column, style and a value */
			return cursor->end - cursor->at >= 8;
		default:
			return is_old(type);
	}
}

static void
read_sheet_record(XlsSheet *book, int type, BiffCursor cursor)
{
	if (is_cell(type, &cursor) && type == BIFF_MULRK)
		put_many(book, cursor);
	else if (is_cell(type, &cursor))
		read_cell(book, type, cursor);
	else if (type == BIFF_STRING)
	{
		if (book->awaited)
			put_text(book, book->column, cursor);
		book->awaited = false;
	}
}

/* Add the merged ranges of a record, which stands behind the rows. */
static void
add_merged(XlsSheet *book, BiffCursor cursor)
{
	const Xls *xls = book->xls;
	uint64_t count = biff_number(xls, cursor.at, 2);

	cursor.at += 2;
	for (; count > 0 && cursor.at + 8 <= cursor.end; count--, cursor.at += 8)
		merge_add(book->sheet, biff_number(xls, cursor.at, 2) + 1,
				  biff_number(xls, cursor.at + 2, 2) + 1,
				  (unsigned) biff_number(xls, cursor.at + 4, 2),
				  (unsigned) biff_number(xls, cursor.at + 6, 2));
}

/* Examine a record before the sheet is read. */
static void
count_cell(XlsSheet *book, int type, BiffCursor cursor)
{
	unsigned row = (unsigned) biff_number(book->xls, cursor.at, 2);

	if (type == BIFF_MERGED)
		add_merged(book, cursor);
	if (!is_cell(type, &cursor))
		return;
	book->disordered |= row < book->row;
	book->row = row;
	book->cells++;
}

static void
list_cell(XlsSheet *book, int type, BiffCursor cursor)
{
	if (is_cell(type, &cursor))
		book->list[book->cells++] =
			(XlsCell){cursor.at - 4, (unsigned) biff_number(book->xls, cursor.at, 2)};
}

/* Call look() for each record of the sheet; false if it has no end. */
static bool
go_through(XlsSheet *book, size_t at, void (*look)(XlsSheet *book, int type, BiffCursor cursor))
{
	unsigned depth = 0;
	BiffCursor cursor;
	int type;

	while ((type = biff_record(book->xls, at, &cursor)) >= 0)
	{
		at = cursor.end;
		/* charts are nested in the sheet as substreams */
		if (type == BIFF_BOF)
			depth++;
		else if (type == BIFF_EOF && --depth == 0)
			break;
		else if (depth == 1)
			look(book, type, cursor);
		else if (depth == 0)
			break;
	}
	return type == BIFF_EOF && depth == 0;
}

static int
compare_cells(const void *left, const void *right)
{
	const XlsCell *one = left;
	const XlsCell *other = right;

	if (one->row != other->row)
		return one->row < other->row ? -1 : 1;
	return one->at < other->at ? -1 : 1;
}

/* Read the cells in order of rows, each with its records. */
static void
read_sorted(XlsSheet *book, size_t at)
{
	Parse *parse = book->xls->parse;

	book->list = parse_allocate(parse, (book->cells + 1) * sizeof(XlsCell));
	book->cells = 0;
	go_through(book, at, list_cell);
	qsort(book->list, book->cells, sizeof(XlsCell), compare_cells);
	for (size_t i = 0; i < book->cells; i++)
	{
		BiffCursor cursor;
		int type = biff_record(book->xls, book->list[i].at, &cursor);

		do
		{
			read_sheet_record(book, type, cursor);
			type = biff_record(book->xls, cursor.end, &cursor);
		} while (type >= 0 && type != BIFF_BOF && type != BIFF_EOF && !is_cell(type, &cursor));
	}
	parse_release(parse, book->list);
}

void
xls_sheet_read(Xls *xls, Sheet *sheet, size_t at)
{
	XlsSheet book = {.xls = xls, .sheet = sheet};

	if (!go_through(&book, at, count_cell))
	{
		sheet_lose(sheet, 1, "a sheet of the workbook is damaged");
		return;
	}
	book.row = 0;
	if (book.disordered)
		read_sorted(&book, at);
	else
		go_through(&book, at, read_sheet_record);
	end_row(&book);
}
