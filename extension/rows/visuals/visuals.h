/*
 * visuals.h
 *	  Maps and charts: their data are made from rows of files.
 *	  Decisions: docs/explanation/decisions.md#extensionrowsvisuals
 */
#ifndef CATALOGUE_VISUALS_VISUALS_H
#define CATALOGUE_VISUALS_VISUALS_H

#include "catalogue.h"

#include "call/call.h"
#include "rows/contents/contents.h"

/* map_geojson.c */

/* Read which features of a map are asked for, as catalogue.map_geojson() does; the reply of the call has its id.  Returns
 * the rows that it is made of, with its properties shown; NULL if it is made of none.  Errors as there. */
extern SheetQuery *cat_map_geojson_ask(FunctionCallInfo fcinfo, const CallArguments *args,
									   ReadCall *call, char **name);

/* map_points.c */

/* Make geojson, correct and incorrect of a map, and what else is made of it; values by attribute number minus one.  They are
 * null if a file has no contents.  Under strict handling a column that does not exist is an
 * error of the record, OD409 is raised if the file could not be parsed, OD422 if it has too many
 * rows; else, and while the file is being read, they are null in these cases, too. */
extern void cat_map_points_make(Resource *resource, Datum *values, bool *nulls, bool strict,
								List **errors);

/* Set the columns of the coordinates of a map of a geographic file, unless the row has one of
 * them, points that a client wrote, or keys of outlines; add errors if it has only some of these. */
extern void cat_map_points_complete_keys(Resource *resource, Datum *values, bool *nulls,
										 List **errors);

/* chart_read.c */

/* Make the data of a chart: {labels, data} or, with two labels of each value, {labels, series,
 * data}; values by attribute number minus one.  Errors as of cat_map_points_make(). */
extern void cat_chart_read_make(Resource *resource, Datum *values, bool *nulls, bool strict,
								List **errors);

/* Add an error for a table with more values than one that is made of rows can have. */
extern void cat_chart_read_check(const Field *field, Datum value, List **errors);

/* Return "notes" of meta: what the data of a chart, json, tell of the column that is summed; NULL for
 * nothing. */
extern char *cat_chart_read_notes(Datum value);

#endif /* CATALOGUE_VISUALS_VISUALS_H */
