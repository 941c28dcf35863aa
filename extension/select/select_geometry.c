/*
 * select_geometry.c
 *	  Functions of geometries in a client's statement.
 *
 * A statement finds those of schema catalogue_geometry only.  Each of them bounds what its call costs, and calls the
 * function of the same name that belongs to the extension postgis, which is looked up then, since it may come later than
 * this extension.  Their types are those of PostGIS in form, but not for PostgreSQL: without casts, operators and ways
 * to sort them, and without a form as text, there is nothing else to do with their values.
 *
 * Values are made here, so that they are points, lines, areas and collections of them in degrees of WGS 84: no system of
 * coordinates is looked up, and there are no curves, heights and infinite numbers.
 *
 * All but ST_Centroid end in PostGIS's own library, whose memory is PostgreSQL's.  GEOS, a library in C++, is called
 * for that one only, since its predicates take the square of the number of corners, in memory too.
 */
#include "catalogue.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "base/base.h"
#include "base/body.h"
#include "rows/contents/places.h"
#include "rows/sheets/wkt.h"
#include "select/select_internal.h"

#define SCHEMA "catalogue_geometry"

#define LONGITUDE_MOST 360.0
#define LATITUDE_MOST 90.0
#define DIGITS_MOST 15

/* Most pairs of corners of two geometries that are compared: 0.05 s in the plane, 0.1 s on the Earth. */
#define PAIRS_MAX 1000000
#define PAIRS_ON_EARTH_MAX 20000

/* Bytes in front of the corners, and of each corner, in PostGIS's form. */
#define HEAD_BYTES 32
#define CORNER_BYTES 16

/* Memory of GEOS for a geometry: bytes of each corner, and besides. */
#define GEOS_CORNER_BYTES 256
#define GEOS_BYTES (8 * 1024 * 1024)

/* Texts whose geometry is kept by one call of a statement, which a join asks for again and again: how many, and bytes of
 * all. */
#define KNOWN_MOST 8192
#define KNOWN_BYTES (8 * 1024 * 1024)
#define KNOWN_PLACES 8 /* of one text */
#define SAMPLE_BYTES 64

#define ARGUMENTS_MOST 4

/* Positions of arguments, of which several functions have the same. */
enum
{
	ONE,
	OTHER,
	THIRD,
	FOURTH,
	FIFTH
};

#define WITHOUT_POSTGIS \
	"functions of geometries need PostGIS: install it, and call catalogue.add_geography()"

/* Arguments that a statement does not give: of a function, whose first argument has a type, from a position on. */
static const struct Default
{
	const char *name;
	const char *type;
	int position;
	Oid value_type;
	int value;
} defaults[] = {
	{"st_area", "geography", 1, BOOLOID, true},
	{"st_length", "geography", 1, BOOLOID, true},
	{"st_perimeter", "geography", 1, BOOLOID, true},
	{"st_distance", "geography", 2, BOOLOID, true},
	{"st_dwithin", "geography", 3, BOOLOID, true},
	{"st_asgeojson", "geometry", 1, INT4OID, 9},
	/* without a crs */
	{"st_asgeojson", "geometry", 2, INT4OID, 0},
};

/* A text that was read, and its geometry. */
typedef struct Known
{
	struct varlena *text;
	Datum geometry;
} Known;

/* What PostGIS offers to one call in a statement, while it is executed. */
typedef struct Offer
{
	const char *name; /* of the function */
	PostGIS postgis;
	bool on_earth;				  /* the first argument is of type geography */
	int given;					  /* arguments of the statement, */
	int count;					  /* and with those that it does not give */
	Oid types[ARGUMENTS_MOST];	  /* of PostGIS's function */
	Datum values[ARGUMENTS_MOST]; /* of those that the statement does not give */
	FmgrInfo main;
	FmgrInfo from;		/* WKB */
	FmgrInfo type_name; /* those below are looked up where they are needed */
	FmgrInfo overlaps;
	FmgrInfo within;
	Known *known; /* texts; NULL: none yet */
	Size known_bytes;
} Offer;

bool
cat_select_geometry_is_function(Oid function)
{
	return get_func_namespace(function) == get_namespace_oid(SCHEMA, true) &&
		   cat_select_postgis_is_member(ProcedureRelationId, function, "catalogue");
}

static bool
is_geometry(const PostGIS *postgis, Oid type)
{
	return type == postgis->geometry || type == postgis->geography;
}

