/*
 * pictures_internal.h
 *	  Elements, numbers and labels of pictures: used inside pictures/ only.
 *
 * Lengths and places are in units of the picture, which are pixels at its natural size.
 */
#ifndef CATALOGUE_PICTURES_PICTURES_INTERNAL_H
#define CATALOGUE_PICTURES_PICTURES_INTERNAL_H

#include "catalogue.h"

#include "pictures/pictures.h"

#define PICTURE_WIDTH 720.0
#define PICTURE_MARGIN 24.0
#define PICTURE_RIGHT (PICTURE_WIDTH - PICTURE_MARGIN)
#define LABEL_SIZE 12.0 /* of the font of labels */

/* svg.c */

/* Append a line of text.  classes: names of the style sheet, "" for none. */
extern void cat_svg_label(Canvas *canvas, const char *classes, double x, double y,
						  const char *text);
extern void cat_svg_line(Canvas *canvas, const char *classes, double x1, double y1, double x2,
						 double y2);
/* Append a line of text in place of what cannot be drawn. */
extern void cat_svg_nothing(Canvas *canvas, const char *text);
/* The least multiple of 1, 2 or 5 of a power of ten that is not less. */
extern double cat_round_step(double least);
/* A value as text, palloc'd. */
extern char *cat_scale_value(double value);
/* The width of a text, estimated since fonts differ. */
extern double cat_label_width(const char *text, double size);
/* A text that is no wider, cut and ended by an ellipsis if needed; palloc'd. */
extern char *cat_label_fit(const char *text, double size, double width);

#endif /* CATALOGUE_PICTURES_PICTURES_INTERNAL_H */
