/*
 * ground.c
 *	  What lies beneath maps of a country or a city: land, borders of countries and provinces, and the
 *	  names of places.
 *
 * The parts of a cell are texts.  Lines are words with blanks between, as land.c describes them, whose
 * numbers are hundredths of a degree from the south west corner of the cell; a closed one is an edge of
 * land.  Places have semicolons between: the rank as a number, a word of one point, the name.  A
 * province has the rank of a city that is as conspicuous, and PROVINCE more.
 */
#include "catalogue.h"

#include <math.h>

#include "rows/pictures/pictures_internal.h"

#define UNIT 0.01
#define SPAN_LEAST \
	0.25		   /* degrees of longitude of a map that the edges of land are fine enough for */
#define PROVINCE 6 /* first rank of provinces */
#define PLACES_MOST 30		/* names on a map */
#define PLACE_DISTANCE 10.0 /* least distance of two names */
#define PLACE_ABOVE 6.0		/* from the place to the name, above it */
#define PLACE_EDGE 4.0		/* from the frame to a name */

/* The name of a place, and the room that it takes. */
typedef struct PlaceName
{
	int rank;
	char *name;
	double x, y; /* of the middle of its base */
	double width;
} PlaceName;

/* The cells of the world as the frame shows them: one that is shifted by degrees of longitude. */
typedef struct ShownCell
{
	const GroundCell *cell;
	double west, south;
} ShownCell;

/* Return the cells that the frame shows. */
static List *
shown_cells(const MapFrame *frame)
{
	List *shown = NIL;

	for (int i = 0; i < cat_ground_cells_count; i++)
		for (int shift = -360; shift <= 360; shift += 360)
		{
			const GroundCell *cell = &cat_ground_cells[i];
			ShownCell *found;

			if (cat_map_picture_x(frame, cell->west + shift + GROUND_CELL) < frame->left ||
				cat_map_picture_x(frame, cell->west + shift) > frame->right ||
				cat_map_picture_y(frame, cell->south + GROUND_CELL) > frame->bottom ||
				cat_map_picture_y(frame, cell->south) < frame->top)
				continue;
			found = palloc(sizeof(ShownCell));
			*found = (ShownCell){cell, cell->west + shift, cell->south};
			shown = lappend(shown, found);
		}
	return shown;
}

/* Append a part of the cells as one path with these attributes. */
static void
append_part(StringInfo out, const MapFrame *frame, List *cells, GroundPart part,
			const char *attributes)
{
	StringInfoData path;
	ListCell *lc;

	initStringInfo(&path);
	foreach(lc, cells)
	{
		const ShownCell *shown = lfirst(lc);
		const char *word = shown->cell->parts[part];

		for (; *word; word += strcspn(word, " "), word += *word == ' ')
			cat_land_path(&path, frame, word, shown->west, shown->south, UNIT,
						  part == GROUND_LAND ? 'Z' : '\0');
	}
	if (path.len > 0)
		appendStringInfo(out, "<path %s d=\"%s\"/>", attributes, path.data);
}

/* Append the land; of a place that is smaller than its edges are fine all is land. */
static void
append_land(StringInfo out, const MapFrame *frame, List *cells)
{
	if ((frame->right - frame->left) / (frame->scale * frame->stretch) >= SPAN_LEAST)
		append_part(out, frame, cells, GROUND_LAND,
					"class=\"land\" style=\"stroke:none;fill-rule:evenodd\"");
	else
		appendStringInfo(out, "<path class=\"land\" d=\"M%.1f %.1fH%.1fV%.1fH%.1fZ\"/>",
						 frame->left, frame->top, frame->right, frame->bottom, frame->left);
}

/* Return the next place of a cell, and advance behind it. */
static PlaceName
read_place(const char **text, const MapFrame *frame, const ShownCell *cell)
{
	PlaceName place = {.rank = cat_land_number(text)};
	double longitude = cat_land_number(text) * UNIT + cell->west;
	double latitude = cat_land_number(text) * UNIT + cell->south;
	size_t length = strcspn(*text, ";");

	place.x = cat_map_picture_x(frame, longitude);
	place.y = cat_map_picture_y(frame, latitude);
	place.name = pnstrdup(*text, length);
	place.width = cat_svg_width(place.name, LABEL_SIZE);
	*text += length + ((*text)[length] == ';');
	return place;
}

/* Move a name to where it is inside the frame; false if the place is not. */
static bool
fit_place(PlaceName *place, const MapFrame *frame)
{
	double half = place->width / 2 + PLACE_EDGE;

	if (place->x < frame->left || place->x > frame->right || place->y < frame->top ||
		place->y > frame->bottom - LABEL_SIZE)
		return false;
	place->x = Max(frame->left + half, Min(frame->right - half, place->x));
	place->y = Max(frame->top + PLACE_EDGE + LABEL_SIZE, place->y - PLACE_ABOVE);
	place->y = Min(frame->bottom - PLACE_EDGE - 2 * LABEL_SIZE, place->y);
	return true;
}

/* Return whether there is room for a name besides those that are there. */
static bool
has_room(const PlaceName *place, const PlaceName *taken, int count)
{
	for (int i = 0; i < count; i++)
		if (fabs(place->x - taken[i].x) < (place->width + taken[i].width) / 2 + PLACE_DISTANCE &&
			fabs(place->y - taken[i].y) < LABEL_SIZE + PLACE_DISTANCE)
			return false;
	return true;
}

/* Add the places of a rank in the cells for which there is room; return the number of all. */
static int
add_places(PlaceName *taken, int count, const MapFrame *frame, List *cells, int rank)
{
	ListCell *lc;

	foreach(lc, cells)
		for (GroundPart part = GROUND_GREAT_PLACES; part <= GROUND_SMALL_PLACES; part++)
		{
			const ShownCell *shown = lfirst(lc);
			const char *text = shown->cell->parts[part];

			while (*text && count < PLACES_MOST)
			{
				PlaceName place = read_place(&text, frame, shown);

				if (place.rank % PROVINCE == rank && fit_place(&place, frame) &&
					has_room(&place, taken, count))
					taken[count++] = place;
			}
		}
	return count;
}

/* Draw the names of places, the most conspicuous ones first. */
static void
draw_places(Canvas *canvas, const MapFrame *frame, List *cells)
{
	PlaceName taken[PLACES_MOST];
	int count = 0;

	for (int rank = 0; rank < PROVINCE; rank++)
		count = add_places(taken, count, frame, cells, rank);
	for (int i = 0; i < count; i++)
		cat_svg_label(canvas, taken[i].rank < PROVINCE ? "mid" : "soft mid", taken[i].x, taken[i].y,
					  taken[i].name);
}

void
cat_ground_draw(Canvas *canvas, const MapFrame *frame)
{
	List *cells = shown_cells(frame);

	cat_land_begin(&canvas->out, frame);
	append_land(&canvas->out, frame, cells);
	append_part(&canvas->out, frame, cells, GROUND_PROVINCES,
				"class=\"frame\" stroke-dasharray=\"4 3\"");
	append_part(&canvas->out, frame, cells, GROUND_BORDERS,
				"class=\"base\" stroke-opacity=\"0.6\"");
	appendStringInfoString(&canvas->out, "</svg>\n");
	draw_places(canvas, frame, cells);
	cat_svg_label(canvas, "soft end", frame->right - 4, frame->bottom - 5,
				  "Natural Earth, GeoNames");
}