/* Set the types of the arguments to those of PostGIS. */
static void
set_types(Offer *offer, const Oid *types)
{
	const PostGIS *postgis = &offer->postgis;

	for (int i = 0; i < Min(offer->given, ARGUMENTS_MOST); i++)
	{
		char *type = format_type_extended(types[i], -1, FORMAT_TYPE_FORCE_QUALIFY);

		offer->types[i] = strcmp(type, SCHEMA ".geometry") == 0	   ? postgis->geometry
						  : strcmp(type, SCHEMA ".geography") == 0 ? postgis->geography
																   : types[i];
	}
	offer->on_earth = offer->given > 0 && offer->types[0] == postgis->geography;
}

static void
add_defaults(Offer *offer)
{
	const char *type = offer->on_earth ? "geography" : "geometry";

	offer->count = offer->given;
	for (size_t i = 0; i < lengthof(defaults); i++)
	{
		const struct Default *missing = &defaults[i];

		if (missing->position != offer->count || strcmp(missing->name, offer->name) != 0 ||
			strcmp(missing->type, type) != 0)
			continue;
		offer->types[offer->count] = missing->value_type;
		offer->values[offer->count++] = Int32GetDatum(missing->value);
	}
}

/* Return what PostGIS offers to this call, which lasts as long as the statement. */
static Offer *
find_offer(FunctionCallInfo fcinfo)
{
	FmgrInfo *called = fcinfo->flinfo;
	MemoryContext old;
	Offer *offer;
	Oid *types;

	if (called->fn_extra)
		return called->fn_extra;
	old = MemoryContextSwitchTo(called->fn_mcxt);
	offer = palloc0(sizeof(Offer));
	if (!cat_select_postgis_find(&offer->postgis))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg(WITHOUT_POSTGIS)));
	offer->name = get_func_name(called->fn_oid);
	get_func_signature(called->fn_oid, &types, &offer->given);
	set_types(offer, types);
	add_defaults(offer);
	MemoryContextSwitchTo(old);
	called->fn_extra = offer;
	return offer;
}

/* Find the function of the same name. */
static void
find_main(FunctionCallInfo fcinfo, Offer *offer)
{
	if (!OidIsValid(offer->main.fn_oid))
		cat_select_postgis_function(&offer->main, &offer->postgis, offer->name, offer->types,
									offer->count, fcinfo->flinfo->fn_mcxt);
}

/* ---- Limits ---- */

/* Return about how many corners a geometry has, by its bytes. */
static int64
corners_of(Datum geometry)
{
	return Max(((int64) toast_raw_datum_size(geometry) - HEAD_BYTES) / CORNER_BYTES, 1);
}

static void
check_corners(const Offer *offer, Datum geometry)
{
	if (corners_of(geometry) > PLACES_CORNERS_MOST)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("%s takes geometries of %d corners at most", offer->name,
							   PLACES_CORNERS_MOST)));
}

static void
check_pairs(const Offer *offer, Datum one, Datum other)
{
	int64 most = offer->on_earth ? PAIRS_ON_EARTH_MAX : PAIRS_MAX;

	if (corners_of(one) * corners_of(other) > most)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s takes geometries whose numbers of corners have a product of " INT64_FORMAT
					" at most, not of " INT64_FORMAT " and " INT64_FORMAT " corners",
					offer->name, most, corners_of(one), corners_of(other))));
}

/* Copy the arguments of a call behind which those stand that it does not give, and check them. */
static void
take_arguments(FunctionCallInfo fcinfo, const Offer *offer, Datum *values)
{
	memcpy(values, offer->values, sizeof(offer->values));
	for (int i = 0; i < offer->given; i++)
	{
		values[i] = PG_GETARG_DATUM(i);
		if (is_geometry(&offer->postgis, offer->types[i]))
			check_corners(offer, values[i]);
		if (offer->types[i] == FLOAT8OID && !(DatumGetFloat8(values[i]) >= 0))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("%s takes a distance of 0 at least", offer->name)));
		if (offer->types[i] == INT4OID &&
			(DatumGetInt32(values[i]) < 0 || DatumGetInt32(values[i]) > DIGITS_MOST))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s takes a number of digits from 0 to %d", offer->name, DIGITS_MOST)));
	}
	if (offer->given > 1 && is_geometry(&offer->postgis, offer->types[1]))
		check_pairs(offer, values[0], values[1]);
}

/* Call the function of PostGIS of the same name. */
static Datum
call_main(FunctionCallInfo fcinfo, Offer *offer)
{
	Datum values[ARGUMENTS_MOST];

	take_arguments(fcinfo, offer, values);
	find_main(fcinfo, offer);
	return cat_select_postgis_call(&offer->main, offer->count, values, &fcinfo->isnull);
}

