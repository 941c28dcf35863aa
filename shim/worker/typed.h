/*
 * typed.h - a text of a file as the cell of a workbook.
 */
#ifndef TYPED_H
#define TYPED_H

#include "worker.h"

/* What is known of a column. */
typedef struct Kind
{
	const char *type;
	const char *format; /* of its dates; NULL: ISO 8601 */
	bool comma;			/* in its decimal numbers */
} Kind;

typedef enum TypedForm
{
	TYPED_EMPTY,
	TYPED_TEXT,
	TYPED_NUMBER,
	TYPED_BOOLEAN,
	TYPED_DATE,
	TYPED_DATETIME
} TypedForm;

/* A cell: of a text and an empty one the form says all. */
typedef struct Typed
{
	TypedForm form;
	bool truth;
	double number;
	int year, month, day, hour, minute; /* from 1900 on */
	double second;
} Typed;

/* typed.c */
extern Kind typed_kind(const json_t *column);
/* Read a text as what its column has, or else as the text that it is. */
extern Typed typed_read(const Kind *kind, const char *text);

#endif
