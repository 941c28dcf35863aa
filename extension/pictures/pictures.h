/*
 * pictures.h
 *	  Charts and maps drawn as SVG.
 *
 * Nothing here reads a record: what is drawn is given.  Texts may be of any length and have any
 * characters; numbers may have any value.
 */
#ifndef CATALOGUE_PICTURES_PICTURES_H
#define CATALOGUE_PICTURES_PICTURES_H

#include "catalogue.h"

/* A chart to be drawn.  Texts that are NULL are left out. */
typedef struct ChartPicture
{
	const char *name;
	const char *description;
	const char *type;		  /* bar, pie, line, stackedbar or heatmap; any other one is a bar */
	const char *label_title;  /* what the labels are */
	const char *series_title; /* what the series are */
	const char *value_title;  /* what the values are */
	int nlabels;
	const char **labels;
	int nseries;
	const char **series; /* their names; NULL: there is one without a name */
	double *values;		 /* by series, then label; NaN for none */
} ChartPicture;

/* A map to be drawn. */
typedef struct MapPicture
{
	const char *name;
	const char *description;
	const char *geojson; /* any JSON text */
} MapPicture;

/* svg.c */

/* Append text with the characters of XML's and HTML's markup escaped, and without those that XML
 * does not permit. */
extern void cat_svg_text(StringInfo out, const char *text);

/* chart_picture.c */

/* Append a chart as an SVG document. */
extern void cat_chart_picture_draw(StringInfo out, const ChartPicture *chart);

/* map_picture.c */

/* Append a map as an SVG document. */
extern void cat_map_picture_draw(StringInfo out, const MapPicture *map);

#endif /* CATALOGUE_PICTURES_PICTURES_H */