CAT_FUNCTION(catalogue_geometry_call)
{
	return call_main(fcinfo, find_offer(fcinfo));
}

/* ST_Centroid(): GEOS has memory besides what the statement may use, so that no allocation in it fails. */
CAT_FUNCTION(catalogue_geometry_centroid)
{
	Offer *offer = find_offer(fcinfo);
	int64 corners = corners_of(PG_GETARG_DATUM(ONE));
	volatile Datum result = (Datum) 0;
	uint64 former;

	check_corners(offer, PG_GETARG_DATUM(ONE));
	former = cat_select_limits_raise((uint64) corners * GEOS_CORNER_BYTES + GEOS_BYTES);
	PG_TRY();
	{
		result = call_main(fcinfo, offer);
	}
	PG_FINALLY();
	{
		cat_select_limits_lower(former);
	}
	PG_END_TRY();
	return result;
}

/* ---- Values ---- */

static void
check_system(const Offer *offer, int32 srid)
{
	if (srid != CAT_SELECT_SRID)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s takes SRID %d only, degrees of WGS 84, not %d", offer->name,
							   CAT_SELECT_SRID, srid)));
}

static void
check_position(const Offer *offer, double longitude, double latitude)
{
	if (!(fabs(longitude) <= LONGITUDE_MOST && fabs(latitude) <= LATITUDE_MOST))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s takes longitudes and latitudes in degrees, not %g, %g",
							   offer->name, longitude, latitude)));
}

/* Return a geometry that is written as WKB.  PostGIS's function that takes both is one in SQL. */
static Datum
make_geometry(FunctionCallInfo fcinfo, Offer *offer, StringInfo binary)
{
	const Oid types[] = {offer->postgis.geometry, INT4OID};
	const Oid bytes = BYTEAOID;
	Datum values[] = {PointerGetDatum(cstring_to_text_with_len(binary->data, binary->len)),
					  Int32GetDatum(CAT_SELECT_SRID)};

	if (!OidIsValid(offer->main.fn_oid))
	{
		MemoryContext memory = fcinfo->flinfo->fn_mcxt;

		cat_select_postgis_function(&offer->from, &offer->postgis, "st_geomfromwkb", &bytes, 1,
									memory);
		cat_select_postgis_function(&offer->main, &offer->postgis, "st_setsrid", types,
									lengthof(types), memory);
	}
	values[0] = cat_select_postgis_call(&offer->from, 1, values, &fcinfo->isnull);
	values[0] = cat_select_postgis_call(&offer->main, lengthof(types), values, &fcinfo->isnull);
	check_corners(offer, values[0]);
	return values[0];
}

/* Return the geometry of a text. */
static Datum
read_text(FunctionCallInfo fcinfo, Offer *offer, const char *text, int length)
{
	const int shown = pg_mbcliplen(text, length, 40);
	StringInfo binary = makeStringInfo();
	const char *fault = cat_wkt_binary(binary, text, length, NULL);

	if (fault)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("\"%.*s%s\" %s: %s takes texts such as POINT (-58.4 -34.6), longitude first",
					shown, text, shown < length ? "..." : "", fault, offer->name)));
	return make_geometry(fcinfo, offer, binary);
}

static bool
is_known(const Known *known, const char *text, int length)
{
	return known->text && (int) VARSIZE_ANY_EXHDR(known->text) == length &&
		   memcmp(VARDATA_ANY(known->text), text, (size_t) length) == 0;
}

/* Return the place of a text among those that are known, which depends on its beginning and its end; another text may
 * be there. */
static Known *
find_known(FunctionCallInfo fcinfo, Offer *offer, const char *text, int length)
{
	const int sample = Min(length, SAMPLE_BYTES);
	uint32 hash = hash_bytes((const unsigned char *) text, sample);
	Known *first;

	if (!offer->known)
		offer->known = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt,
											  sizeof(Known) * (KNOWN_MOST + KNOWN_PLACES));
	hash = hash_combine(hash, hash_bytes((const unsigned char *) text + length - sample, sample));
	first = &offer->known[hash_combine(hash, (uint32) length) % KNOWN_MOST];
	for (Known *known = first; known < first + KNOWN_PLACES; known++)
		if (!known->text || is_known(known, text, length))
			return known;
	return first;
}

