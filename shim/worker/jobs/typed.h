/*
 * typed.h - a text of a file as the cell of a workbook.
 */
#ifndef WORKER_JOBS_TYPED_H
#define WORKER_JOBS_TYPED_H

#include "formats/book_write.h"

/* What is known of a column. */
typedef struct Kind
{
	const char *type;
	const char *format; /* of its dates; NULL: ISO 8601 */
	bool comma;			/* in its decimal numbers */
} Kind;

/* typed.c */
extern Kind typed_kind(const json_t *column);
/* Read a text as what its column has, or else as the text that it is. */
extern Typed typed_read(const Kind *kind, const char *text);

#endif
