/*
 * library.c - GDAL and PROJ before the sandbox closes: drivers, options, errors.
 *
 * GDALAllRegister() would read configuration files and load plugins, and a driver may open other
 * files or addresses: only those below are there, and each file is opened by one of them.  One thread
 * does all, since another one would open the database of PROJ anew.
 */
#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>

#include "gdal/layers.h"
#include "text/text.h"

/* The headers of GDAL that declare these are C++. */
extern void RegisterOGRShape(void);
extern void RegisterOGRGeoPackage(void);
extern void RegisterOGRGML(void);
extern void RegisterOGRGPX(void);
extern void RegisterOGRTopoJSON(void);
extern void RegisterOGRFlatGeobuf(void);
extern void RegisterOGRTAB(void);
extern void RegisterOGRDXF(void);

static PJ_CONTEXT *context;
static char fault[200];
static bool faulty;

static void
take_error(CPLErr class, CPLErrorNum number, const char *text)
{
	(void) number;
	if (class < CE_Failure || faulty)
		return;
	faulty = true;
	snprintf(fault, sizeof(fault), "%s", text);
}

const char *
library_fault(void)
{
	return faulty ? fault : NULL;
}

void
library_forget(void)
{
	faulty = false;
	CPLErrorReset();
}

PJ_CONTEXT *
library_context(void)
{
	return context;
}

static void
set_options(void)
{
	static const char *const options[][2] = {
		{"GDAL_DRIVER_PATH", "disable"}, {"GDAL_NUM_THREADS", "1"}, {"PROJ_NETWORK", "OFF"}};

	for (size_t i = 0; i < lengthof(options); i++)
		CPLSetConfigOption(options[i][0], options[i][1]);
}

/* Have PROJ open its database, in its context for GDAL and in the one here. */
static void
open_projections(void)
{
	OGRSpatialReferenceH reference = OSRNewSpatialReference(NULL);
	PJ *system;

	OSRSetPROJEnableNetwork(0);
	(void) OSRImportFromEPSG(reference, 4326);
	OSRDestroySpatialReference(reference);
	context = proj_context_create();
	proj_context_set_enable_network(context, 0);
	proj_log_level(context, PJ_LOG_NONE);
	system = proj_create(context, "EPSG:4326");
	proj_destroy(system);
	grids_load(context);
}

void
library_prepare(const Options *options)
{
	static void (*const drivers[])(void) = {
		RegisterOGRShape,	 RegisterOGRGeoPackage, RegisterOGRGML, RegisterOGRGPX,
		RegisterOGRTopoJSON, RegisterOGRFlatGeobuf, RegisterOGRTAB, RegisterOGRDXF};

	set_options();
	CPLSetErrorHandler(take_error);
	for (size_t i = 0; i < lengthof(drivers); i++)
		drivers[i]();
	open_projections();
	encoding_prepare(options);
	encoding_prepare_xml(options);
}
