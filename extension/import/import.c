/*
 * import.c
 *	  SQL function import: makes datasets and files of the entries of a document, or has the worker
 *	  do so with what an address has.
 *
 * Each entry is written in a subtransaction of its own, or of a group (import_group.c), so that one
 * at fault is reported and the others stay.  The changes are those of single requests of the actor
 * (import_call.c); what was made of which entry is in catalogue.imported.
 */
#include "catalogue.h"

#include "catalog/pg_collation_d.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "base/base.h"
#include "call/call.h"
#include "history/history.h"
#include "import/call_internal.h"
#include "import/group_internal.h"
#include "import/identity_internal.h"
#include "import/language_internal.h"
#include "import/records_internal.h"
#include "pg/pg.h"
#include "query/query.h"
#include "registry/registry.h"

/* After so many new datasets, and ten times as many and so on, the tables are analyzed. */
#define ANALYZE_FIRST 100

static const char *const names[] = {
	"document",	  "url",  "source",	  "dryRun",		  "publish",		 "partial", "gone",
	"acceptLoss", "take", "category", "organization", "updateFrequency", NULL};

/* Raise OD400 for a body that is no object. */
pg_noreturn static void
refuse_body(void)
{
	ereport(ERROR, (errcode(OD400), errmsg("the body is not a JSON object")));
}

/* Return the members of the body besides the document, which is not decoded as a whole.  Raises OD400 for a body that is
 * no object. */
static List *
members_of(List *pieces)
{
	List *members = NIL;

	cat_body_limit(list_length(pieces));
	foreach_ptr(const Piece, piece, pieces)
	{
		Member *member;

		if (!piece->name)
			refuse_body();
		member = strcmp(piece->name, "document") == 0 ? palloc0(sizeof(Member))
													  : cat_import_value(piece);
		if (!member)
			ereport(ERROR,
					(errcode(OD400), errmsg("the body has a character that cannot be stored")));
		member->name = piece->name;
		members = lappend(members, member);
	}
	return members;
}

/* Raise OD400 for the identifier of an entry. */
pg_noreturn static void
refuse_id(const char *rule, const char *message)
{
	List *errors = NIL;

	cat_validation_error_add(&errors, "identifier", rule, NULL, message);
	cat_validation_error_raise(errors, OD400, NULL);
}

/* Note that the document names a row of catalogue.imported. */
static void
note_seen(Import *import, const char *id)
{
	cat_import_map_put(import->seen, id, unconstify(char *, id));
}

void
cat_import_take(Import *import)
{
	ImportEntry *entry = import->entry;

	note_seen(import, entry->key);
	foreach_ptr(const char, other, entry->identity->others)
		note_seen(import, other);
	foreach_ptr(const char, note, entry->identity->notes)
		cat_import_note(entry, note);
	entry->piece = cat_import_clean(&import->document, entry, entry->piece, "");
	cat_import_entry_read(import, entry);
}

/* Read a dataset, and write its records. */
static void
take_entry(void *argument)
{
	Import *import = argument;
	const ImportEntry *entry = import->entry;

	if (!entry->id)
	{
		import->unnamed = true;
		refuse_id("required", "is required");
	}
	if (!entry->key)
		refuse_id("unique", psprintf("is that of entry %d as well", entry->identity->rival));
	cat_import_take(import);
	if (entry->access != ENTRY_DELETED)
		cat_import_write(import);
}

/* Take an entry that the source has deleted for one that it does not name. */
static void
note_deleted(Import *import)
{
	MemoryContext former = MemoryContextSwitchTo(GetMemoryChunkContext(import->report));
	const char *name = import->entry->name;

	cat_import_map_drop(import->seen, import->entry->key);
	cat_import_map_put(import->deleted, pstrdup(import->entry->key), pstrdup(name ? name : ""));
	MemoryContextSwitchTo(former);
}

ImportEntry *
cat_import_begin_entry(const Import *import, int index)
{
	ImportEntry *entry = palloc0(sizeof(ImportEntry));

	entry->piece = list_nth(import->document.entries, index);
	entry->identity = &import->identities[index];
	entry->id = entry->identity->id;
	entry->key = entry->identity->key;
	return entry;
}

/* Take one entry, whose memory is freed. */
static void
run_entry(Import *import)
{
	ImportEntry *entry = cat_import_begin_entry(import, import->number);
	ErrorData *error;

	import->entry = entry;
	import->record = NULL;
	import->part = "";
	import->number++;
	error = cat_statement_in_subtransaction(take_entry, import);
	if (error)
	{
		cat_import_terms_undo(import);
		cat_import_report_refused(import, error);
	}
	else if (entry->access == ENTRY_DELETED)
		note_deleted(import);
	else
		cat_import_report(import);
	cat_import_terms_keep(import);
}

/* Merge the counts, to which each record has added a row. */
static void
merge_counts(void)
{
	static const char *const counted[] = {"datasets", "files", "logs"};

	for (size_t i = 0; i < lengthof(counted); i++)
		cat_row_counter_fold(cat_registry_resource(counted[i]));
}

