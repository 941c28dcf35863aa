/*
 * system.c - systems of coordinates, and their conversion to WGS 84.
 *
 * PROJ would choose an operation for each point, so that a line gets steps where the areas of two
 * operations meet.  Here a layer has one operation: the best for its extent whose grids are there.
 */
#include <math.h>

#include <cpl_conv.h>

#include "gdal/layers.h"

#define METRES_TOLD 1.0 /* an accuracy that is worse is told */
#define IDENTIFIED 90	/* percent of confidence from which a system is one that PROJ knows */
#define CORNERS 4
#define NAME_MAXIMUM 128 /* bytes of a name of a system */
#define MARGIN 0.01		 /* degrees around an extent */

static bool
fits_degrees(const OGREnvelope *extent)
{
	return extent->MinX >= -180 && extent->MaxX <= 180 && extent->MinY >= -90 &&
		   extent->MaxY <= 90 && extent->MinX <= extent->MaxX;
}

/* Is a system one of no place on earth? */
static bool
is_nowhere(OGRSpatialReferenceH reference)
{
	const char *name = reference != NULL ? OSRGetName(reference) : NULL;

	return reference == NULL || name == NULL || OSRIsLocal(reference) ||
		   strncasecmp(name, "undefined", 9) == 0 || strncasecmp(name, "unknown", 7) == 0;
}

/* Make a system known to PROJ by its code, else by its definition. */
static PJ *
find_source(OGRSpatialReferenceH reference)
{
	static const char *const format[] = {"FORMAT=WKT2_2018", NULL};
	const char *authority = OSRGetAuthorityName(reference, NULL);
	const char *code = OSRGetAuthorityCode(reference, NULL);
	char text[100];
	char *definition = NULL;
	PJ *system;

	if (authority != NULL && code != NULL)
	{
		snprintf(text, sizeof(text), "%s:%s", authority, code);
		return proj_create(library_context(), text);
	}
	(void) OSRExportToWktEx(reference, &definition, format);
	system = definition != NULL ? proj_create(library_context(), definition) : NULL;
	CPLFree(definition);
	return system;
}

/* The reference with the code of the system that it nearly is, or itself; to be released. */
static OGRSpatialReferenceH
identify(OGRSpatialReferenceH reference)
{
	OGRSpatialReferenceH found = OSRClone(reference);
	OGRSpatialReferenceH *matches = NULL;
	int *confidence = NULL;
	int count = 0;

	(void) OSRStripVertical(found);
	if (OSRGetAuthorityCode(found, NULL) == NULL)
		matches = OSRFindMatches(found, NULL, &count, &confidence);
	if (count > 0 && confidence[0] >= IDENTIFIED)
	{
		OSRRelease(found);
		found = OSRClone(matches[0]);
	}
	OSRFreeSRSArray(matches);
	CPLFree(confidence);
	return found;
}

/* The first grid that an operation needs and that is not there; NULL: there is none. */
static const char *
missing_grid(const PJ *operation)
{
	int count = proj_coordoperation_get_grid_used_count(library_context(), operation);
	const char *name = NULL;
	int available = 1;

	for (int i = 0; i < count; i++)
		if (proj_coordoperation_get_grid_used(library_context(), operation, i, &name, NULL, NULL,
											  NULL, NULL, NULL, &available) &&
			!available)
			return name;
	return NULL;
}

/* The operations that are considered. */
typedef struct Choice
{
	PJ *operation;	 /* the best whose grids are there; NULL: none */
	double accuracy; /* in metres; below 0: not known */
	char grid[100];	 /* that a better one needs; empty: there is none */
	double better;	 /* the accuracy of that one */
} Choice;

static bool
take_operation(Choice *choice, PJ *operation)
{
	const char *grid = missing_grid(operation);
	double accuracy = proj_coordoperation_get_accuracy(library_context(), operation);

	if (grid != NULL)
	{
		if (choice->grid[0] == '\0')
		{
			snprintf(choice->grid, sizeof(choice->grid), "%s", grid);
			choice->better = accuracy;
		}
		return false;
	}
	choice->operation = proj_normalize_for_visualization(library_context(), operation);
	/* a projection alone has no accuracy */
	choice->accuracy = proj_coordoperation_has_ballpark_transformation(library_context(), operation)
						   ? -1
						   : fmax(accuracy, 0);
	return choice->operation != NULL;
}

