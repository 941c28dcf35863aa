/*
 * call.c - the calls: the only SQL statements of this program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database/connection_internal.h"

#define PARAMETER_BINARY 1 /* for libpq: an argument is in binary format */

/* Parameters of catalogue.once(): key, digest and function, the arguments of that one, the actor. */
#define ONCE_ARGUMENTS 3 /* index of the first argument of the function */
#define ONCE_ACTOR (ONCE_ARGUMENTS + ARGUMENTS_MAXIMUM)
#define ONCE_STATEMENT \
	"SELECT catalogue.once($1, $2, $3, ARRAY[$4, $5, $6, $7, $8, $9, $10]::text[], $11)"

#define RESOURCE ARGUMENT_RESOURCE
#define ID ARGUMENT_ID
#define RELATION ARGUMENT_RELATION
#define ACTION ARGUMENT_ACTION
#define QUERY ARGUMENT_QUERY
#define BODY ARGUMENT_BODY
#define RETURN ARGUMENT_RETURN
#define RELATIONS ARGUMENT_RELATIONS
#define ACTOR ARGUMENT_ACTOR
#define KNOWN ARGUMENT_KNOWN
#define MATCH ARGUMENT_MATCH
#define FORMAT ARGUMENT_FORMAT
#define BASE ARGUMENT_BASE
#define KEY ARGUMENT_KEY
#define CONSUMER ARGUMENT_CONSUMER
#define WANTED ARGUMENT_WANTED
#define ADDRESS ARGUMENT_ADDRESS
#define TARGET ARGUMENT_TARGET
#define UPLOAD ARGUMENT_UPLOAD
#define DETAILS ARGUMENT_DETAILS
#define FORM ARGUMENT_FORM
#define TEXTS ARGUMENT_TEXTS
#define STRICT ARGUMENT_STRICT
#define MONITOR ARGUMENT_MONITOR
#define VERSION ARGUMENT_VERSION