/*
 * Have the planner know how many records there are.
 *
 * Plans that were made while the tables were empty and not analyzed yet read all records for each
 * entry; others are made for the present numbers then.
 */
static void
analyze(void)
{
	cat_statement_fresh(
		"ANALYZE catalogue.datasets (id), catalogue.files (id, dataset), catalogue.datasets_tags "
		"(dataset), catalogue.datasets_categories (dataset), catalogue.imported (source, id)");
}

/* Take all entries; a dry run ends with an error, which undoes them. */
static void
run_all(void *argument)
{
	Import *import = argument;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "catalogue import entry",
												  ALLOCSET_DEFAULT_SIZES);
	int count;
	int analyze_at = ANALYZE_FIRST;

	cat_import_identify(import);
	count = list_length(import->document.entries);
	while (import->number < count)
	{
		MemoryContext former = MemoryContextSwitchTo(context);

		CHECK_FOR_INTERRUPTS();
		if (import->counts[IMPORT_CREATED] >= analyze_at)
		{
			analyze();
			analyze_at *= 10;
		}
		if (!cat_import_group(import))
			run_entry(import);
		MemoryContextSwitchTo(former);
		MemoryContextReset(context);
	}
	cat_import_gone(import);
	import->ended = true;
	if (import->dry_run)
		elog(ERROR, "the dry run has ended");
	if (import->counts[IMPORT_CREATED] > 0)
		merge_counts();
}

/* Read the document and the options, and take the entries, with the owner's rights. */
static void
run_import(Import *import, List *pieces, List *members, List *errors)
{
	const Piece *document = cat_import_piece(pieces, "document");
	ErrorData *error = NULL;

	cat_import_options_read(import, members, &errors);
	if (cat_body_member(members, "updateFrequency"))
		cat_validation_error_add(&errors, "updateFrequency", "format", NULL,
								 "cannot be given without url");
	if (!document)
		cat_validation_error_add(&errors, "document", "required", NULL,
								 "is required, unless there is a url");
	else
		cat_import_document_read(&import->document, document);
	if (document && !import->source && !cat_validation_error_has(errors, "source"))
		cat_validation_error_add(&errors, "source", "required", NULL,
								 "is required, unless there is a url");
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
	import->notes = list_concat(import->notes, import->document.notes);
	import->languages = cat_import_languages();
	cat_import_require_source(import, import->source);
	if (!import->dry_run)
	{
		run_all(import);
		return;
	}
	error = cat_statement_in_subtransaction(run_all, import);
	if (error && !import->ended)
		ReThrowError(error);
}

void
cat_import_begin(FunctionCallInfo fcinfo, int actor, Import *import)
{
	cat_call_reply_begin();
	cat_actor_read(fcinfo, actor, &import->actor);
	cat_permission_require(&import->actor, cat_registry_resource("datasets"), "create");
	cat_consumer_require(&import->actor, "datasets");
	import->report = makeStringInfo();
	import->terms = cat_import_map();
	import->seen = cat_import_map();
	import->deleted = cat_import_map();
	import->numbers = cat_import_map();
	import->rest = cat_import_map();
	/* without an actor, who has not the owner's rights now must not have them below */
	import->no_actor = import->actor.trusted;
	import->actor_json = PG_ARGISNULL(actor) ? DirectFunctionCall1(jsonb_in, CStringGetDatum("{}"))
											 : PG_GETARG_DATUM(actor);
}

/* Import what the members say, by a job if later is not NULL or they have an address, and set the reply. */
static void
answer(Import *import, List *pieces, List *members, List *errors, const UploadedDocument *later,
	   CallReply *reply)
{
	if (later || cat_import_piece(pieces, "url"))
	{
		reply->resource = "jobs";
		reply->id = later ? cat_import_later(import, pieces, members, errors, later)
						  : cat_harvest_import(import, members, errors);
		return;
	}
	/* one import at a time: two would create the same entries, or the same tags */
	cat_statement_fresh("SELECT pg_advisory_xact_lock(hashtextextended('catalogue.import', 0))");
	run_import(import, pieces, members, errors);
	if (import->rest_names != NIL)
		import->notes = lappend(import->notes, cat_import_rest_note(import));
	reply->data = cat_import_report_json(import);
}

Datum
cat_import_run(FunctionCallInfo fcinfo, int strict, Import *import, List *pieces,
			   const UploadedDocument *later)
{
	CallReply reply = {0};
	List *members = members_of(pieces);
	List *errors = NIL;

	reply.ignored =
		cat_ignored_of_members(fcinfo, strict, members, cat_query_string_words(names), &errors);
	answer(import, pieces, members, errors, later, &reply);
	return cat_call_reply_end(fcinfo, &reply);
}

