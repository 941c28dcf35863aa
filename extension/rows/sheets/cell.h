/*
 * cell.h
 *	  Values of cells by the kind of their column.
 */
#ifndef CATALOGUE_SHEETS_CELL_H
#define CATALOGUE_SHEETS_CELL_H

#include "catalogue.h"

#include "rows/sheets/number_form.h"

/* What the cells of a column are, over all rows: what they are compared and shown as. */
typedef enum CellKind
{
	CELL_TEXT,
	CELL_INTEGER,
	CELL_DECIMAL,
	CELL_BOOLEAN,
	CELL_DATE,
	CELL_DATETIME,
	CELL_MONTH,
	CELL_QUARTER
} CellKind;

typedef struct SheetColumn
{
	char *name;
	char *title;  /* as the file has it */
	char *member; /* as JSON has it behind another one: a comma, the name, a colon */
	CellKind kind;
	char point;		/* between a number's whole and its fraction */
	char thousands; /* kind of the sign between thousands, as of NumberPlain; '\0': there is none */
	char *unit;		/* before or behind a number; NULL: there is none */
	char *format;	/* of dates, a time may stand behind; NULL: the usual one (date_text.h) */
	List *marks;	/* texts of cells that stand for no value, char * */
	bool masked;	/* some mark would be a value else */
	int64 nulls;	/* cells that are empty or stand for no value; -1: it is not known how many */
	char *note;		/* why it is text although most cells are numbers or dates, or what else its
				   * numbers could mean; NULL: there is nothing to tell */
} SheetColumn;

/* A number as it is written. */
typedef struct CellNumber
{
	double value; /* the nearest to it */
	bool exact;	  /* the digits are an integer that fits into a double */
	bool negative;
	const char *whole; /* digits without zeros in front */
	int nwhole;
	const char *fraction; /* digits without zeros behind */
	int nfraction;
	int exponent;
} CellNumber;

/* A cell as what its column is. */
typedef struct CellValue
{
	CellNumber number; /* of an integer, a decimal; a boolean has the value 0 or 1 */
	int64 instant;	   /* of a date, an instant, a month: microseconds, as of a timestamptz */
	bool day;		   /* it is a date alone */
	NumberPlain plain; /* what number points into, if the cell is not plain itself */
} CellValue;

/* Whether values of a kind are instants, or begin with one: the last kinds. */
static inline bool
cat_cell_is_time(CellKind kind)
{
	return kind >= CELL_DATE;
}

/* cell.c */

/* The kind of a name, an unknown one is text; and the name of a kind. */
extern CellKind cat_cell_kind_named(const char *name);
extern const char *cat_cell_kind_name(CellKind kind);
/* Whether a cell is one of some texts, List of char *. */
extern bool cat_cell_is_among(const List *texts, const char *text, int length);
/* Whether a cell stands for no value. */
extern bool cat_cell_is_mark(const SheetColumn *column, const char *text, int length);
/* Read a number: an optional sign, digits, an optional fraction after the decimal point, and an
 * optional exponent; digits may be missing on one side of the point.  The result points into the
 * text.  False if the text is not a number. */
extern bool cat_cell_number(const char *text, int length, char point, CellNumber *number);
/* Return a number as numeric, with all its digits. */
extern Datum cat_cell_numeric(const CellNumber *number);
/* Read a cell by the type of its column, without the blanks around it; false if it does not conform,
 * and always for text.  The value points into the text or itself: it is not to be copied. */
extern bool cat_cell_value(const SheetColumn *column, const char *text, int length,
						   CellValue *value);
/* Read a cell as a number; of a date it is the number of days since 2000, of a month or a quarter the
 * number of these, of an instant that of microseconds.  False if the cell is not of the column's type,
 * or too great. */
extern bool cat_cell_scalar(const SheetColumn *column, const char *text, int length,
							double *scalar);
/* Return the instant of such a number, of a kind for which cat_cell_is_time() is true. */
extern int64 cat_cell_instant_at(CellKind kind, double scalar);

#define CELL_KEY_MAX 512

/* Write the key of a value: ASCII, in whose order values of a column are, and the same for the same
 * value in whatever notation.  Returns its length. */
extern int cat_cell_key(char key[CELL_KEY_MAX], const SheetColumn *column, const CellValue *value);

extern int cat_cell_compare(const SheetColumn *is, const CellValue *left, const CellValue *right);

#endif /* CATALOGUE_SHEETS_CELL_H */
