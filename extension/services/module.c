/*
 * module.c
 *	  The module's start, creation of its tables, removal of all records of a resource, monitoring.
 */
#include "catalogue.h"

#include <sys/stat.h>

#include "miscadmin.h"
#include "storage/fd.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/rel.h"

#include "base/settings.h"
#include "files/files.h"
#include "pg/pg.h"
#include "rows/visuals/visuals.h"

/* Return the text of a file of the extension, palloc'd.  Raises an error if it cannot be read. */
static char *
read_installed(const char *name)
{
	char share[MAXPGPATH];
	char *path;
	struct stat status;
	FILE *file;
	char *text;

	get_share_path(my_exec_path, share);
	path = psprintf("%s/extension/%s", share, name);
	file = AllocateFile(path, "r");
	if (!file || fstat(fileno(file), &status) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not read file \"%s\": %m", path)));
	text = palloc(status.st_size + 1);
	if (fread(text, 1, status.st_size, file) != (size_t) status.st_size)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not read file \"%s\": %m", path)));
	text[status.st_size] = '\0';
	FreeFile(file);
	return text;
}

static void
run(const char *sql)
{
	int result;

	SPI_connect();
	result = SPI_execute(sql, false, 0);
	if (result < 0)
		elog(ERROR, "could not make the tables: %s", SPI_result_code_string(result));
	SPI_finish();
}

/* Return the name of the file of the tables that the installed SQL is for, palloc'd. */
static char *
tables_file(void)
{
	MemoryContext context = CurrentMemoryContext;
	char *version;

	SPI_connect();
	if (SPI_execute("SELECT e.extversion FROM pg_catalog.pg_extension e "
					"WHERE e.extname = 'catalogue'",
					true, 1) != SPI_OK_SELECT ||
		SPI_processed != 1)
		elog(ERROR, "could not read the version of the extension");
	version = cat_result_text(1);
	version = MemoryContextStrdup(context, version);
	SPI_finish();
	return psprintf("catalogue-tables--%s.sql", version);
}

CAT_FUNCTION(catalogue_bootstrap)
{
	int path = cat_security_context_pin();
	int nest = NewGUCNestLevel();

	/* suppress "already exists, skipping" in repeated calls */
	set_config_option("client_min_messages", "warning", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
					  true, 0, false);
	run(read_installed(tables_file()));
	AtEOXact_GUC(true, nest);
	run("SELECT catalogue.announce_upkeep()");
	cat_security_context_unpin(path);
	PG_RETURN_VOID();
}

/* After TRUNCATE of an append-only resource, recount its rows and log the removal. */
static void
follow_truncation(Relation table, const Resource *resource)
{
	int nest;

	cat_action_log_require_owner(table);
	nest = cat_security_context_pin();
	SPI_connect();
	cat_statement_fresh("SELECT catalogue.recount($1)", text_param(resource->name));
	cat_action_log_all_removed(resource);
	SPI_finish();
	cat_security_context_unpin(nest);
}

/*
 * Trigger: refuse TRUNCATE of a resource's table or a join table, whose rows are counted and
 * listed.
 *
 * AFTER TRUNCATE, FOR EACH STATEMENT; argument, for a join table: the resource that has the lists
 * of ids.  The owner of an append-only table may truncate it.
 */
CAT_FUNCTION(catalogue_check_truncation)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	Relation table;
	Resource *resource;

	if (!CALLED_AS_TRIGGER(fcinfo))
		elog(ERROR, "check_truncation: not called as a trigger");
	table = trigger->tg_relation;
	resource = trigger->tg_trigger->tgnargs > 0 ? cat_registry_find(trigger->tg_trigger->tgargs[0])
												: cat_registry_table(RelationGetRelid(table));
	if (!resource)
		return PointerGetDatum(NULL);
	if (resource->relid != RelationGetRelid(table))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("cannot truncate join table \"%s\"", RelationGetRelationName(table)),
						errdetail("The records of %s list what it links.", resource->name),
						errhint("Use DELETE, which takes the links out of the lists.")));
	if (!resource->change)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot truncate table \"%s\" of a resource", RelationGetRelationName(table)),
			 errdetail("Its records are counted, have a history and are listed by others."),
			 errhint("Use DELETE, which deletes them logically, or catalogue.clear('%s'), which "
					 "removes them with all that belongs to them.",
					 resource->name)));
	follow_truncation(table, resource);
	return PointerGetDatum(NULL);
}

