/*
 * tables.c
 *	  Tables of the catalogue as a whole: made, emptied, and not truncated behind the service.
 */
#include "catalogue.h"

#include <sys/stat.h>

#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/guc.h"
#include "utils/rel.h"

#include "call/call.h"
#include "history/history.h"
#include "pg/pg.h"

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
	resource = cat_call_reply_resource(fcinfo, ARG_REMOVE_ROWS_RESOURCE);
	cat_statement_in(WRITE_UNRECORDED, psprintf("DELETE FROM %s", resource->table));
	removed = (int64) SPI_processed;
	cat_commit_time_forget(resource);
	cat_action_log_all_removed(resource);
	SPI_finish();
	cat_security_context_return();
	PG_RETURN_INT64(removed);
}
