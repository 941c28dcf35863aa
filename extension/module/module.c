/*
 * module.c
 *	  The start of the library: hooks between folders, and which errors the server's log gets.
 */
#include "catalogue.h"

#include "access/xlog.h"
#include "tcop/tcopprot.h"

#include "base/settings.h"
#include "files/files.h"
#include "pg/pg.h"
#include "rows/visuals/visuals.h"
#include "select/select.h"

PG_MODULE_MAGIC;

/* Additions to changes of records, by resource. */
static const WriteHook write_hooks[] = {
	{"files", cat_file_record_protect, NULL},	   {"categories", cat_image_drop, NULL},
	{"organizations", cat_image_drop, NULL},	   {"restservices", NULL, cat_fetch_create_file},
	{"soapservices", NULL, cat_fetch_create_file},
};

/* Columns that are made from the rows of files. */
static const DerivedData derived_data[] = {
	{"maps",
	 {"file", "shapes"},
	 {{"file", "latitude_key", "longitude_key"}, {"file", "key", "shapes", "shapes_key"}},
	 {"properties", "color_key"},
	 {"geojson", "correct", "incorrect", "extent", "legend"},
	 cat_map_points_complete_keys,
	 cat_map_points_make,
	 NULL,
	 NULL},
	{"charts",
	 {"file"},
	 {{"file", "data_series"}},
	 {"type", "data_type"},
	 {"data"},
	 NULL,
	 cat_chart_read_make,
	 cat_chart_read_check,
	 cat_chart_read_notes},
};

/* The first three characters of an SQLSTATE, as MAKE_SQLSTATE() packs them. */
#define BEGINNING(state) ((state) & ((1 << 18) - 1))

static emit_log_hook_type next_log_hook;

/*
 * Tell who writes into the tables of the catalogue how to learn which field is at fault, if the
 * type of a column has refused a value: a domain, an enumeration or a length.  PostgreSQL converts
 * values before triggers see them, and does not say for which column.
 */
static void
add_hint(ErrorData *error)
{
	bool own = error->schema_name ? strcmp(error->schema_name, "catalogue") == 0
								  : debug_query_string && strstr(debug_query_string, "catalogue.");

	if (error->elevel != ERROR || error->hint || !own)
		return;
	if ((error->sqlerrcode == ERRCODE_CHECK_VIOLATION && error->datatype_name) ||
		(error->sqlerrcode == ERRCODE_INVALID_TEXT_REPRESENTATION &&
		 strstr(error->message, "enum catalogue.")) ||
		error->sqlerrcode == ERRCODE_STRING_DATA_RIGHT_TRUNCATION)
		error->hint = pstrdup(
			"catalogue.create() and catalogue.update() name the fields that are at fault, all at "
			"once; catalogue.describe() tells what each takes.");
}

/*
 * Return whether a standby refuses what only a primary can do: to write, to read an unlogged table, or to answer as of
 * an instant up to which it has not followed.
 */
static bool
is_of_standby(const ErrorData *error)
{
	return RecoveryInProgress() &&
		   (error->sqlerrcode == ERRCODE_READ_ONLY_SQL_TRANSACTION || error->sqlerrcode == OD503 ||
			(error->sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED && error->funcname &&
			 strcmp(error->funcname, "get_relation_info") == 0));
}

/*
 * Unless catalogue.log_refusals is on, keep what is wrong with a request out of the server's log:
 * SQLSTATEs that begin with OD4, and invalid data, such as a body that is not JSON; and what a standby refuses.
 */
static void
leave_out_refusal(ErrorData *error)
{
	if (!cat_log_refusals && error->elevel == ERROR &&
		(BEGINNING(error->sqlerrcode) == BEGINNING(OD400) ||
		 ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_DATA_EXCEPTION || is_of_standby(error)))
		error->output_to_server = false;
	add_hint(error);
	if (next_log_hook)
		next_log_hook(error);
}

void _PG_init(void);

void
_PG_init(void)
{
	next_log_hook = emit_log_hook;
	emit_log_hook = leave_out_refusal;
	cat_settings_init();
	cat_invalidation_init();
	cat_key_plan_init();
	cat_security_context_init();
	cat_registry_init();
	cat_bulk_insert_init();
	cat_select_scan_init();
	cat_commit_time_init();
	cat_write_set_hooks(write_hooks, lengthof(write_hooks));
	cat_derived_set(derived_data, lengthof(derived_data));
}
