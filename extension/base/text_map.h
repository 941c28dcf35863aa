/*
 * text_map.h
 *	  Hash tables by text.
 */
#ifndef CATALOGUE_BASE_TEXT_MAP_H
#define CATALOGUE_BASE_TEXT_MAP_H

#include "catalogue.h"

#include "utils/hsearch.h"

/* Return a table in the current memory context.  Its entries of this size begin with the text, a const char *, which
 * must live as long as the table. */
extern HTAB *cat_text_map(const char *name, Size entry);

#endif /* CATALOGUE_BASE_TEXT_MAP_H */
