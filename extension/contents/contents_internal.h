/*
 * contents_internal.h
 *	  Filters, order and formats of rows: used inside contents/ only.
 */
#ifndef CATALOGUE_CONTENTS_CONTENTS_INTERNAL_H
#define CATALOGUE_CONTENTS_CONTENTS_INTERNAL_H

#include "catalogue.h"

#include "call/call.h"
#include "contents/contents.h"
#include "query/sql_builder.h"
#include "sheets/sheets.h"

/* sheet_stream.c */
typedef struct SheetStream SheetStream;

/* contents.c */

/* Read the query, and set the version of the read, which cat_read_version_release() ends. */
extern SheetQuery *cat_contents_ask(const char *query, const Actor *actor);
/* Find the sheet that is asked for, and read the parameters that name its columns. */
extern void cat_contents_find(SheetQuery *sheet_query, const char *file);
/* Set what the reply says besides the rows. */
extern void cat_contents_describe(const SheetQuery *sheet_query, CallReply *reply);

/* sheet_query.c */

/* The value of the parameter "types"; OD422 for another word than true and false. */
extern bool cat_sheet_query_types(const char *value);
/* Read what is asked of the columns of the sheet; cat_sheet_query_read_order() comes next.
 * OD422 for a value that a word or a column does not take.  Names that mean nothing are ignored. */
extern void cat_sheet_query_read_columns(SheetQuery *sheet_query);
/* OD422 for names that mean nothing, where the caller asks for strict handling. */
extern void cat_sheet_query_require_known(const SheetQuery *sheet_query);
/* Read in which order the rows are asked for.  column: gives the number of a column by its name,
 * ROW_NUMBER for that, less where there is none, which is OD422. */
extern void cat_sheet_query_read_order(SheetQuery *sheet_query,
									   int (*column)(const SheetQuery *, const char *));

/* sheet_filter.c */

/* A condition that a column has one of the values.  column: ROW_NUMBER for the number of the
 * row.  OD422 for a value that the column cannot have. */
extern SheetFilter *cat_sheet_filter_make(const Sheet *sheet, int column, Comparison comparison,
										  List *values);
/* sheet_row.c */

/* Append a date or an instant as JSON has it: a text of the form that the kind has. */
extern void cat_sheet_row_json_instant(StringInfo out, CellKind kind, int64 instant);
/* Append a number as JSON writes it. */
extern void cat_sheet_row_json_number(StringInfo out, const CellNumber *number);
/* Append a cell that is there: its text, or typed, what its column is. */
extern void cat_sheet_row_json_cell(StringInfo out, const SheetColumn *column, const char *text,
									int length, bool typed);
/* Append the columns that are shown, each with a comma before it. */
extern void cat_sheet_row_json_columns(StringInfo out, const SheetQuery *sheet_query,
									   ChunkScan *scan, int row);
/* Append a row of the present chunk as a JSON object: its number, then the columns that are
 * shown. */
extern void cat_sheet_row_json(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan,
							   int row);
/* As cat_sheet_row_json(), for a scan; true. */
extern bool cat_sheet_row_write(StringInfo out, const void *asked, ChunkScan *scan, int row);
/* Append the names of the columns that are shown as a line of CSV. */
extern void cat_sheet_row_csv_names(StringInfo out, const SheetQuery *sheet_query);
/* Append a row of the present chunk as a line of CSV. */
extern void cat_sheet_row_csv(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan,
							  int row);

/* geojson.c */

/* Find the columns with coordinates; OD406 where none are known, OD422 for a name that is none. */
extern void cat_geojson_find(SheetQuery *sheet_query);
/* Append a row as a feature; false, and nothing is appended, where it has no valid coordinates. */
extern bool cat_geojson_feature(StringInfo out, const void *asked, ChunkScan *scan, int row);

/* sheet_stream.c */

/* Begin to give the rows that are asked for, in the present memory context.  All of them unless
 * a limit was given.  OD406 for a format that is none, or that they cannot be in. */
extern SheetStream *cat_sheet_stream_begin(SheetQuery *sheet_query, const char *format);
/* Begin to give the lines that a statement returns as its second column. */
extern SheetStream *cat_sheet_stream_lines(SqlBuilder *query);
/* How many rows there are for what is asked, whatever page. */
extern int64 cat_sheet_stream_count(const SheetQuery *sheet_query);
/* Append the next row, and what stands between it and the one before; false at the end. */
extern bool cat_sheet_stream_row(SheetStream *stream, StringInfo out, int64 *number);
/* Append what stands before the first row. */
extern void cat_sheet_stream_head(const SheetStream *stream, StringInfo out);
/* Append what stands behind the last row. */
extern void cat_sheet_stream_tail(const SheetStream *stream, StringInfo out);
/* End a stream, read to its end or not. */
extern void cat_sheet_stream_end(SheetStream *stream);

/* sheet_page.c */

/* Read a page of the rows that are asked for into the reply: data, count, returned. */
extern void cat_sheet_page(const SheetQuery *sheet_query, CallReply *reply);

#endif /* CATALOGUE_CONTENTS_CONTENTS_INTERNAL_H */
