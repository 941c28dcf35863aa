/*
 * pictures.h
 *	  Maps drawn as SVG, and the documents that charts become.
 *
 * Nothing here reads a record: what is drawn is given.  Texts may be of any length and have any
 * characters; numbers may have any value.
 *
 *	  Decisions: docs/explanation/decisions.md#extensionrowspictures
 */
#ifndef CATALOGUE_PICTURES_PICTURES_H
#define CATALOGUE_PICTURES_PICTURES_H

#include "catalogue.h"

/* A picture while it is drawn. */
typedef struct Canvas
{
	StringInfoData out; /* the elements so far */
	double y;			/* where the next part begins */
} Canvas;

/* A map to be drawn. */
typedef struct MapPicture
{
	const char *name;
	const char *description;
	const char *geojson; /* any JSON text */
	const char *note;	 /* beneath the map; NULL: none */
} MapPicture;

/* svg.c */

/* Append text with the characters of XML's and HTML's markup escaped, and without those that XML
 * does not permit. */
extern void cat_svg_text(StringInfo out, const char *text);
/* Begin a picture with its name as the headline; NULL for none. */
extern void cat_svg_begin(Canvas *canvas, const char *name);
/* Append a line of text beneath what is drawn, or in its place. */
extern void cat_svg_note(Canvas *canvas, const char *text);
/* Append a picture with its title and description to the document. */
extern void cat_svg_end(StringInfo out, const Canvas *canvas, const char *name,
						const char *description);

/* map_picture.c */

/* Append a map as an SVG document. */
extern void cat_map_picture_draw(StringInfo out, const MapPicture *map);

#endif /* CATALOGUE_PICTURES_PICTURES_H */
