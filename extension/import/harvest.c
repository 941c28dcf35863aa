/*
 * harvest.c
 *	  Imports of addresses, which the worker fetches: SQL functions imports, import_report,
 *	  run_import and delete_import.
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

	if (url && (!cat_web_address_is(url) || strlen(url) > ADDRESS_LENGTH))
		cat_validation_error_add(errors, "url", "format", cat_body_member(members, "url"),
								 "takes an http: or https: URL with a host");
	/* a user and a password would be stored, logged and shown */
	else if (url && cat_web_address_has_user(url))
		cat_validation_error_add(errors, "url", "format", NULL,
								 "takes a URL without a user and a password");
	return url;
}

/* Store the harvest, and return the id of its job.  OD403 where its source is another user's. */
static const char *
store(const Import *import, const char *url, const char *frequency, const char *options)
{
	const char *source = import->source ? import->source : url;

	cat_import_require_source(import, source);
	/* a superadmin replaces also those of other users */
	cat_statement_fresh("SELECT catalogue.store_harvest($1, $2, $3, $4::json, $5, $6, $7)",
						text_param(source), bool_param(import->dry_run), text_param(url),
						text_param(options), text_param(import->actor.user), text_param(frequency),
						bool_param(import->actor.access == ACCESS_ALL));
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
cat_harvest_options(Import *import, List *members, List **errors)
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
cat_harvest_import(Import *import, List *members, List *errors)
{
	const char *url = read_url(members, &errors);
	const char *options = cat_harvest_options(import, members, &errors);
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
read_owner(FunctionCallInfo fcinfo, int argument, Actor *actor)
{
	cat_call_reply_begin();
	cat_actor_read(fcinfo, argument, actor);
	cat_permission_require(actor, cat_registry_resource("datasets"), "create");
	cat_consumer_require(actor, "datasets");
	return text_param(actor->access == ACCESS_ALL ? "*" : actor->user);
}

/* Answer with what a function of SQL gives for an id, NULL for all, and for whom it is. */
static Datum
reply_with(FunctionCallInfo fcinfo, const char *sql, const char *id, StatementParam owner)
{
	CallReply reply = {.data = makeStringInfo()};

	cat_statement_fresh(sql, text_param(id), owner);
	appendStringInfoString(reply.data, cat_result_text(1));
	return cat_call_reply_end(fcinfo, &reply);
}

CAT_FUNCTION(catalogue_imports)
{
	Actor actor;
	StatementParam owner = read_owner(fcinfo, ARG_IMPORTS_ACTOR, &actor);

	return reply_with(fcinfo, "SELECT catalogue.imports_of($1, $2)", NULL, owner);
}

CAT_FUNCTION(catalogue_import_report)
{
	const char *id = cat_call_reply_required(fcinfo, ARG_IMPORT_REPORT_ID);
	Actor actor;
	StatementParam owner = read_owner(fcinfo, ARG_IMPORT_REPORT_ACTOR, &actor);

	return reply_with(fcinfo, "SELECT catalogue.imports_of($1, $2) -> 0", id, owner);
}

/* Change an import by a function of SQL, which gives the id of a record of a resource. */
static Datum
change_by(FunctionCallInfo fcinfo, const char *sql, const char *id, int argument,
		  const char *resource)
{
	Actor actor;
	StatementParam owner = read_owner(fcinfo, argument, &actor);
	CallReply reply = {.resource = resource};

	if (!actor.trusted)
		require_whole_key(&actor);
	cat_statement_fresh(sql, text_param(id), owner);
	reply.id = cat_result_text(1);
	return cat_call_reply_end(fcinfo, &reply);
}

CAT_FUNCTION(catalogue_run_import)
{
	const char *id = cat_call_reply_required(fcinfo, ARG_RUN_IMPORT_ID);

	return change_by(fcinfo, "SELECT catalogue.requeue_import($1, $2)", id, ARG_RUN_IMPORT_ACTOR,
					 "jobs");
}

CAT_FUNCTION(catalogue_delete_import)
{
	const char *id = cat_call_reply_required(fcinfo, ARG_DELETE_IMPORT_ID);

	return change_by(fcinfo, "SELECT catalogue.drop_import($1, $2)", id, ARG_DELETE_IMPORT_ACTOR,
					 "imports");
}
