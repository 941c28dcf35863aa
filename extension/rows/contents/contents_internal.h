/*
 * contents_internal.h
 *	  Filters, order and formats of rows: used inside contents/ only.
 */
#ifndef CATALOGUE_CONTENTS_CONTENTS_INTERNAL_H
#define CATALOGUE_CONTENTS_CONTENTS_INTERNAL_H

#include "catalogue.h"

#include "call/call.h"
#include "query/sql_builder.h"
#include "query/terms.h"
#include "rows/contents/contents.h"
#include "rows/contents/places.h"
#include "rows/contents/stream.h"
#include "rows/sheets/sheets.h"

/* Maximum number of groups. */
#define CAT_GROUPS_MAX 10000
/* What a group begins with whose cells are no values of their column; keys do not. */
#define CAT_GROUP_OF_TEXT "~"

/* sheet_page.c */

/* Bytes of the rows of a page, at most. */
#define CAT_PAGE_BYTES (64 * 1024 * 1024)
extern void cat_sheet_page(const SheetQuery *sheet_query, CallReply *reply);

/* contents.c */

extern void cat_contents_begin(ReadCall *call, const SheetQuery *sheet_query);

/* sheet_query.c */

extern void cat_sheet_query_read_columns(SheetQuery *sheet_query);
/* The same by a parameter; the name of an unknown column is ignored. */
extern void cat_sheet_query_filter(SheetQuery *sheet_query, const char *name, const char *value);
extern char *cat_sheet_query_notes(const SheetQuery *sheet_query);
extern void cat_sheet_query_read_order(SheetQuery *sheet_query,
									   int (*column)(const SheetQuery *, const char *));

/* geojson.c */

extern bool cat_geojson_known(const SheetQuery *sheet_query);
extern void cat_geojson_find(SheetQuery *sheet_query);
#define LATITUDE_MOST 90
#define LONGITUDE_MOST 180
/* Whether coordinates are in range, and not both 0. */
static inline bool
cat_geojson_is_place(double latitude, double longitude)
{
	return fabs(latitude) <= LATITUDE_MOST && fabs(longitude) <= LONGITUDE_MOST &&
		   (latitude != 0 || longitude != 0);
}
/* Read the point of a row; false if it has none. */
extern bool cat_geojson_place(const SheetQuery *sheet_query, ChunkScan *scan, int row,
							  SheetPlace *place);
typedef const char *(*TakeWkt)(StringInfo out, const char *text, int length, Bounds *bounds);

/* Append the WKT of a cell as a function of wkt.h does, and set its bounds.  One that goes beyond 180 degrees is divided
 * at the antimeridian by PostGIS; the cell then has it so.  Returns as that function. */
extern const char *cat_geojson_divided(StringInfo out, CellText *cell, TakeWkt take,
									   Bounds *bounds);
/* Append the geometry of a row, a point if it has no other, as GeoJSON.  Returns NULL, or the reason why there is
 * none, palloc'd. */
extern char *cat_geojson_geometry(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan,
								  int row, SheetPlace *place);

/* places.c */

/* Whether a parameter asks for places, if the rows have some. */
extern bool cat_places_is_word(const char *name);
/* Clear the bits of those of some rows that are none of them. */
extern void cat_places_leave(const SheetQuery *asked, int64 first, int count, uint64 *bits);
/* Whether a row is one of them, and whether any of some rows is. */
extern bool cat_places_has(const SheetQuery *asked, int64 row);
extern bool cat_places_any(const SheetQuery *asked, int64 first, int count);

/* sheet_groups.c */

extern int cat_sheet_groups_column(const SheetQuery *sheet_query, const char *name);
extern char *cat_sheet_groups_facets(const SheetQuery *sheet_query);
extern char *cat_sheet_groups_histograms(const SheetQuery *sheet_query);

/* sheet_row.c */

extern void cat_sheet_row_json_number(StringInfo out, const CellNumber *number);
extern void cat_sheet_row_json_instant(StringInfo out, CellKind kind, int64 instant);
extern void cat_sheet_row_json_columns(StringInfo out, const SheetQuery *sheet_query,
									   ChunkScan *scan, int row);
extern bool cat_sheet_row_write(StringInfo out, const void *asked, ChunkScan *scan, int row);
extern bool cat_sheet_row_write_page(StringInfo out, const void *asked, ChunkScan *scan, int row);

/* sheet_stream.c */

/* Begin to give the lines that a statement returns as its second column. */
extern SheetStream *cat_sheet_stream_lines(SqlBuilder *query);

#endif /* CATALOGUE_CONTENTS_CONTENTS_INTERNAL_H */
