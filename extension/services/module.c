/*
 * module.c
 *	  Initialization of the library.
 */
#include "catalogue.h"

#include "base/settings.h"
#include "call/call.h"
#include "files/files.h"
#include "history/history.h"
#include "pg/bulk_insert.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "visuals/visuals.h"
#include "write/write.h"

PG_MODULE_MAGIC;

/* Additions to changes of records, by resource. */
static const WriteHook write_hooks[] = {
	{"files", cat_file_record_protect, NULL},
	{"categories", cat_image_drop, NULL},
	{"restservices", NULL, cat_service_file_create},
	{"soapservices", NULL, cat_service_file_create},
};

/* Columns that are made from the rows of files. */
static const DerivedData derived_data[] = {
	{"maps",
	 {"file", "latitude_key", "longitude_key"},
	 {"properties"},
	 {"geojson", "correct", "incorrect"},
	 cat_map_keys_complete,
	 cat_map_points_make},
	{"charts", {"file", "data_series"}, {"type", "data_type"}, {"data"}, NULL, cat_chart_data_make},
};

void _PG_init(void);

void
_PG_init(void)
{
	cat_settings_init();
	cat_invalidation_init();
	cat_security_context_init();
	cat_registry_init();
	cat_bulk_default_init();
	cat_commit_time_init();
	cat_write_set_hooks(write_hooks, lengthof(write_hooks));
	cat_derived_set(derived_data, lengthof(derived_data));
}
