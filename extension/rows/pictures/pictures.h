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

#define WORD(text) text					  /* a text for people, in a table */
#define PICTURE_END ((const char *) NULL) /* behind what stands for the placeholders of a text */

/* A language of the texts and numbers of pictures. */
typedef struct PictureLanguage PictureLanguage;

/* A picture while it is drawn. */
typedef struct Canvas
{
	const PictureLanguage *language;
	StringInfoData out; /* the elements so far */
	double y;			/* where the next part begins */
} Canvas;

#define MAP_CLASSES 8 /* of a legend, at most */

/* Values that have one colour. */
typedef struct MapClass
{
	double from, to;   /* of numbers */
	const char *value; /* of texts; NULL: all others */
} MapClass;

/* What the colours of a map mean. */
typedef struct MapLegend
{
	const char *column;
	bool numbers;
	int count;
	MapClass classes[MAP_CLASSES];
} MapLegend;

/* A map to be drawn. */
typedef struct MapPicture
{
	const char *name;
	const char *description;
	const char *
		geojson; /* any JSON text; member "class" of a feature is the number of its class, from 1 */
	int points;	 /* how many there are, if more than are drawn */
	const MapLegend *legend; /* NULL: all features have one colour */
	const char *note;		 /* beneath the map; NULL: none */
	const PictureLanguage *language;
} MapPicture;

/* picture_words.c */

/* Return the language with a name, NULL if there is none; of NULL the one of the sources, English. */
extern const PictureLanguage *cat_picture_words_language(const char *name);
extern const char *cat_picture_words_name(const PictureLanguage *language);
/* Return a text, which is named by the English one.  Names of placeholders, in braces there, follow, each with what stands there, as
 * many as PICTURE_PLACEHOLDERS, and PICTURE_END. */
extern char *cat_picture_words_text(const PictureLanguage *language, const char *key, ...)
	__attribute__((sentinel));
/* Return the form of a text for a number of things, which stands for {count}. */
extern char *cat_picture_words_count(const PictureLanguage *language, int64 count,
									 const char *digits, const char *one, const char *several);

/* svg.c */

/* Append text with the characters of XML's and HTML's markup escaped, and without those that XML
 * does not permit. */
extern void cat_svg_text(StringInfo out, const char *text);
/* Begin a picture with its name as the headline; NULL for none. */
extern void cat_svg_begin(Canvas *canvas, const char *name, const PictureLanguage *language);
/* Append a line of text beneath what is drawn, or in its place. */
extern void cat_svg_note(Canvas *canvas, const char *text);
/* Append a picture with its title and description to the document. */
extern void cat_svg_end(StringInfo out, const Canvas *canvas, const char *name,
						const char *description);

/* map_picture.c */

/* Append a map as an SVG document. */
extern void cat_map_picture_draw(StringInfo out, const MapPicture *map);

#endif /* CATALOGUE_PICTURES_PICTURES_H */
