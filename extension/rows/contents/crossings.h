/*
 * crossings.h
 *	  How often the edges of areas cross each other.
 */
#ifndef CATALOGUE_CONTENTS_CROSSINGS_H
#define CATALOGUE_CONTENTS_CROSSINGS_H

#include "catalogue.h"

/* Count the edges of the areas of a geometry, which cat_wkt_binary() has written. */
extern int64 cat_crossings_edges(const char *wkb);
/* Whether they cross each other so often that GEOS would need more than 100 MB to repair it. */
extern bool cat_crossings_are_too_many(const char *wkb);

#endif /* CATALOGUE_CONTENTS_CROSSINGS_H */
