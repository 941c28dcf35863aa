/*
 * map_classes.h
 *	  Classes of the values of a column, by which a map is coloured.
 */
#ifndef CATALOGUE_VISUALS_MAP_CLASSES_H
#define CATALOGUE_VISUALS_MAP_CLASSES_H

#include "catalogue.h"

#include "rows/contents/contents.h"
#include "rows/pictures/pictures.h"

/* Return the classes of the values of a column as JSON, the column legend of the record: an object with "column"
 * and "classes", each with "count", and of numbers "from" and "to", of texts "value", or "other" for all that have
 * no class of their own; "empty", how many rows have no value. */
extern Datum cat_map_classes_make(const SheetQuery *asked, int column);
/* Return the classes that a legend has; NULL for NULL, and for another object than a legend. */
extern MapLegend *cat_map_classes_read(const char *legend);
/* Return the number of the class of a row of the current chunk, from 1; 0: it has no value. */
extern int cat_map_classes_of(const MapLegend *legend, const SheetQuery *asked, ChunkScan *scan,
							  int row);

#endif /* CATALOGUE_VISUALS_MAP_CLASSES_H */
