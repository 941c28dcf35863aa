/*
 * pictures_internal.h
 *	  Elements, numbers and labels of pictures, shapes of maps: used inside pictures/ only.
 *
 * Lengths and positions are in units of the picture, which are pixels at its natural size.
 */
#ifndef CATALOGUE_PICTURES_PICTURES_INTERNAL_H
#define CATALOGUE_PICTURES_PICTURES_INTERNAL_H

#include "catalogue.h"

#include "rows/pictures/pictures.h"

#define PICTURE_WIDTH 720.0
#define PICTURE_MARGIN 24.0
#define PICTURE_RIGHT (PICTURE_WIDTH - PICTURE_MARGIN)
#define LABEL_SIZE 12.0 /* of the font of labels */

#define PICTURE_PLACEHOLDERS 4 /* of a text */

struct PictureLanguage
{
	const char *name;
	const char *group; /* what separates thousands */
	const char *decimal;
	const char *short_group;		 /* what separates those of a number of four digits */
	size_t (*form)(unsigned long n); /* of a text, for a number of things */
	const char *const *texts;		 /* in the order of their keys */
};

/* picture_words.c */

/* The language that an argument of a function in SQL names. */
extern const PictureLanguage *cat_picture_words_argument(Datum argument);

/* svg.c */

/* Append a line of text.  classes: names of the style sheet, "" for none. */
extern void cat_svg_label(Canvas *canvas, const char *classes, double x, double y,
						  const char *text);
extern void cat_svg_line(Canvas *canvas, const char *classes, double x1, double y1, double x2,
						 double y2);
/* The least multiple of 1, 2 or 5 of a power of ten that is not less. */
extern double cat_svg_round_step(double least);
/* A value as text, palloc'd. */
extern char *cat_svg_scale_value(const PictureLanguage *language, double value);
/* Digits with the decimal point of a language. */
extern char *cat_svg_decimal(const PictureLanguage *language, const char *digits);
/* The width of a label, estimated. */
extern double cat_svg_width(const char *text, double size);

/* The part of Earth that is shown, and where. */
typedef struct MapFrame
{
	double west, south, east, north; /* of the shapes; east is beyond 180 across the antimeridian */
	double left, right, top, bottom; /* in the picture */
	double shown_west, shown_north;	 /* at the edges of the frame */
	double scale;					 /* length of a degree of latitude */
	double stretch;					 /* that of a degree of longitude, as a part of it */
} MapFrame;

/* map_picture.c */

typedef enum ShapeKind
{
	SHAPE_POINT,
	SHAPE_LINE,
	SHAPE_AREA
} ShapeKind;

/* One geometry: positions that follow each other. */
typedef struct Shape
{
	ShapeKind kind;
	int first, count;
	int class; /* of its feature, from 1; 0: none */
} Shape;

typedef struct MapPosition
{
	double longitude, latitude;
	bool begins; /* a line, or the edge of an area */
} MapPosition;

/* All geometries of a map. */
typedef struct MapShapes
{
	const MapLegend *legend; /* NULL: all shapes have one colour */
	Shape *list;
	int count, size;
	MapPosition *positions;
	int npositions, positions_size;
	int npoints; /* positions of points */
} MapShapes;

/* map_shapes.c */

/* Return the geometries of GeoJSON; what is not valid is left out. */
extern MapShapes cat_map_shapes_read(const char *geojson);

/* Where a longitude, which may be beyond 180, and a latitude are in the picture. */
extern double cat_map_picture_x(const MapFrame *frame, double longitude);
extern double cat_map_picture_y(const MapFrame *frame, double latitude);

/* land.c */

/* Draw the land in the frame; by the cells where the map is so narrow that its edges are too coarse. */
extern void cat_land_draw(Canvas *canvas, const MapFrame *frame);
/* Return the next number of a word, and advance behind it. */
extern int cat_land_number(const char **text);
/*
 * Append the line that a word describes, unless all of it is on one side of the frame, without points
 * that change nothing in the frame.
 *
 * west and south: where its coordinates are counted from, in degrees; unit: degrees of one; end: Z
 * for a closed line, NUL for another one.
 */
extern void cat_land_path(StringInfo path, const MapFrame *frame, const char *word, double west,
						  double south, double unit, char end);
/* Append the beginning of a drawing that is cut off at the frame; it ends by </svg>. */
extern void cat_land_begin(StringInfo out, const MapFrame *frame);

/* ground.c */

typedef enum GroundPart
{
	GROUND_LAND,
	GROUND_BORDERS,
	GROUND_PROVINCES,
	GROUND_GREAT_PLACES,
	GROUND_SMALL_PLACES,
	GROUND_PARTS
} GroundPart;

/* A part of Earth of GROUND_CELL degrees, which .ci/ground has made. */
typedef struct GroundCell
{
	int west, south;
	const char *parts[GROUND_PARTS];
} GroundCell;

#define GROUND_CELL 10

extern const GroundCell cat_ground_cells[];
extern const int cat_ground_cells_count;

/* Draw land, borders, provinces and the names of places in the frame, and say where they are from. */
extern void cat_ground_draw(Canvas *canvas, const MapFrame *frame);

#endif /* CATALOGUE_PICTURES_PICTURES_INTERNAL_H */