/* Keep a text and its geometry in a place, in which there may be another one. */
static void
keep_known(FunctionCallInfo fcinfo, Offer *offer, Known *known, const char *text, int length,
		   Datum geometry)
{
	MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

	if (known->text)
	{
		offer->known_bytes -= VARSIZE(known->text) + VARSIZE(DatumGetPointer(known->geometry));
		pfree(known->text);
		pfree(DatumGetPointer(known->geometry));
		known->text = NULL;
	}
	if (offer->known_bytes + (Size) length + VARSIZE(DatumGetPointer(geometry)) < KNOWN_BYTES)
	{
		known->geometry = datumCopy(geometry, false, -1);
		known->text = cstring_to_text_with_len(text, length);
		offer->known_bytes += VARSIZE(known->text) + VARSIZE(DatumGetPointer(known->geometry));
	}
	MemoryContextSwitchTo(old);
}

/* ST_GeomFromText(text, [integer]); null for a text without signs, as cells of rows without a place are. */
CAT_FUNCTION(catalogue_geometry_text)
{
	Offer *offer = find_offer(fcinfo);
	const text *value = PG_GETARG_TEXT_PP(ONE);
	const char *text = VARDATA_ANY(value);
	int length = (int) VARSIZE_ANY_EXHDR(value);
	Known *known;
	Datum geometry;

	if (PG_NARGS() > OTHER)
		check_system(offer, PG_GETARG_INT32(OTHER));
	if (length == 0)
		PG_RETURN_NULL();
	known = find_known(fcinfo, offer, text, length);
	if (is_known(known, text, length))
		return known->geometry;
	geometry = read_text(fcinfo, offer, text, length);
	keep_known(fcinfo, offer, known, text, length, geometry);
	return geometry;
}

/* ST_MakePoint(float8, float8), ST_Point(float8, float8, [integer]) */
CAT_FUNCTION(catalogue_geometry_point)
{
	Offer *offer = find_offer(fcinfo);
	double longitude = PG_GETARG_FLOAT8(ONE);
	double latitude = PG_GETARG_FLOAT8(OTHER);
	StringInfo binary = makeStringInfo();

	if (PG_NARGS() > THIRD)
		check_system(offer, PG_GETARG_INT32(THIRD));
	check_position(offer, longitude, latitude);
	cat_wkt_binary_point(binary, longitude, latitude);
	return make_geometry(fcinfo, offer, binary);
}

/* ST_MakeEnvelope(float8, float8, float8, float8, [integer]) */
CAT_FUNCTION(catalogue_geometry_envelope)
{
	Offer *offer = find_offer(fcinfo);
	double west = PG_GETARG_FLOAT8(ONE);
	double south = PG_GETARG_FLOAT8(OTHER);
	double east = PG_GETARG_FLOAT8(THIRD);
	double north = PG_GETARG_FLOAT8(FOURTH);
	char *text;

	if (PG_NARGS() > FIFTH)
		check_system(offer, PG_GETARG_INT32(FIFTH));
	check_position(offer, west, south);
	check_position(offer, east, north);
	text = psprintf("POLYGON ((%.17g %.17g, %.17g %.17g, %.17g %.17g, %.17g %.17g, %.17g %.17g))",
					west, south, west, north, east, north, east, south, west, south);
	return read_text(fcinfo, offer, text, (int) strlen(text));
}

/* ST_SetSRID(geometry, integer): all have the only system already. */
CAT_FUNCTION(catalogue_geometry_system)
{
	check_system(find_offer(fcinfo), PG_GETARG_INT32(OTHER));
	PG_RETURN_DATUM(PG_GETARG_DATUM(ONE));
}

/* ---- Predicates ---- */

typedef enum Shape
{
	SHAPE_OTHER,
	SHAPE_POINT,
	SHAPE_AREA
} Shape;

/* Return what a geometry is: only points, or only areas. */
static Shape
shape_of(FunctionCallInfo fcinfo, Offer *offer, Datum geometry)
{
	bool isnull;
	char *name;

	if (!OidIsValid(offer->type_name.fn_oid))
		cat_select_postgis_function(&offer->type_name, &offer->postgis, "st_geometrytype",
									&offer->postgis.geometry, 1, fcinfo->flinfo->fn_mcxt);
	name = TextDatumGetCString(cat_select_postgis_call(&offer->type_name, 1, &geometry, &isnull));
	if (strcmp(name, "ST_Point") == 0 || strcmp(name, "ST_MultiPoint") == 0)
		return SHAPE_POINT;
	return strcmp(name, "ST_Polygon") == 0 || strcmp(name, "ST_MultiPolygon") == 0 ? SHAPE_AREA
																				   : SHAPE_OTHER;
}

