/*
 * cell_key.c
 *	  Keys of cells: bytes that are the same for cells of the same value.
 */
#include "catalogue.h"

#include "sheets/sheets.h"

/* Before the bytes of a key: what it was made of. */
#define KEY_VALUE 'v'
#define KEY_TEXT 't'

/* Remove the zeros at the ends of the digits from a place on; return how many were at the end. */
static int
trim_zeros(StringInfo out, int start)
{
	int length = out->len;
	int zeros = 0;

	while (out->len > start && out->data[out->len - 1] == '0')
		out->len--;
	while (start + zeros < out->len && out->data[start + zeros] == '0')
		zeros++;
	length -= out->len;
	memmove(out->data + start, out->data + start + zeros, (size_t) (out->len - start - zeros));
	out->len -= zeros;
	out->data[out->len] = '\0';
	return length;
}

/* Append a number in the one form that all its notations have: its digits and a power of ten. */
static void
append_number(StringInfo out, const CellNumber *number)
{
	int start;
	int power = number->exponent - number->nfraction;

	if (number->negative)
		appendStringInfoCharMacro(out, '-');
	start = out->len;
	appendBinaryStringInfo(out, number->whole, number->nwhole);
	appendBinaryStringInfo(out, number->fraction, number->nfraction);
	power += trim_zeros(out, start);
	appendStringInfo(out, "e%d", out->len > start ? power : 0);
}

/*
 * Append the key of a cell by the type of its column: numbers are equal in whatever notation, dates
 * and instants in whatever form.  A text, and what does not conform to the type, is its own key.
 */
void
cat_cell_key(StringInfo out, const SheetColumn *column, const char *text, int length)
{
	CellValue value;

	if (!cat_cell_value(column, text, length, &value))
	{
		appendStringInfoCharMacro(out, KEY_TEXT);
		appendBinaryStringInfo(out, text, length);
		return;
	}
	appendStringInfoCharMacro(out, KEY_VALUE);
	if (column->kind == CELL_DATE || column->kind == CELL_DATETIME)
		appendBinaryStringInfo(out, (char *) &value.instant, sizeof(value.instant));
	else if (column->kind == CELL_BOOLEAN)
		appendStringInfoCharMacro(out, value.number.value != 0 ? '1' : '0');
	else
		append_number(out, &value.number);
}