/*
 * Physically remove all rows of a resource's table, without triggers' rules; return their number.
 */
CAT_FUNCTION(catalogue_remove_rows)
{
	Resource *resource;
	int64 removed;

	cat_security_context_take();
	SPI_connect();
	resource = cat_call_reply_resource(fcinfo);
	cat_statement_in(WRITE_UNRECORDED, psprintf("DELETE FROM %s", resource->table));
	removed = (int64) SPI_processed;
	cat_commit_time_forget(resource);
	cat_action_log_all_removed(resource);
	SPI_finish();
	cat_security_context_return();
	PG_RETURN_INT64(removed);
}

/*
 * The texts are composed in SQL (status.sql).  The caller is checked here.
 */

/* Compiled in: a library that was replaced without ALTER EXTENSION UPDATE has another version. */
#define LIBRARY_VERSION "1.1"

/* microseconds for which a caller may keep the metrics */
#define PERIOD (5 * USECS_PER_SEC)

CAT_FUNCTION(catalogue_library_version)
{
	PG_RETURN_TEXT_P(cstring_to_text(LIBRARY_VERSION));
}

/* Raise an error unless the actor may read the metrics. */
static void
require_reader(const Actor *actor)
{
	if (actor->access != ACCESS_ALL && actor->user[0] == '\0' && actor->consumer[0] == '\0')
		ereport(ERROR, (errcode(OD401), errmsg("the metrics need the credential of a superadmin")));
	if (actor->access != ACCESS_ALL)
		ereport(ERROR, (errcode(OD403), errmsg("the metrics are for superadmins only")));
	cat_consumer_require(actor, "metrics");
}

CAT_REPLY(catalogue_metrics)
{
	Actor actor;

	cat_actor_read(fcinfo, 0, &actor);
	if (PG_ARGISNULL(1) || !PG_GETARG_BOOL(1))
		require_reader(&actor);
	reply->etag = psprintf(INT64_FORMAT, (int64) (GetCurrentTimestamp() / PERIOD));
	if (!cat_call_reply_argument_is(fcinfo, 2, reply->etag))
	{
		cat_statement_read("SELECT catalogue.metrics_text()");
		cat_call_reply_format(reply, "%s", cat_result_text(1));
	}
}

CAT_REPLY(catalogue_ready)
{
	cat_statement_read("SELECT r.report, r.failed FROM catalogue.readiness($1) r",
					   text_param(cat_call_reply_required(fcinfo, 0)));
	if (cat_result_bool(2))
		ereport(ERROR, (errcode(OD503), errmsg("the service is not ready"),
						errdetail_internal("%s", cat_result_text(1))));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

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
	 cat_map_points_make,
	 NULL},
	{"charts",
	 {"file", "data_series"},
	 {"type", "data_type"},
	 {"data"},
	 NULL,
	 cat_chart_data_make,
	 cat_chart_data_check},
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
 * Unless catalogue.log_refusals is on, keep what is wrong with a request out of the server's log:
 * SQLSTATEs that begin with OD4, and invalid data, such as a body that is not JSON.
 */
static void
leave_out_refusal(ErrorData *error)
{
	if (!cat_log_refusals && error->elevel == ERROR &&
		(BEGINNING(error->sqlerrcode) == BEGINNING(OD400) ||
		 ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_DATA_EXCEPTION))
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
	cat_security_context_init();
	cat_registry_init();
	cat_bulk_default_init();
	cat_commit_time_init();
	cat_write_set_hooks(write_hooks, lengthof(write_hooks));
	cat_derived_set(derived_data, lengthof(derived_data));
}
