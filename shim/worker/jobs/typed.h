/*
 * typed.h - convert a text of a file to a typed cell of a workbook.
 */
#ifndef WORKER_JOBS_TYPED_H
#define WORKER_JOBS_TYPED_H

#include "formats/book_write.h"

/* Type of a column. */
typedef struct Kind
{
	const char *type;
	const char *format; /* date format; NULL: ISO 8601 */
	bool comma;			/* numbers have a decimal comma */
} Kind;

#endif
