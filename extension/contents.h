/*
 * contents.h
 *	  Rows of files: sheets, chunks, cells, and what is asked of them.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef CONTENTS_H
#define CONTENTS_H

#include "sheets/chunk.h"

/* What the cells of a column are, over all rows: what they are compared and shown as. */
typedef enum CellKind
{
	CELL_TEXT,
	CELL_INTEGER,
	CELL_DECIMAL,
	CELL_BOOLEAN,
	CELL_DATE,
	CELL_DATETIME
} CellKind;

typedef struct SheetColumn
{
	char *name;
	char *title;  /* as the file has it */
	char *member; /* as JSON has it behind another one: a comma, the name, a colon */
	CellKind kind;
	char point;	  /* between a number's whole and its fraction */
	char *format; /* of dates, a time may stand behind; NULL: ISO 8601 */
	char *nulls;  /* what its cells are, as JSON text; NULL: not told */
	char *distinct;
	char *min;
	char *max;
} SheetColumn;

typedef struct Sheet
{
	int64 id;
	int64 revision;
	int number;
	char *name;
	bool hidden;
	int64 rows;
	int64 bad_rows;
	char *details; /* JSON */
	int ncolumns;
	const SheetColumn *columns;
} Sheet;

/* Rows as they are packed; a head that was found to be right. */
typedef struct Chunk
{
	const unsigned char *bytes;
	size_t length;
	int64 first; /* number of the first row */
	int rows;
	int columns;
} Chunk;

/* The cells of one column of a chunk. */
typedef struct Cells
{
	const char *bytes;
	int rows;
	bool ascii;					   /* no cell has another letter */
	uint32 starts[CHUNK_ROWS + 1]; /* where in bytes each begins, and the last ends */
	bool absent[CHUNK_ROWS];
} Cells;

/* Rows being packed. */
typedef struct ChunkWriter ChunkWriter;

/* Chunks of a sheet in their order. */
typedef struct ChunkScan
{
	const Sheet *sheet;
	MemoryContext memory; /* of all that follows */
	CatScan scan;
	int64 next; /* number of the row behind the chunk */
	void *data; /* of the chunk, NULL: none */
	Chunk chunk;
	Cells **cells;	/* of each column, as far as they were asked for */
	int64 *decoded; /* first row of the chunk that they are of */
} ChunkScan;

/* A number as it is written. */
typedef struct CellNumber
{
	double value; /* the nearest to it */
	bool exact;	  /* no two different numbers of which this is said have the same value */
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
	int64 instant;	   /* of a date, an instant: microseconds, as of a timestamptz */
	bool day;		   /* it is a date alone */
} CellValue;