const CallSpec call_specs[CALL_NAMES] = {
	[CALL_LIST] = {"list", KIND_PAGE, 5, {RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN}},
	/* one or several records: the ids, and the states known of each, are arrays (call_batch.c) */
	[CALL_ITEM] = {"items", KIND_KEYED, 6, {RESOURCE, ID, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_FIRST] = {"first", KIND_PAGE, 5, {RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_LAST] = {"last", KIND_PAGE, 5, {RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_COUNT] = {"count", KIND_PAGE, 4, {RESOURCE, QUERY, ACTOR, KNOWN}},
	[CALL_RELATED] = {"related",
					  KIND_PAGE,
					  7,
					  {RESOURCE, ID, RELATION, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_DATASET_FILETYPES] = {"dataset_filetypes",
								KIND_SLOW,
								5,
								{ID, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_FEED] = {"feed", KIND_SLOW, 3, {QUERY, BASE, ACTOR}},
	[CALL_CATALOG] = {"catalog", KIND_SLOW, 5, {QUERY, FORMAT, BASE, ACTOR, KNOWN}},
	[CALL_DATA_JSON] = {"data_json", KIND_STREAM, 4, {QUERY, BASE, ACTOR, KNOWN}},
	[CALL_DATA_JSON_HEAD] = {"data_json_head", KIND_SLOW, 4, {QUERY, BASE, ACTOR, KNOWN}},
	[CALL_SITEMAP] = {"sitemap", KIND_SLOW, 4, {QUERY, BASE, ACTOR, KNOWN}},
	[CALL_ROBOTS] = {"robots", KIND_KEYED, 1, {BASE}},
	[CALL_DATASET_RDF] = {"dataset_rdf", KIND_SLOW, 5, {ID, FORMAT, BASE, ACTOR, KNOWN}},
	[CALL_USAGE] = {"usage", KIND_SLOW, 6, {RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN, FORMAT}},
	[CALL_STATISTICS_SUMMARY] = {"statistics_summary", KIND_SLOW, 3, {QUERY, ACTOR, FORMAT}},
	[CALL_STATISTICS_DOWNLOADS] = {"statistics_downloads", KIND_SLOW, 3, {QUERY, ACTOR, FORMAT}},
	[CALL_RECORD_LOGS] = {"record_logs",
						  KIND_SLOW,
						  6,
						  {RESOURCE, ID, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_SEARCH] = {"search", KIND_SLOW, 4, {QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_VERSIONS] = {"versions", KIND_SLOW, 5, {RESOURCE, ID, QUERY, ACTOR, KNOWN}},
	[CALL_CREATE] = {"create", KIND_WRITE, 6, {RESOURCE, BODY, RETURN, RELATIONS, ACTOR, ADDRESS}},
	[CALL_UPDATE] = {"update",
					 KIND_WRITE,
					 7,
					 {RESOURCE, ID, BODY, RETURN, RELATIONS, ACTOR, MATCH}},
	[CALL_DELETE] = {"delete", KIND_WRITE, 6, {RESOURCE, ID, ACTOR, MATCH, RETURN, RELATIONS}},
	[CALL_RESTORE] = {"restore", KIND_WRITE, 6, {RESOURCE, ID, RETURN, RELATIONS, ACTOR, MATCH}},
	[CALL_DEACTIVATE] = {"deactivate",
						 KIND_WRITE,
						 6,
						 {RESOURCE, ID, RETURN, RELATIONS, ACTOR, MATCH}},
	[CALL_ACT] = {"act", KIND_WRITE, 7, {RESOURCE, ID, ACTION, RETURN, RELATIONS, ACTOR, MATCH}},
	[CALL_BATCH] = {"batch", KIND_WRITE, 6, {BODY, RETURN, RELATIONS, ACTOR, ADDRESS, STRICT}},
	[CALL_CREATE_ROWS] = {"create_rows",
						  KIND_WRITE,
						  7,
						  {RESOURCE, BODY, FORMAT, RETURN, RELATIONS, ACTOR, ADDRESS}},
	[CALL_IMPORT] = {"import", KIND_WRITE, 3, {BODY, ACTOR, STRICT}},
	[CALL_IMPORTS] = {"imports", KIND_SLOW, 1, {ACTOR}},
	[CALL_IMPORT_REPORT] = {"import_report", KIND_SLOW, 2, {ID, ACTOR}},
	[CALL_DELETE_IMPORT] = {"delete_import", KIND_WRITE, 2, {ID, ACTOR}},
	[CALL_WEBHOOK_DELIVERIES] = {"webhook_deliveries", KIND_SLOW, 2, {ID, ACTOR}},
	[CALL_WEBHOOK_REDELIVER] = {"webhook_redeliver", KIND_WRITE, 2, {ID, ACTOR}},
	[CALL_ONCE] = {"once", KIND_WRITE, 0, {0}},
	[CALL_UNDO] = {"undo", KIND_WRITE, 4, {ID, RETURN, RELATIONS, ACTOR}},
	[CALL_EXPORT] = {"export",
					 KIND_STREAM,
					 7,
					 {RESOURCE, ID, RELATION, QUERY, RELATIONS, ACTOR, FORMAT}},
	[CALL_DESCRIBE] = {"describe", KIND_KEYED, 3, {RESOURCE, ACTOR, ID}},
	[CALL_DESCRIBE_ALL] = {"describe_all", KIND_SLOW, 1, {ACTOR}},
	[CALL_LOGIN] = {"login", KIND_WRITE, 3, {BODY, ADDRESS, STRICT}},
	[CALL_CONFIRM] = {"confirm_password", KIND_WRITE, 4, {ID, BODY, ACTOR, ADDRESS}},
	[CALL_LOGOUT] = {"logout", KIND_WRITE, 1, {ACTOR}},
	[CALL_SESSION] = {"session", KIND_KEYED, 1, {ACTOR}},
	[CALL_CREDENTIAL] = {"credential", KIND_KEYED, 2, {KEY, CONSUMER}},
	/* it writes, but may be made twice */
	[CALL_USE_KEY] = {"use_key", KIND_SLOW, 2, {KEY, WANTED}},
	/* likewise; it writes only if the consumer is not found */
	[CALL_CLIENT_TOKEN] = {"client_token", KIND_SLOW, 3, {BODY, ADDRESS, STRICT}},
	[CALL_WEB_ACCESS] = {"web_access", KIND_KEYED, 0, {0}},
	[CALL_ENTRY] = {"entry", KIND_KEYED, 2, {BASE, ACTOR}},
	[CALL_ROLES] = {"roles", KIND_KEYED, 1, {ACTOR}},
	[CALL_SEND_EMAIL] = {"send_email", KIND_WRITE, 4, {BODY, ADDRESS, ACTOR, STRICT}},
	[CALL_QUERY] = {"query", KIND_SLOW, 4, {BODY, FORMAT, ACTOR, STRICT}},
	[CALL_HEALTH] = {"health", KIND_KEYED, 0, {0}},
	[CALL_READY] = {"ready", KIND_SLOW, 1, {VERSION}},
	[CALL_METRICS] = {"metrics", KIND_SLOW, 3, {ACTOR, MONITOR, KNOWN}},
	[CALL_UPLOAD_BEGIN] = {"upload_begin", KIND_WRITE, 4, {RESOURCE, TARGET, DETAILS, ACTOR}},
	[CALL_UPLOAD_STATE] = {"upload_state", KIND_SLOW, 2, {UPLOAD, ACTOR}},
	[CALL_UPLOAD_FINISH] = {"upload_finish",
							KIND_WRITE,
							7,
							{UPLOAD, TEXTS, DETAILS, RETURN, RELATIONS, ACTOR, MATCH}},
	[CALL_UPLOAD_DROP] = {"upload_drop", KIND_WRITE, 2, {UPLOAD, ACTOR}},
	[CALL_DOWNLOAD] = {"download", KIND_SLOW, 4, {ID, FORM, QUERY, ACTOR}},
	[CALL_IMAGE] = {"image", KIND_SLOW, 2, {ID, ACTOR}},
	[CALL_ARCHIVE] = {"archive", KIND_SLOW, 2, {ID, ACTOR}},
	[CALL_CATEGORY_DOWNLOADS] = {"category_downloads", KIND_SLOW, 1, {ACTOR}},
	[CALL_CANCEL_JOB] = {"cancel_job", KIND_WRITE, 2, {ID, ACTOR}},
	[CALL_REFRESH_FILE] = {"refresh_file", KIND_WRITE, 2, {ID, ACTOR}},
	[CALL_CONTENTS] = {"contents_page", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_CONTENTS_EXPORT] = {"contents_export", KIND_STREAM, 4, {ID, QUERY, ACTOR, FORMAT}},
	[CALL_CHANGES] = {"contents_changes", KIND_SLOW, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_CHANGES_EXPORT] = {"contents_changes_export", KIND_STREAM, 4, {ID, QUERY, ACTOR, FORMAT}},
	[CALL_COLUMNS] = {"contents_columns", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_SCHEMA] = {"contents_schema", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_ISSUES] = {"contents_issues", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_SHEETS] = {"contents_sheets", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_FILE_RESOURCES] = {"file_resources", KIND_SLOW, 3, {ID, RELATIONS, ACTOR}},
	[CALL_MAP_GEOJSON] = {"map_geojson", KIND_SLOW, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_MAP_TILE] = {"map_tile", KIND_SLOW, 5, {ID, QUERY, ACTOR, KNOWN, FORM}},
	[CALL_MAP_ISSUES] = {"map_issues", KIND_SLOW, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_CHART_DATA] = {"chart_data", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_CHART_CSV] = {"chart_csv", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_CHART_SVG] = {"chart_svg", KIND_SLOW, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_MAP_SVG] = {"map_svg", KIND_SLOW, 4, {ID, QUERY, ACTOR, KNOWN}},
	/* their arguments are not taken from the request; writing the same bytes twice is harmless */
	[CALL_UPLOAD_WRITE] = {"upload_write", KIND_SLOW, 4, {0}},
	[CALL_BLOB_BYTES] = {"blob_bytes", KIND_SLOW, 2, {0}},
	[CALL_COUNT_DOWNLOAD] = {"count_download", KIND_WRITE, 2, {0}},
	[CALL_RECORD] = {"record_statistics", KIND_WRITE, 3, {0}},
};

/* Does the function return a value, not a reply? */
static bool
returns_value(const CallSpec *spec)
{
	return spec == &call_specs[CALL_RECORD] || spec == &call_specs[CALL_BLOB_BYTES] ||
		   spec == &call_specs[CALL_ITEM];
}

bool
call_takes(const CallSpec *spec, Argument argument)
{
	for (int i = 0; i < spec->count; i++)
		if (spec->arguments[i] == argument)
			return true;
	return false;
}

void
call_statement(const CallSpec *spec, char *text, size_t size)
{
	static const char parameters[] = "$1, $2, $3, $4, $5, $6, $7";
	int length = spec->count > 0 ? spec->count * 4 - 2 : 0;

	if (spec == &call_specs[CALL_ONCE])
	{
		snprintf(text, size, ONCE_STATEMENT);
		return;
	}
	snprintf(text, size,
			 returns_value(spec) ? "SELECT catalogue.%s(%.*s)"
								 : "SELECT catalogue.packed(catalogue.%s(%.*s))",
			 spec->function, length, parameters);
}

/* Send the call of a request with an Idempotency-Key; false: the connection is gone. */
static bool
send_once(PGconn *pg, const Call *call)
{
	const char *values[ONCE_ACTOR + 1] = {call->key, call->digest, call->spec->function};

	for (int i = 0; i < call->spec->count; i++)
	{
		values[ONCE_ARGUMENTS + i] = call->arguments[i];
		if (call->spec->arguments[i] == ARGUMENT_ACTOR)
			values[ONCE_ACTOR] = call->arguments[i];
	}
	return PQsendQueryPrepared(pg, call_specs[CALL_ONCE].function, lengthof(values), values, NULL,
							   NULL, RESULT_BINARY);
}

bool
call_send(PGconn *pg, const Call *call)
{
	const CallSpec *spec = call->spec;
	int lengths[ARGUMENTS_MAXIMUM] = {0};
	int formats[ARGUMENTS_MAXIMUM] = {0};

	if (spec == &call_specs[CALL_ITEM])
		return call_batch_send(pg, call);
	if (call->digest != NULL)
		return send_once(pg, call);
	if (call->bytes == 0)
		return PQsendQueryPrepared(pg, spec->function, spec->count, call->arguments, NULL, NULL,
								   RESULT_BINARY);
	lengths[call->bytes - 1] = call->length;
	formats[call->bytes - 1] = PARAMETER_BINARY;
	return PQsendQueryPrepared(pg, spec->function, spec->count, call->arguments, lengths, formats,
							   RESULT_BINARY);
}