/* Find the operation for an area, in degrees; NULL: for any. */
static Choice
choose(const PJ *source, const OGREnvelope *area)
{
	PJ_CONTEXT *context = library_context();
	PJ *target = proj_create(context, "EPSG:4326");
	PJ_OPERATION_FACTORY_CONTEXT *factory = proj_create_operation_factory_context(context, NULL);
	Choice choice = {0};
	PJ_OBJ_LIST *list;

	proj_operation_factory_context_set_spatial_criterion(
		context, factory, PROJ_SPATIAL_CRITERION_PARTIAL_INTERSECTION);
	proj_operation_factory_context_set_grid_availability_use(context, factory,
															 PROJ_GRID_AVAILABILITY_IGNORED);
	if (area != NULL)
		proj_operation_factory_context_set_area_of_interest(context, factory, area->MinX,
															area->MinY, area->MaxX, area->MaxY);
	list = proj_create_operations(context, source, target, factory);
	for (int i = 0; list != NULL && i < proj_list_get_count(list) && choice.operation == NULL; i++)
	{
		PJ *operation = proj_list_get(context, list, i);

		(void) take_operation(&choice, operation);
		proj_destroy(operation);
	}
	proj_list_destroy(list);
	proj_operation_factory_context_destroy(factory);
	proj_destroy(target);
	return choice;
}

bool
system_convert(const void *data, double *x, double *y, size_t count)
{
	const System *system = data;
	const size_t step = sizeof(double);

	proj_errno_reset(system->operation);
	(void) proj_trans_generic(system->operation, PJ_FWD, x, step, count, y, step, count, NULL, 0, 0,
							  NULL, 0, 0);
	for (size_t i = 0; i < count; i++)
	{
		if (!isfinite(x[i]) || !isfinite(y[i]))
			return false;
		x[i] += system->crossing && x[i] < 0 ? 360 : 0;
	}
	return true;
}

/* The extent in degrees, about; false if it has none.  Finds whether it crosses the antimeridian: both its western corners
 * are far in the east then. */
static bool
find_area(System *system, const OGREnvelope *extent, OGREnvelope *area)
{
	double x[CORNERS] = {extent->MinX, extent->MaxX, extent->MinX, extent->MaxX};
	double y[CORNERS] = {extent->MinY, extent->MinY, extent->MaxY, extent->MaxY};

	if (!(extent->MinX <= extent->MaxX) || !system_convert(system, x, y, CORNERS))
		return false;
	system->crossing = x[0] - x[1] > 180 && x[2] - x[3] > 180;
	*area = (OGREnvelope){x[0], x[0], y[0], y[0]};
	for (unsigned i = 0; i < CORNERS; i++)
	{
		/* an area of no size would be in that of every operation */
		area->MinX = fmin(area->MinX, x[i] - MARGIN);
		area->MaxX = fmax(area->MaxX, x[i] + MARGIN);
		area->MinY = fmin(area->MinY, y[i] - MARGIN);
		area->MaxY = fmax(area->MaxY, y[i] + MARGIN);
	}
	return fits_degrees(area);
}

/* Write what is to be told of the accuracy. */
static void
note_accuracy(System *system, const Choice *choice)
{
	if (choice->accuracy < 0)
		snprintf(system->note, sizeof(system->note),
				 "no conversion of \"%s\" to WGS 84 is known, so that places may be off by some "
				 "hundred metres",
				 system->name);
	else if (choice->grid[0] != '\0' && choice->accuracy - choice->better > METRES_TOLD)
		snprintf(
			system->note, sizeof(system->note),
			"the coordinates in \"%s\" were converted to WGS 84 within %g metres, since the grid "
			"%s is not installed",
			system->name, choice->accuracy, choice->grid);
	else if (choice->accuracy > METRES_TOLD)
		snprintf(system->note, sizeof(system->note),
				 "the coordinates in \"%s\" were converted to WGS 84 within %g metres",
				 system->name, choice->accuracy);
}

