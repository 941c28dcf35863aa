/*
 * import_upload.c
 *	  SQL function import_upload: imports a document that was uploaded.
 *
 * What is small and JSON is imported at once, as a body is.  For the rest a job is queued: JSON is
 * stored for it, and what is not JSON stays as it came, since the worker alone reads RDF, in its
 * sandbox.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "base/byte_order_mark.h"
#include "call/call.h"
#include "files/files.h"
#include "import/call_internal.h"
#include "pg/pg.h"

/* Options of an import of an address. */
static const char *const of_addresses[] = {"url", "updateFrequency"};

#define AT_ONCE (1 << 20) /* bytes of a document that is imported in the request */

/* Media types of RDF that is not JSON. */
static const char *const rdf_types[] = {"text/turtle", "application/n-triples",
										"application/rdf+xml", "application/x-turtle"};

/* Return the text of a member, "" if it is missing. */
static const char *
text_of(List *members, const char *name)
{
	const Member *member = cat_body_member(members, name);

	return member && member->kind == MEMBER_STRING && member->text ? member->text : "";
}

static bool
is_true(List *members, const char *name)
{
	const Member *member = cat_body_member(members, name);

	return member && member->kind == MEMBER_BOOLEAN && strcmp(member->text, "true") == 0;
}

static bool
is_rdf_type(const char *type)
{
	for (size_t i = 0; i < lengthof(rdf_types); i++)
		if (pg_strncasecmp(type, rdf_types[i], strlen(rdf_types[i])) == 0)
			return true;
	return false;
}

/* Return the text of the document if it is JSON, without a byte order mark, and with long strings cut;
 * NULL: it is not.  In Turtle a bracket may be the first character. */
static const char *
read_json(const UploadedDocument *uploaded, const char *type)
{
	char *text = cat_blob_text(uploaded->arrived);

	text += byte_order_mark_length(text);
	text += strspn(text, " \t\r\n");
	if (*text != '{' && (*text != '[' || is_rdf_type(type)))
		return NULL;
	pfree(DatumGetPointer(DirectFunctionCall1(json_in, CStringGetDatum(text))));
	text[cat_import_shorten(text, strlen(text))] = '\0';
	return text;
}

static List *
split(const char *json)
{
	return json ? cat_import_split(json, strlen(json)) : NIL;
}

/* Return the members of the body, which the upload is itself, or whose document it is, as a part of a
 * form is, whatever its type. */
static List *
members_of(const char *json, const char *type, const char *body, bool part)
{
	List *pieces;
	Piece *document;

	if (json && *json == '{' && !part && pg_strncasecmp(type, "application/json", 16) == 0)
		return split(json);
	pieces = split(body);
	if (!json)
		return pieces;
	document = palloc0(sizeof(Piece));
	document->name = "document";
	document->text = json;
	document->length = strlen(json);
	return lappend(pieces, document);
}

/* A piece as a parameter: a value of type json is its text. */
static StatementParam
json_param(const Piece *piece)
{
	return datum_param(JSONOID,
					   PointerGetDatum(cstring_to_text_with_len(piece->text, (int) piece->length)));
}

const char *
cat_import_later(Import *import, List *pieces, List *members, List *errors,
				 const UploadedDocument *uploaded)
{
	const Piece *document = cat_import_piece(pieces, "document");
	const char *options = cat_harvest_options(import, members, &errors);

	for (size_t i = 0; i < lengthof(of_addresses); i++)
		if (cat_body_member(members, of_addresses[i]))
			cat_validation_error_add(&errors, of_addresses[i], "format", NULL,
									 "cannot be given together with a document");
	if (!import->source && !cat_validation_error_has(errors, "source"))
		cat_validation_error_add(&errors, "source", "required", NULL,
								 "is required, unless there is a url");
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
	cat_import_require_source(import, import->source);
	cat_statement_fresh(
		"SELECT catalogue.enqueue_import($1, $2, $3::json, $4, $5, $6, $7)",
		text_param(import->source), bool_param(import->dry_run), text_param(options),
		text_param(import->actor.user), document ? json_param(document) : null_param(JSONOID),
		document ? null_param(INT8OID) : int8_param(uploaded->blob), text_param(uploaded->type));
	return cat_result_text(1);
}

CAT_FUNCTION(catalogue_import_upload)
{
	Import import = {0};
	List *details;
	UploadedDocument uploaded;
	const char *body;
	const char *json = NULL;

	cat_import_begin(fcinfo, ARG_IMPORT_UPLOAD_ACTOR, &import);
	details = cat_body_optional(fcinfo, ARG_IMPORT_UPLOAD_DETAILS);
	uploaded = cat_upload_finish_document(cat_call_reply_required(fcinfo, ARG_IMPORT_UPLOAD_UPLOAD),
										  &import.actor, details);
	uploaded.type = text_of(details, "type");
	body = PG_ARGISNULL(ARG_IMPORT_UPLOAD_BODY)
			   ? uploaded.body
			   : cat_call_reply_argument(fcinfo, ARG_IMPORT_UPLOAD_BODY);
	if (uploaded.size > 0)
		json = read_json(&uploaded, uploaded.type);
	return cat_import_run(fcinfo, ARG_IMPORT_UPLOAD_STRICT, &import,
						  members_of(json, uploaded.type, body, is_true(details, "part")),
						  uploaded.size > AT_ONCE || (uploaded.size > 0 && !json) ? &uploaded
																				  : NULL);
}
