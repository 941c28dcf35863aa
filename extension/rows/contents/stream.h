/*
 * stream.h
 *	  Streams of rows as text, and functions that return them piece by piece.
 */
#ifndef CATALOGUE_CONTENTS_STREAM_H
#define CATALOGUE_CONTENTS_STREAM_H

#include "catalogue.h"

#include "rows/contents/contents.h"

typedef struct SheetStream SheetStream;

/* contents.c */

/* Open what is exported, in the current memory context; describe: the reply of the call is filled in.  NULL: the caller
 * has this state. */
typedef SheetStream *(*ExportOpener)(FunctionCallInfo fcinfo, const CallArguments *args,
									 ReadCall *call, const char *format, bool describe);
/* Return what an opener has opened, piece by piece: the result of a function that returns a set of replies. */
extern Datum cat_contents_pieces(FunctionCallInfo fcinfo, const CallArguments *args,
								 ExportOpener opener);

/* sheet_stream.c: rows as text in a format, fetched a few at a time */

/* Formats of rows without anything between them: JSON, and values of type text[]. */
#define CAT_STREAM_ROWS "rows"
#define CAT_STREAM_CELLS "cells"
/* Begin a stream: of all rows unless the query has a limit.  Raises OD406 for a format that it cannot have. */
extern SheetStream *cat_sheet_stream_begin(SheetQuery *sheet_query, const char *format);
/* Have as many rows as the limit says, which a page reduces to catalogue.max_limit. */
extern void cat_sheet_stream_whole(const SheetQuery *sheet_query);
/* Begin a stream of features, whose places are known, that are written by a function, which is given data; head: what
 * stands before the first one. */
extern SheetStream *cat_sheet_stream_features(SheetQuery *sheet_query, const char *head,
											  WriteRow write, const void *data);
/* Begin a stream of a text. */
extern SheetStream *cat_sheet_stream_text(const char *text);
/* Return how many rows pass the filters, or groups there are once a stream of them has begun. */
extern int64 cat_sheet_stream_count(const SheetQuery *sheet_query);
/* Append what stands before the first row, the next row, false at the end, and what stands behind the last one. */
extern void cat_sheet_stream_head(const SheetStream *stream, StringInfo out);
extern bool cat_sheet_stream_row(SheetStream *stream, StringInfo out, int64 *number);
extern void cat_sheet_stream_tail(const SheetStream *stream, StringInfo out);
extern void cat_sheet_stream_end(SheetStream *stream);

#endif /* CATALOGUE_CONTENTS_STREAM_H */
