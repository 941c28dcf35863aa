/*
 * visuals.h
 *	  Maps and charts: their data are made from rows of files.
 */
#ifndef CATALOGUE_VISUALS_VISUALS_H
#define CATALOGUE_VISUALS_VISUALS_H

#include "catalogue.h"

/* map_points.c */

/* Make geojson, correct and incorrect of a map from the file that it names, in a row by attribute
 * number less one.  strict: add an error for a column that the file does not have, raise OD409
 * where the file is not read yet and OD422 where it has too many rows; else the columns are null
 * in these cases. */
extern void cat_map_points_make(Resource *resource, Datum *values, bool *nulls, bool strict,
								List **errors);

/* map_keys.c */

/* Set the columns of the coordinates of a map of a geographic file, which are known, where the row
 * has neither these nor points of its own. */
extern void cat_map_keys_complete(Resource *resource, Datum *values, bool *nulls);

/* chart_data.c */

/* Make data of a chart from the file that it names; as cat_map_points_make(). */
extern void cat_chart_data_make(Resource *resource, Datum *values, bool *nulls, bool strict,
								List **errors);

#endif /* CATALOGUE_VISUALS_VISUALS_H */
