/*
 * cell_key.c
 *	  Keys of cells: text that is equal for equal values of a column, and in their order.
 *
 * Keys are ASCII, and compared byte by byte (COLLATE "C").
 */
#include "catalogue.h"

#include "sheets/sheets.h"

/* Added to the exponent of a number, so that it is positive and has four digits. */
#define EXPONENT_BIAS 2000

/* Append the digits of a number from the first one on that is not 0. */
static char *
append_digits(char *at, const char *start, const char *digits, int length)
{
	if (at == start)
		for (; length > 0 && *digits == '0'; length--)
			digits++;
	memcpy(at, digits, (size_t) length);
	return at + length;
}

/* Write four digits. */
static void
write_four(char *at, int number)
{
	for (int i = 3; i >= 0; i--, number /= 10)
		at[i] = (char) ('0' + number % 10);
}

/*
 * Write a number: its sign, its exponent and its digits.  Those of a negative number are complemented
 * and followed by a byte that is greater than any digit.
 */
static char *
write_number(char *at, const CellNumber *number)
{
	char *start = at + 5; /* behind sign and exponent */
	char *end = append_digits(start, start, number->whole, number->nwhole);
	int exponent;

	end = append_digits(end, start, number->fraction, number->nfraction);
	/* the value is a fraction that begins with these digits, times ten to the power of the exponent */
	exponent = number->exponent + (int) (end - start) - number->nfraction;
	while (end > start && end[-1] == '0')
		end--;
	if (end == start)
	{
		*at = '1';
		return at + 1;
	}
	*at = number->negative ? '0' : '2';
	write_four(at + 1, EXPONENT_BIAS + (number->negative ? -exponent : exponent));
	if (!number->negative)
		return end;
	for (char *digit = start; digit < end; digit++)
		*digit = (char) ('0' + '9' - *digit);
	*end = '~';
	return end + 1;
}

/* Write an instant as 16 digits. */
static char *
write_instant(char *at, int64 instant)
{
	uint64 rest = (uint64) instant ^ ((uint64) 1 << 63);

	for (int i = 15; i >= 0; i--, rest >>= 4)
		at[i] = "0123456789abcdef"[rest & 15];
	return at + 16;
}

int
cat_cell_key(char key[CELL_KEY_MAX], const SheetColumn *column, const CellValue *value)
{
	if (column->kind == CELL_DATE || column->kind == CELL_DATETIME)
		return (int) (write_instant(key, value->instant) - key);
	if (column->kind != CELL_BOOLEAN)
		return (int) (write_number(key, &value->number) - key);
	*key = value->number.value != 0 ? '1' : '0';
	return 1;
}

/* Compare two values of a column that is not text. */
int
cat_cell_compare(const SheetColumn *column, const CellValue *left, const CellValue *right)
{
	char keys[2][CELL_KEY_MAX];
	int left_length = cat_cell_key(keys[0], column, left);
	int right_length = cat_cell_key(keys[1], column, right);
	int order = memcmp(keys[0], keys[1], (size_t) Min(left_length, right_length));

	return order ? order : left_length - right_length;
}
