/*
 * contents.h
 *	  Rows of files as they are asked for: query, pages, formats.
 *	  Decisions: docs/explanation/decisions.md#extensionrowscontents
 */
#ifndef CATALOGUE_CONTENTS_CONTENTS_H
#define CATALOGUE_CONTENTS_CONTENTS_H

#include "catalogue.h"

#include "read/read.h"
#include "rows/sheets/sheets.h"

#define ROW_NUMBER (-1) /* in place of a column */
/* A condition on a column. */
typedef struct SheetFilter
{
	int column; /* ROW_NUMBER for the number of the row */
	const SheetColumn *is;
	Comparison comparison;
	bool required; /* it has one, so that it must hold whatever "condition" says */
	bool empty;	   /* null is among the values: holds for cells that are empty */
	List *marks;   /* of char *: texts of the column that stand for no value */
	List *values;  /* the others: of char *, of CellValue * for a column that is no text */
} SheetFilter;

typedef struct SheetOrder
{
	int column; /* of the sheet, or of the groups */
	bool descending;
} SheetOrder;

typedef enum AggregateKind
{
	AGGREGATE_COUNT,
	AGGREGATE_SUM,
	AGGREGATE_AVG,
	AGGREGATE_MIN,
	AGGREGATE_MAX
} AggregateKind;

/* What is computed of the rows of a group. */
typedef struct SheetAggregate
{
	AggregateKind kind;
	int column; /* -1: of the rows themselves */
	char *name; /* as it was asked for */
} SheetAggregate;

/* How places are read that are not in the rows themselves (places.h). */
typedef struct PlaceSource PlaceSource;
/* Places of rows in another sheet (outlines.c). */
typedef struct Outlines Outlines;

/* What is asked of the rows of a file. */
typedef struct SheetQuery
{
	RequestParams *params; /* which rows: limit, skip, match, condition, version, ignored */
	const char *file;	   /* its id */
	int64 revision;
	const char *name; /* of the sheet, or its number; NULL: the first */
	bool typed;		  /* values are shown as what they are */
	List *words;	  /* of RequestWord *: for when the columns are known */
	Sheet *sheet;
	bool *shown;		  /* which columns */
	List *filters;		  /* of SheetFilter *: those that are required come last */
	List *orders;		  /* of SheetOrder * */
	List *groups;		  /* of int: columns; NIL with aggregates: all rows are one */
	List *aggregates;	  /* of SheetAggregate * */
	int64 groups_found;	  /* how many groups the last page of them was a part of */
	const char *distinct; /* the columns whose different values are the groups; NULL: not asked */
	List *facets;		  /* of int: columns whose values are counted */
	List *histograms;	  /* of int: columns whose values are counted by ranges */
	const char *latitude; /* names of the columns with coordinates, NULL: by their usual names */
	const char *longitude;
	int coordinates[PLACE_COLUMNS]; /* the columns of the places; -1: there is none */
	const PlaceSource *source;		/* of the places; NULL: the rows themselves */
	Outlines *outlines;				/* what it knows */
	uint64 *
		places; /* a bit for each row, from the first one on, whose place is asked for; NULL: any place */
	int64 area; /* the sheet with the area that they are within, 0: none */
} SheetQuery;

/* Whether rows can be left out. */
static inline bool
cat_sheet_query_filters(const SheetQuery *asked)
{
	return asked->filters || asked->places;
}

/* sheet_query.c */
/* Read the parameters of page and sheet.  Raises OD422 for an invalid value. */
extern SheetQuery *cat_sheet_query_read(const char *query, const Actor *actor);
/* Take a parameter out of those that may name columns; NULL: there is none. */
extern const char *cat_sheet_query_take(SheetQuery *sheet_query, const char *name);
/* Return whether a text is a value of a column as JSON has it, and none of its texts that stand for no value. */
extern bool cat_sheet_query_is_literal(const SheetColumn *column, const char *text);
/* Keep the rows whose column, or number, compares so with one of some values, NULL for null. */
extern void cat_sheet_query_compare(SheetQuery *sheet_query, int column, Comparison comparison,
									List *values);

/* sheet_lookup.c */
/* Find the sheet: by number, by name, which may be in double quotes, else cat_sheet_lookup_default().
 * Raises OD404 if there is no such sheet. */
extern void cat_sheet_lookup(SheetQuery *sheet_query);
/* Return the sheet that is meant where none is named: the one that the owner of the file has chosen, else the first that
 * is not hidden, else the first; NULL if there is none. */
extern Sheet *cat_sheet_lookup_default(SheetQuery *sheet_query);

/* Find a visible file at the instant of the read, and the revision of its contents; both are set
 * in the current memory context.  Raises OD404 if there is no such file or it has no bytes;
 * OD406 if its type is not parsed; OD409 if it has not been parsed yet or could not be. */
extern void cat_sheet_lookup_file(SheetQuery *sheet_query, const char *file);
/* OD409 for a file that is not read yet or could not be. */
pg_noreturn extern void cat_sheet_lookup_refuse(const char *file, const char *state,
												const char *reason);
/* Return the number of a column, -1 if there is none of that name. */
extern int cat_sheet_lookup_column(const Sheet *sheet, const char *name);
/* A hint that a parameter takes these names, and those of the columns. */
extern const char *cat_sheet_lookup_hint(const Sheet *sheet, List *names);

/* contents.c */
/* Read the query, and determine the instant of the read, which selects the revision.  The caller has set call.actor. */
extern SheetQuery *cat_contents_ask(ReadCall *call, FunctionCallInfo fcinfo,
									const CallArguments *args);
/* Find the sheet, and read the parameters that refer to its columns. */
extern void cat_contents_find(SheetQuery *sheet_query, const char *file);
/* Raise OD422 if there are unknown names and the caller asked for strict handling. */
extern void cat_sheet_query_require_known(const SheetQuery *sheet_query);
/* Return texts, char *, on the geometries of the sheet that are not given as WKT. */
extern List *cat_sheet_query_lost(const SheetQuery *sheet_query);

/* sheet_groups.c */

/* Return whether the groups make a chart: by one or two columns, with one number each. */
extern bool cat_sheet_groups_drawn(const SheetQuery *sheet_query);
/* Fill in the reply with a page of groups: data, count, returned. */
extern void cat_sheet_groups_page(SheetQuery *sheet_query, CallReply *reply);

/* sheet_filter.c */

/* Make a scan keep the rows that pass the filters. */
extern void cat_sheet_filter_begin(ChunkScan *scan, const SheetQuery *asked);

#endif /* CATALOGUE_CONTENTS_CONTENTS_H */