/* Return whether the rectangles of two geometries have a place in common. */
static bool
boxes_overlap(FunctionCallInfo fcinfo, Offer *offer, const Datum *values)
{
	bool isnull;

	if (!OidIsValid(offer->overlaps.fn_oid))
		cat_select_postgis_function(&offer->overlaps, &offer->postgis, "geometry_overlaps",
									offer->types, 2, fcinfo->flinfo->fn_mcxt);
	return DatumGetBool(cat_select_postgis_call(&offer->overlaps, 2, values, &isnull));
}

/* Return whether two geometries have a distance of 0. */
static Datum
touch(FunctionCallInfo fcinfo, Offer *offer, const Datum *two)
{
	const Oid types[] = {offer->postgis.geometry, offer->postgis.geometry, FLOAT8OID};
	const Datum values[] = {two[0], two[1], Float8GetDatum(0)};

	if (!OidIsValid(offer->within.fn_oid))
		cat_select_postgis_function(&offer->within, &offer->postgis, "st_dwithin", types,
									lengthof(types), fcinfo->flinfo->fn_mcxt);
	return cat_select_postgis_call(&offer->within, lengthof(types), values, &fcinfo->isnull);
}

/* Call a predicate of points and areas, which PostGIS answers without GEOS. */
static Datum
call_predicate(FunctionCallInfo fcinfo, Offer *offer, const Datum *values)
{
	find_main(fcinfo, offer);
	return cat_select_postgis_call(&offer->main, 2, values, &fcinfo->isnull);
}

/* ST_Intersects(geometry, geometry) */
CAT_FUNCTION(catalogue_geometry_intersects)
{
	Offer *offer = find_offer(fcinfo);
	const Datum values[] = {PG_GETARG_DATUM(ONE), PG_GETARG_DATUM(OTHER)};
	Shape one;
	Shape other;

	if (!boxes_overlap(fcinfo, offer, values))
		PG_RETURN_BOOL(false);
	check_pairs(offer, values[0], values[1]);
	one = shape_of(fcinfo, offer, values[0]);
	other = shape_of(fcinfo, offer, values[1]);
	if ((one == SHAPE_POINT && other == SHAPE_AREA) || (one == SHAPE_AREA && other == SHAPE_POINT))
		return call_predicate(fcinfo, offer, values);
	return touch(fcinfo, offer, values);
}

/* Return whether a point is in an area; the area has the given position among the arguments. */
static Datum
contain(FunctionCallInfo fcinfo, int area)
{
	Offer *offer = find_offer(fcinfo);
	const Datum values[] = {PG_GETARG_DATUM(ONE), PG_GETARG_DATUM(OTHER)};

	if (!boxes_overlap(fcinfo, offer, values))
		PG_RETURN_BOOL(false);
	if (shape_of(fcinfo, offer, values[area]) != SHAPE_AREA ||
		shape_of(fcinfo, offer, values[OTHER - area]) != SHAPE_POINT)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s takes %s: make a point of another geometry by ST_Centroid, or use "
					"ST_Intersects",
					offer->name, area == OTHER ? "a point and an area" : "an area and a point")));
	check_pairs(offer, values[0], values[1]);
	return call_predicate(fcinfo, offer, values);
}

/* ST_Within(geometry, geometry), ST_CoveredBy(geometry, geometry) */
CAT_FUNCTION(catalogue_geometry_within)
{
	return contain(fcinfo, OTHER);
}

/* ST_Contains(geometry, geometry), ST_Covers(geometry, geometry) */
CAT_FUNCTION(catalogue_geometry_contains)
{
	return contain(fcinfo, ONE);
}

/* ---- Types ---- */

/* The input of both types, which a literal or a cast asks for. */
CAT_FUNCTION(catalogue_geometry_in)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					errmsg("a text is no geometry: ST_GeomFromText makes one of it")));
}

/* The output of both types, which a column of the result or a cast asks for. */
CAT_FUNCTION(catalogue_geometry_out)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("a geometry is no text: use ST_AsText or ST_AsGeoJSON")));
}

/* ---- The beginning of a statement ---- */

void
cat_select_geometry_begin(List **faults)
{
	PostGIS postgis;

	if (cat_select_postgis_find(&postgis))
		cat_select_postgis_load(&postgis);
	else
		cat_validation_error_add(faults, "sql", "permitted", NULL, WITHOUT_POSTGIS);
}