CAT_FUNCTION(catalogue_import)
{
	Import import = {0};
	const text *body;
	List *pieces = NIL;

	cat_import_begin(fcinfo, ARG_IMPORT_ACTOR, &import);
	body = PG_ARGISNULL(ARG_IMPORT_BODY) ? NULL : PG_GETARG_TEXT_PP(ARG_IMPORT_BODY);
	if (body)
		pieces = cat_import_split(VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body));
	return cat_import_run(fcinfo, ARG_IMPORT_STRICT, &import, pieces, NULL);
}

/* Return a piece of JSON, without the white space around it. */
static Piece *
piece_of(char *name, const char *json, size_t length)
{
	Piece *piece = palloc0(sizeof(Piece));
	const char *end = json + length;

	piece->name = name;
	piece->text = cat_import_skip_space(json, end);
	while (end > piece->text && strchr(" \t\n\r", end[-1]))
		end--;
	piece->length = (size_t) (end - piece->text);
	return piece;
}

/* Return the arguments of import_dcat() as the members of a body, before those of its options; the document is not
 * copied.  Raises OD400 for options that are no object, since an import without them may be another one. */
static List *
pieces_of(FunctionCallInfo fcinfo)
{
	const char *options = cat_call_reply_argument(fcinfo, ARG_IMPORT_DCAT_OPTIONS);
	const char *source = cat_call_reply_optional(fcinfo, ARG_IMPORT_DCAT_SOURCE);
	List *pieces = cat_import_split(options, strlen(options));

	/* null are no options */
	if (!strchr("{n", *cat_import_skip_space(options, options + strlen(options))))
		refuse_body();
	if (source)
	{
		source = cat_json_quoted(source);
		pieces = lcons(piece_of("source", source, strlen(source)), pieces);
	}
	if (!PG_ARGISNULL(ARG_IMPORT_DCAT_DOCUMENT))
	{
		const text *document = PG_GETARG_TEXT_PP(ARG_IMPORT_DCAT_DOCUMENT);

		pieces =
			lcons(piece_of("document", VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document)), pieces);
	}
	return pieces;
}

CAT_FUNCTION(catalogue_import_dcat)
{
	Import import = {0};
	CallReply reply = {0};
	List *pieces;
	Datum report = (Datum) 0;

	cat_import_begin(fcinfo, ARG_IMPORT_DCAT_ACTOR, &import);
	pieces = pieces_of(fcinfo);
	answer(&import, pieces, members_of(pieces), NIL, NULL, &reply);
	if (reply.data)
		report = SPI_datumTransfer(
			PointerGetDatum(cstring_to_text_with_len(reply.data->data, reply.data->len)), false,
			-1);
	cat_call_reply_close();
	if (!reply.data)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(report);
}

/* Return the documents of a harvest as a piece: the only one, or the list of several. */
static Piece *
read_pages(const char *harvest)
{
	Piece *document = palloc0(sizeof(Piece));
	StringInfoData list;
	bool several;

	/* the rows have pointers to the documents */
	cat_statement_fresh("SELECT p.document FROM catalogue.harvest_page p "
						"WHERE p.harvest = $1 AND p.state = 'd' ORDER BY p.number",
						text_param(harvest));
	several = SPI_processed != 1;
	initStringInfo(&list);
	appendStringInfoString(&list, several ? "[" : "");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		text *page = DatumGetTextPCopy(
			SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		size_t length = cat_import_shorten(VARDATA(page), VARSIZE(page) - VARHDRSZ);

		appendStringInfoString(&list, i > 0 ? "," : "");
		appendBinaryStringInfo(&list, VARDATA(page), (int) length);
		pfree(page);
	}
	SPI_freetuptable(SPI_tuptable);
	appendStringInfoString(&list, several ? "]" : "");
	document->name = pstrdup("document");
	document->text = list.data;
	document->length = (size_t) list.len;
	return document;
}

CAT_FUNCTION(catalogue_import_pages)
{
	Import import = {0};
	const char *body = cat_call_reply_required(fcinfo, ARG_IMPORT_PAGES_BODY);

	cat_import_begin(fcinfo, ARG_IMPORT_PAGES_ACTOR, &import);
	return cat_import_run(
		fcinfo, ARG_IMPORT_PAGES_STRICT, &import,
		lcons(read_pages(cat_call_reply_required(fcinfo, ARG_IMPORT_PAGES_HARVEST)),
			  cat_import_split(body, strlen(body))),
		NULL);
}

CAT_FUNCTION(catalogue_document_json)
{
	char *document = text_to_cstring(PG_GETARG_TEXT_PP(ARG_DOCUMENT_JSON_DOCUMENT));
	const char *what = cat_import_sniff(document);
	text *json;

	if (what)
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("%s", what)));
	json = DatumGetTextP(DirectFunctionCall1(json_in, CStringGetDatum(document)));
	pfree(document);
	SET_VARSIZE(json, cat_import_shorten(VARDATA(json), VARSIZE(json) - VARHDRSZ) + VARHDRSZ);
	PG_RETURN_TEXT_P(json);
}
