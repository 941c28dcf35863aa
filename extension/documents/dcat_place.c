/*
 * dcat_place.c
 *	  Places of optional values, which sources write in many ways.
 */
#include "catalogue.h"

#include "utils/array.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "documents/dcat_internal.h"

#define NUMBER "\\s*([-+]?\\d{1,3}(?:\\.\\d+)?)\\s*"
#define NUMBERS NUMBER "," NUMBER "," NUMBER "," NUMBER
#define EDGES 4 /* of a box: the least longitude and latitude, and the greatest */

static char *
box_of(char *const *edge)
{
	return psprintf("POLYGON((%s %s, %s %s, %s %s, %s %s, %s %s))", edge[0], edge[1], edge[2],
					edge[1], edge[2], edge[3], edge[0], edge[3], edge[0], edge[1]);
}

/* Set the edges of a box that box_of() has written; false for another text. */
static bool
read_box(const char *box, char **edge)
{
	return box && strncmp(box, "POLYGON((", 9) == 0 &&
		   cat_dcat_matches(
			   box,
			   "^POLYGON\\(\\(([-+]?\\d{1,3}(?:\\.\\d+)?) ([-+]?\\d{1,3}(?:\\.\\d+)?), "
			   "([-+]?\\d{1,3}(?:\\.\\d+)?) [^ ]+ [^ ]+ ([-+]?\\d{1,3}(?:\\.\\d+)?),",
			   edge, EDGES) &&
		   strcmp(box, box_of(edge)) == 0;
}

char *
cat_dcat_place_edges(const char *box)
{
	char *edge[EDGES];

	return read_box(box, edge) ? psprintf("%s,%s,%s,%s", edge[0], edge[1], edge[2], edge[3]) : NULL;
}

/* Return whether a text is WKT or GeoJSON. */
static bool
is_shape(const char *text)
{
	return cat_dcat_matches(text,
							"(?i)^\\s*(<[^<>\\s]*>\\s*|SRID=\\d+;\\s*)?(MULTI)?"
							"(POINT|LINESTRING|POLYGON|GEOMETRYCOLLECTION)\\s*(ZM?|M)?\\s*\\(",
							NULL, 0) ||
		   (*cat_one_line_trim(text) == '{' && strstr(text, "\"coordinates\""));
}

/* Return the place that a text says: a box, ENVELOPE of longitudes and latitudes, WKT, GeoJSON, an
 * address or a name. */
static Json *
place_of_text(const char *text)
{
	char *edge[EDGES];
	char *other[EDGES];

	/* most are names or addresses */
	if (!text || !strpbrk(text, "(,{"))
		return cat_dcat_text_term(text);
	if (cat_dcat_matches(text, "^" NUMBERS "$", edge, EDGES))
		return cat_dcat_texts("bbox", box_of(edge), NULL);
	if (cat_dcat_matches(text, "(?i)^\\s*ENVELOPE\\s*\\(" NUMBERS "\\)\\s*$", other, EDGES))
		return cat_dcat_texts("bbox", box_of((char *[]){other[0], other[3], other[1], other[2]}),
							  NULL);
	return is_shape(text)
			   ? cat_dcat_object("geometry", cat_dcat_add(NULL, cat_dcat_text(text)), NULL)
			   : cat_dcat_text_term(text);
}

/* Return texts as an array, NULL for NIL. */
static Json *
array_of(List *texts)
{
	Json *array = NULL;

	foreach_ptr(const char, text, texts)
		array = cat_dcat_add(array, cat_dcat_text(text));
	return array;
}

/* Return a place: a text, GeoJSON, or an object with @id, a name, bbox, centroid and geometry; NULL
 * if it is none. */
static Json *
place_of(const Json *value)
{
	const Json *outline = cat_dcat_get(value, "geometry");
	Json *place;

	if (!cat_dcat_is_object(value) || cat_dcat_get(value, "@value"))
		return place_of_text(cat_dcat_text_first(value));
	if (cat_dcat_get(value, "type") &&
		(cat_dcat_get(value, "coordinates") || cat_dcat_get(value, "geometries")))
		return cat_dcat_object("geometry", array_of(list_make1(cat_dcat_string(value))), NULL);
	place = cat_dcat_texts("iri", cat_rdf_iri(cat_dcat_member(value, "@id")), "label",
						   cat_dcat_text_name(value, "prefLabel label name title"), "bbox",
						   cat_dcat_text_first(cat_dcat_get(value, "bbox")), "centroid",
						   cat_dcat_text_first(cat_dcat_get(value, "centroid")), NULL);
	cat_dcat_set(place, "geometry",
				 array_of(cat_dcat_get(outline, "coordinates")
							  ? list_make1(cat_dcat_string(outline))
							  : cat_dcat_text_list(outline)));
	return place->val.object.nPairs > 0 ? place : NULL;
}

Json *
cat_dcat_place_list(Dcat *dcat, const Json *value)
{
	Json *places = NULL;

	foreach_ptr(const Json, one, cat_dcat_elements(value))
		places = cat_dcat_add(places, place_of(one));
	return places;
}

Json *
cat_dcat_place_us(const Json *place)
{
	const Json *box = cat_dcat_get(place, "bbox");
	Json *geometry = cat_dcat_get(place, "geometry");
	Json *shape = list_length(cat_dcat_elements(geometry)) == 1 ? cat_dcat_first(geometry) : NULL;
	char *edges = cat_dcat_place_edges(cat_dcat_string(box));
	Json *said;

	if (cat_dcat_copy(place)->val.object.nPairs == 1)
	{
		if (edges)
			return cat_dcat_text(edges);
		if (shape && *cat_one_line_trim(cat_dcat_string(shape)) == '{')
			return cat_dcat_ask("SELECT catalogue.dcat_geojson($1) WHERE $2 IS NULL",
								cat_dcat_string(shape), NULL);
		if (!box && (shape || !geometry) && !cat_dcat_get(place, "centroid"))
			return shape						? shape
				   : cat_dcat_get(place, "iri") ? cat_dcat_get(place, "iri")
												: cat_dcat_get(place, "label");
	}
	said = cat_dcat_form(place, "@id:iri prefLabel:label bbox:bbox centroid:centroid");
	cat_dcat_set(said, "geometry", shape ? shape : geometry);
	return said;
}

CAT_FUNCTION(catalogue_dcat_edge)
{
	char *edge[EDGES];

	if (!read_box(text_to_cstring(PG_GETARG_TEXT_PP(ARG_DCAT_EDGE_BBOX)), edge))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(cat_text_array_of_list(list_make4(edge[0], edge[1], edge[2], edge[3])));
}

CAT_FUNCTION(catalogue_dcat_box)
{
	List *edges = cat_text_array_list(PG_GETARG_DATUM(ARG_DCAT_BOX_EDGE));

	PG_RETURN_TEXT_P(cstring_to_text(box_of((char *[]){list_nth(edges, 0), list_nth(edges, 1),
													   list_nth(edges, 2), list_nth(edges, 3)})));
}
