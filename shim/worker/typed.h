/*
 * typed.h - what convert.c and typed.c share: cells of a workbook.
 */
#ifndef TYPED_H
#define TYPED_H

#include <xlsxwriter.h>

#include "worker.h"

/* What is known of a column. */
typedef struct Kind
{
	const char *type;
	const char *format; /* of its dates; NULL: ISO 8601 */
	bool comma;			/* in its decimal numbers */
} Kind;

/* Where a cell is written, and how moments look there. */
typedef struct Place
{
	lxw_worksheet *sheet;
	lxw_row_t row;
	lxw_col_t column;
	lxw_format *date;
	lxw_format *datetime;
} Place;

/* typed.c */
extern Kind typed_kind(const json_t *column);
/* Write a cell as what its column has, or else as the text that it is. */
extern lxw_error typed_write(const Place *place, const Kind *kind, const char *text);

#endif