/* A condition on a column. */
typedef struct SheetFilter
{
	int column; /* ROW_NUMBER for the number of the row */
	const SheetColumn *is;
	const char *comparison; /* "", gte, lte, gt, lt or ne */
	bool required;			/* it has one, so that it must hold whatever "condition" says */
	bool empty;				/* null is among the values: holds for cells that are empty */
	int count;				/* of the other values */
	char **texts;			/* folded, but for a range */
	int *lengths;
	CellValue *values; /* of a column that is no text */
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

/* What is told of the rows of a group. */
typedef struct SheetAggregate
{
	AggregateKind kind;
	int column; /* -1: of the rows themselves */
	char *name; /* as it was asked for */
} SheetAggregate;

/* In place of a column. */
#define ROW_NUMBER (-1)

/* A word of the query and its value. */
typedef struct SheetWord
{
	char *name;
	char *value;
} SheetWord;

/* What is asked of the rows of a file. */
typedef struct SheetQuery
{
	RequestParams *params; /* which rows: limit, skip, match, condition, version, ignored */
	const char *file;	   /* its id */
	int64 revision;
	const char *name; /* of the sheet, or its number; NULL: the first */
	bool limited;	  /* a limit was given */
	bool typed;		  /* values are shown as what they are */
	List *words;	  /* of SheetWord *: for when the columns are known */
	Sheet *sheet;
	bool *shown;		  /* which columns */
	List *filters;		  /* of SheetFilter *: those that are required come last */
	List *orders;		  /* of SheetOrder * */
	List *groups;		  /* of int: columns; NIL with aggregates: all rows are one */
	List *aggregates;	  /* of SheetAggregate * */
	const char *latitude; /* names of the columns with coordinates, NULL: by their usual names */
	const char *longitude;
	int coordinates[2]; /* those columns, in that order */
} SheetQuery;

/* Rows of a sheet put in order: by what they are asked in the order of, then their number. */
typedef struct SheetSort SheetSort;

/* What has come together of a column. */
typedef struct Total
{
	int64 count; /* of cells with a value */
	int128 part; /* of the sum: this, divided by ten to the power of scale */
	int scale;
	Datum rest; /* of it: numeric, 0 for none */
	char *text; /* the least or greatest cell */
	int length;
	CellValue value; /* of it */
} Total;

/* The values of a group's columns, one behind the other: a length, -1 for none, and the text. */
typedef struct GroupKey
{
	const char *bytes;
	int length;
} GroupKey;

typedef struct RowGroup
{
	GroupKey key; /* must be the first */
	int number;	  /* in the order in which they were found */
	Total *totals;
} RowGroup;

typedef struct Groups
{
	const SheetQuery *asked;
	HTAB *table;
	RowGroup **list;
	int count;
	size_t bytes;
	StringInfoData key;
} Groups;

/* chunk.c */
extern void cat_chunk_open(Chunk *chunk, const void *bytes, size_t length, int64 first, int count);
extern void cat_chunk_cells(const Chunk *chunk, int column, Cells *cells);
extern ChunkWriter *cat_chunk_writer(int columns);
extern void cat_chunk_put(ChunkWriter *writer, int column, const char *text, size_t length);
extern bool cat_chunk_end_row(ChunkWriter *writer);
extern int cat_chunk_pending(const ChunkWriter *writer);
extern bytea *cat_chunk_take(ChunkWriter *writer);

/* The length of a cell, 0 for one that is not there. */
static inline int
cells_length(const Cells *cells, int row)
{
	return (int) (cells->starts[row + 1] - cells->starts[row]);
}

static inline const char *
cells_text(const Cells *cells, int row)
{
	return cells->bytes + cells->starts[row];
}

/* cell.c */
extern CellKind cat_cell_kind_named(const char *name);
extern const char *cat_cell_kind_name(CellKind kind);
extern bool cat_cell_number(const char *text, int length, char point, CellNumber *number);
extern Datum cat_cell_numeric(const CellNumber *number);
extern int cat_cell_compare_numbers(const CellNumber *left, const CellNumber *right);
extern bool cat_cell_value(const SheetColumn *column, const char *text, int length,
						   CellValue *value);
extern int cat_cell_compare(const SheetColumn *column, const CellValue *left,
							const CellValue *right);
/* cell_time.c */
extern bool cat_cell_time_read(const char *text, int length, const char *format, CellValue *value);
/* sheet.c */
extern int64 cat_sheet_new(const char *file, int64 revision, int number, const char *name,
						   bool hidden);
extern void cat_sheet_add(int64 sheet, int64 first, int count, bytea *data);
extern void cat_sheet_end(int64 sheet, const char *summary);
extern int64 cat_sheet_begin(const char *file, const char *job);
extern bool cat_sheet_publish(const char *file, int64 revision, const int64 *blob);

/* sheet_scan.c */
extern void cat_sheet_scan_open(ChunkScan *scan, const Sheet *sheet, int64 row);
extern void cat_sheet_scan_attach(ChunkScan *scan);
extern void cat_sheet_scan_detach(ChunkScan *scan);
extern bool cat_sheet_scan_next(ChunkScan *scan);
extern const Cells *cat_sheet_scan_cells(ChunkScan *scan, int column);
extern void cat_sheet_scan_close(ChunkScan *scan);
/* sheet_lookup.c */
extern void cat_sheet_lookup_file(SheetQuery *asked, const char *file);
extern void cat_sheet_lookup(SheetQuery *asked);
extern List *cat_sheet_lookup_all(SheetQuery *asked);
extern int cat_sheet_lookup_column(const Sheet *sheet, const char *name);
/* sheet_query.c */
extern SheetQuery *cat_sheet_query_read(const char *query, const Actor *actor);
extern void cat_sheet_query_read_columns(SheetQuery *asked);
extern void cat_sheet_query_read_order(SheetQuery *asked,
									   int (*column)(const SheetQuery *, const char *));
/* sheet_filter.c */
extern void cat_sheet_query_require_known(const SheetQuery *asked);
extern SheetFilter *cat_sheet_filter_make(const Sheet *sheet, int column, const char *comparison,
										  List *values);
extern int cat_sheet_filter_rows(const SheetQuery *asked, ChunkScan *scan, bool *passes);
/* sheet_sort.c */
extern SheetSort *cat_sheet_sort_begin(const SheetQuery *asked, int64 bound, bool with_text);
extern void cat_sheet_sort_row(SheetSort *sort, ChunkScan *scan, int row,
							   const StringInfoData *text);
extern void cat_sheet_sort_perform(SheetSort *sort);
extern bool cat_sheet_sort_next(SheetSort *sort, int64 *number, text **with);
extern void cat_sheet_sort_end(SheetSort *sort);
/* sheet_row.c, geojson.c */
extern void cat_sheet_row_json_number(StringInfo out, const CellNumber *number);
extern void cat_sheet_row_json_columns(StringInfo out, const SheetQuery *asked, ChunkScan *scan,
									   int row);
extern void cat_sheet_row_csv_names(StringInfo out, const SheetQuery *asked);
extern void cat_sheet_row_csv(StringInfo out, const SheetQuery *asked, ChunkScan *scan, int row);
extern void cat_geojson_find(SheetQuery *asked);
extern bool cat_geojson_feature(StringInfo out, const SheetQuery *asked, ChunkScan *scan, int row);
extern void cat_sheet_row_json(StringInfo out, const SheetQuery *asked, ChunkScan *scan, int row);
extern void cat_sheet_row_json_cell(StringInfo out, const SheetColumn *column, const char *text,
									int length, bool typed);

/* sheet_stream.c */
typedef struct SheetStream SheetStream;
extern SheetStream *cat_sheet_stream_begin(SheetQuery *asked, const char *format);
extern int64 cat_sheet_stream_count(const SheetQuery *asked);
extern bool cat_sheet_stream_row(SheetStream *stream, StringInfo out, int64 *number);
extern void cat_sheet_stream_head(const SheetStream *stream, StringInfo out);
extern void cat_sheet_stream_tail(const SheetStream *stream, StringInfo out);
extern void cat_sheet_stream_end(SheetStream *stream);
/* sheet_page.c */
extern void cat_sheet_page(const SheetQuery *asked, CallReply *reply);
/* sheet_groups.c, sheet_aggregate.c */
extern Groups *cat_sheet_groups_begin(const SheetQuery *asked);
extern void cat_sheet_groups_read(Groups *groups);
extern Datum cat_sheet_groups_sum(const Total *total);
extern int cat_sheet_aggregate_column(const SheetQuery *asked, const char *name);
extern void cat_sheet_aggregate_page(const SheetQuery *asked, CallReply *reply);
/* contents.c */
extern SheetQuery *cat_contents_ask(const char *query, const Actor *actor);
extern void cat_contents_find(SheetQuery *asked, const char *file);
extern void cat_contents_describe(const SheetQuery *asked, CallReply *reply);

#endif /* CONTENTS_H */