/* Find how the coordinates are converted. */
static void
find_operation(System *system, OGRSpatialReferenceH reference, const OGREnvelope *extent)
{
	PJ *source = find_source(reference);
	Choice choice = source != NULL ? choose(source, NULL) : (Choice){0};
	OGREnvelope area;

	system->operation = choice.operation;
	if (choice.operation != NULL && find_area(system, extent, &area))
	{
		Choice local = choose(source, &area);

		/* outside of the areas of all of them, one for any place is better than none */
		if (local.operation != NULL && (local.accuracy >= 0 || choice.accuracy < 0))
		{
			proj_destroy(choice.operation);
			choice = local;
			system->operation = local.operation;
		}
		else
			proj_destroy(local.operation);
	}
	if (system->operation != NULL)
	{
		system->kind = SYSTEM_OTHER;
		note_accuracy(system, &choice);
	}
	proj_destroy(source);
}

void
system_find(System *system, OGRSpatialReferenceH reference, const OGREnvelope *extent)
{
	OGRSpatialReferenceH found;
	const char *code;

	*system = (System){.kind = fits_degrees(extent) ? SYSTEM_DEGREES : SYSTEM_UNKNOWN};
	if (is_nowhere(reference))
		return;
	found = identify(reference);
	code = OSRGetAuthorityCode(found, NULL);
	system->kind = SYSTEM_FOREIGN;
	snprintf(system->name, sizeof(system->name), "%s", OSRGetName(reference));
	if (code != NULL && (strcmp(code, "4326") == 0 || strcmp(code, "CRS84") == 0))
		system->kind = SYSTEM_WGS84;
	else
		find_operation(system, found, extent);
	OSRRelease(found);
}

/* Is a name that of a system, rather than an address or a file that GDAL would open? */
static bool
is_name(const char *name)
{
	static const char *const starts[] = {"EPSG:",
										 "ESRI:",
										 "OGC:",
										 "urn:ogc:def:crs:",
										 "urn:x-ogc:def:crs:",
										 "http://www.opengis.net/def/crs/",
										 "https://www.opengis.net/def/crs/"};

	for (size_t i = 0; i < lengthof(starts); i++)
		if (strncasecmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* Keep the system of a code, as EPSG:25830, 25830 or urn:ogc:def:crs:EPSG::25830; false: there is none. */
static bool
import(OGRSpatialReferenceH reference, const char *name)
{
	bool digits = name[strspn(name, "0123456789")] == '\0';
	char text[NAME_MAXIMUM];

	snprintf(text, sizeof(text), "%s%s", digits ? "EPSG:" : "", name);
	/* the same, but for the order that the standard has */
	if (is_name(text) && strcasestr(text, ":CRS84") != NULL)
		return OSRImportFromEPSG(reference, 4326) == OGRERR_NONE;
	/* neither heights alone nor distances from the centre of the earth */
	return is_name(text) && OSRSetFromUserInput(reference, text) == OGRERR_NONE &&
		   (OSRIsProjected(reference) || OSRIsGeographic(reference));
}

static bool
find_named(FoundSystem *found, const char *name, const Bounds *bounds)
{
	static System system;
	const OGREnvelope extent = {bounds->west, bounds->east, bounds->south, bounds->north};
	OGRSpatialReferenceH reference = OSRNewSpatialReference(NULL);

	proj_destroy(system.operation);
	system = (System){.kind = SYSTEM_FOREIGN};
	*found = (FoundSystem){.name = system.name, .note = system.note, .area = {-180, -90, 180, 90}};
	if (import(reference, name))
	{
		system_find(&system, reference, &extent);
		system.crossing = false; /* tables have points */
		found->degrees = OSRIsGeographic(reference);
		(void) OSRGetAreaOfUse(reference, &found->area.west, &found->area.south, &found->area.east,
							   &found->area.north, NULL);
	}
	OSRRelease(reference);
	if (system.kind == SYSTEM_OTHER)
		found->system = &system;
	return system.kind == SYSTEM_OTHER || system.kind == SYSTEM_WGS84;
}

const Systems system_systems = {find_named, system_convert};
