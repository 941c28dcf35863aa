/*
 * harvest.c
 *	  Imports of addresses, which the worker fetches: SQL functions imports, import_report and
 *	  delete_import.
 *
 * The worker imports for the user who has asked for it, with the rights that this user has then.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "call/call.h"
#include "import/call_internal.h"
#include "pg/pg.h"
#include "query/query.h"
#include "registry/registry.h"

/* Options of the import, which stay as they are. */
static const char *const kept[] = {"publish",	   "gone",		 "category", "partial",
								   "organization", "acceptLoss", "take"};

/* An import as JSON, in the order in which a page shows it; of the table as h.  report: an expression. */
#define IMPORT_OBJECT(report)                                                                  \
	"json_build_object('id', h.id, 'source', h.source, 'url', h.url, 'endedAt', h.ended_at, "  \
	"'report', " report ", 'failedAt', h.failed_at, 'failureReason', h.failure, 'nextRun', "   \
	"(SELECT u.next_run FROM catalogue.updatefrequencies u WHERE u.id = h.frequency AND "      \
	"u.deleted_at IS NULL), 'failing', coalesce(h.failed_at > h.ended_at, h.failed_at IS NOT " \
	"NULL), 'dryRun', h.dry_run, 'publish', coalesce((h.options ->> 'publish')::boolean, "     \
	"false), 'updateFrequency', h.frequency, 'job', h.job)"

/* OD403 for a key that is limited: the worker would not know of its limits. */
static void
require_whole_key(const Actor *actor)
{
	if (actor->resources != NIL || actor->verbs != NIL || actor->organization[0] != '\0')
		ereport(ERROR, (errcode(OD403), errmsg("a limited key cannot be used for a harvest")));
	if (actor->user[0] == '\0')
		ereport(ERROR, (errcode(OD401), errmsg("a user is needed for this")));
}

static const char *
read_url(List *members, List **errors)
{
	const char *url = cat_body_text(members, "url", errors);

	if (url && (!cat_address_is_web(url) || strlen(url) > ADDRESS_LENGTH))
		cat_validation_error_add(errors, "url", "format", cat_body_member(members, "url"),
								 "takes an http: or https: URL with a host");
	/* a user and a password would be stored, logged and shown */
	else if (url && cat_address_has_user(url))
		cat_validation_error_add(errors, "url", "format", NULL,
								 "takes a URL without a user and a password");
	return url;
}

/* Store the harvest in place of an earlier one of the source; a dry run replaces only a dry run.
 * $1 to $6 columns, $7 whether it replaces those of other users.  Finds the id of its job. */
static const char store_sql[] =
	"INSERT INTO catalogue.harvest AS h (source, dry_run, url, options, \"user\", frequency) "
	"VALUES ($1, $2, $3, $4::json, $5, $6) ON CONFLICT (source, dry_run) WHERE url IS NOT NULL "
	"DO UPDATE SET url = excluded.url, options = excluded.options, \"user\" = excluded.\"user\", "
	"frequency = excluded.frequency WHERE h.\"user\" = excluded.\"user\" OR $7 "
	"RETURNING catalogue.enqueue_harvest(h.id)";

/* Store the harvest, and return the id of its job.  OD403 where its source is another user's. */
static const char *
store(const Import *import, const char *url, const char *frequency, const char *options)
{
	const char *source = import->source ? import->source : url;

	cat_import_require_source(import, source);
	cat_statement_fresh(store_sql, text_param(source), bool_param(import->dry_run), text_param(url),
						text_param(options), text_param(import->actor.user), text_param(frequency),
						bool_param(import->actor.access == ACCESS_ALL));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD403), errmsg("this source is harvested by another user")));
	return cat_result_text(1);
}

/* Return the frequency of the body, NULL for none. */
static const char *
read_frequency(const Import *import, List *members, List **errors)
{
	const char *frequency = cat_import_option_record(
		members, "updateFrequency",
		"SELECT id::text FROM catalogue.updatefrequencies WHERE id = $1 AND deleted_at IS NULL",
		errors);

	if (frequency && import->dry_run)
		cat_validation_error_add(errors, "updateFrequency", "format",
								 cat_body_member(members, "updateFrequency"),
								 "cannot be given for a dry run");
	return frequency;
}

const char *
cat_import_options_of_job(Import *import, List *members, List **errors)
{
	StringInfoData options;

	require_whole_key(&import->actor);
	cat_import_options_read(import, members, errors);
	initStringInfo(&options);
	for (size_t i = 0; i < lengthof(kept); i++)
	{
		const Member *member = cat_body_member(members, kept[i]);

		if (member && member->kind != MEMBER_NULL)
			appendStringInfo(&options, "%c\"%s\":%s", options.len == 0 ? '{' : ',', kept[i],
							 member->raw);
	}
	appendStringInfoString(&options, options.len == 0 ? "{}" : "}");
	return options.data;
}

const char *
cat_import_harvest(Import *import, List *members, List *errors)
{
	const char *url = read_url(members, &errors);
	const char *options = cat_import_options_of_job(import, members, &errors);
	const char *frequency;

	if (cat_body_member(members, "document"))
		cat_validation_error_add(&errors, "document", "format", NULL,
								 "cannot be given together with url");
	if (import->partial)
		cat_validation_error_add(&errors, "partial", "format", cat_body_member(members, "partial"),
								 "cannot be given together with url");
	frequency = read_frequency(import, members, &errors);
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
	return store(import, url, frequency, options);
}

/* Read the actor, who may create datasets and whose key is for these, and return whose imports it
 * sees: * for all. */
static StatementParam
read_owner(FunctionCallInfo fcinfo, int argument)
{
	Actor actor;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, argument, &actor);
	cat_permission_require(&actor, cat_registry_resource("datasets"), "create");
	cat_consumer_require(&actor, "datasets");
	return text_param(actor.access == ACCESS_ALL ? "*" : actor.user);
}

/* Return the reply whose data is the first value of a result. */
static Datum
reply_with_value(FunctionCallInfo fcinfo)
{
	CallReply reply = {.data = makeStringInfo()};

	appendStringInfoString(reply.data, cat_result_text(1));
	return cat_call_reply_end(fcinfo, &reply);
}

CAT_FUNCTION(catalogue_imports)
{
	StatementParam owner = read_owner(fcinfo, 0);

	cat_statement_fresh(
		"SELECT coalesce(json_agg(" IMPORT_OBJECT(
			"CASE WHEN h.report IS NOT NULL THEN json_build_object("
			"'created', h.report -> 'created', 'updated', h.report -> 'updated', "
			"'unchanged', h.report -> 'unchanged', 'refused', h.report -> 'refused', "
			"'gone', h.report -> 'gone') END") " ORDER BY h.source, h.dry_run), "
											   "'[]')::text "
											   "FROM catalogue.harvest h WHERE $1 IN "
											   "(h.\"user\", '*')",
		owner);
	return reply_with_value(fcinfo);
}

/* Run a statement on the import of an id, or that a job was for: $1 id, $2 whose. */
static void
run_on_import(const char *sql, const char *id, StatementParam owner)
{
	cat_statement_fresh(sql, text_param(id), owner);
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("there is no import \"%s\" of an address", id)));
}

CAT_FUNCTION(catalogue_import_report)
{
	const char *id = cat_call_reply_required(fcinfo, 0);

	run_on_import(
		"SELECT " IMPORT_OBJECT("h.report") "::text FROM catalogue.harvest h "
											"WHERE $1 IN (h.id, h.job) AND $2 IN (h.\"user\", '*')",
		id, read_owner(fcinfo, 1));
	return reply_with_value(fcinfo);
}

CAT_FUNCTION(catalogue_delete_import)
{
	const char *id = cat_call_reply_required(fcinfo, 0);
	StatementParam owner = read_owner(fcinfo, 1);
	CallReply reply = {.resource = "imports"};

	run_on_import("SELECT EXISTS (SELECT FROM catalogue.job_queue q WHERE q.job = h.job)::text "
				  "FROM catalogue.harvest h WHERE $1 IN (h.id, h.job) "
				  "AND $2 IN (h.\"user\", '*') FOR UPDATE OF h",
				  id, owner);
	if (*cat_result_text(1) == 't')
		ereport(ERROR, (errcode(OD409), errmsg("the import is queued or running"),
						errhint("Cancel its job first.")));
	run_on_import("DELETE FROM catalogue.harvest h WHERE $1 IN (h.id, h.job) "
				  "AND $2 IN (h.\"user\", '*') RETURNING h.id::text",
				  id, owner);
	reply.id = cat_result_text(1);
	return cat_call_reply_end(fcinfo, &reply);
}
