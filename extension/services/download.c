/*
 * download.c
 *	  Downloads of files, archives and images, and their counts.
 *
 * A reply describes the bytes, or the conversion of the contents; the bytes themselves are read row
 * by row with catalogue.blob_bytes().
 */
#include "catalogue.h"

#include "files/files.h"
#include "rows/contents/contents.h"

CAT_REPLY(catalogue_count_download)
{
	cat_blob_commit_later();
	cat_statement_fresh(
		"INSERT INTO catalogue.download_count (dataset, file, day, count) "
		"SELECT d.dataset, $1, (now() AT TIME ZONE 'UTC')::date, 1 FROM (SELECT coalesce($2, "
		"(SELECT f.dataset::text FROM catalogue.files f WHERE f.id = $1)) AS dataset) d "
		"WHERE d.dataset IS NOT NULL",
		text_param(cat_call_reply_optional(fcinfo, 0)),
		text_param(cat_call_reply_optional(fcinfo, 1)));
}

/* Return a statement for the downloads of visible datasets, in total and by category. */
static char *
downloads_sql(const Resource *datasets, const Resource *categories, AccessLevel access)
{
	StringInfo sql = makeStringInfo();

	appendStringInfoString(sql, "WITH counted AS (SELECT c.dataset, sum(c.count) AS count FROM "
								"catalogue.download_count c JOIN catalogue.datasets d ON d.id = "
								"c.dataset WHERE ");
	cat_visibility_write(sql, datasets, "d", access);
	appendStringInfoString(
		sql, " GROUP BY c.dataset) SELECT 'total', coalesce(sum(count), 0)::text FROM counted "
			 "UNION ALL (SELECT t.id::text, coalesce(sum(n.count), 0)::text "
			 "FROM catalogue.categories t LEFT JOIN catalogue.datasets_categories j "
			 "ON j.category = t.id AND j.deleted_at IS NULL "
			 "LEFT JOIN counted n ON n.dataset = j.dataset WHERE ");
	cat_visibility_write(sql, categories, "t", access);
	appendStringInfoString(sql, " GROUP BY t.id, t.created_at ORDER BY t.created_at, t.id)");
	return sql->data;
}

CAT_REPLY(catalogue_category_downloads)
{
	Actor actor;

	cat_actor_read(fcinfo, 0, &actor);
	cat_consumer_require(&actor, "categories");
	cat_statement_fresh(downloads_sql(cat_registry_resource("datasets"),
									  cat_registry_resource("categories"), actor.access));
	reply->data = makeStringInfo();
	for (uint64 i = 0; i < SPI_processed; i++)
		appendStringInfo(reply->data, "%c\"%s\":%s", i == 0 ? '{' : ',', cat_result_text_at(i, 1),
						 cat_result_text_at(i, 2));
	appendStringInfoChar(reply->data, '}');
}

/* Formats that the contents of a file can be converted to. */
typedef struct Form
{
	const char *name;
	const char *media_type;
	bool streamed; /* converted while it is sent; else by a job of the worker beforehand */
	int64 rows;	   /* maximum number of rows of a sheet; 0: no limit */
	int columns;   /* maximum number of columns of a sheet */
} Form;

static const Form forms[] = {
	{"csv", "text/csv", true, 0, 0},
	{"json", "application/json", true, 0, 0},
	{"ndjson", "application/x-ndjson", true, 0, 0},
	{"geojson", "application/geo+json", true, 0, 0},
	{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", false, 0, 0},
	{"xls", "application/vnd.ms-excel", false, 65535, 256},
};

/* The file that a call names, and its stored bytes. */
typedef struct RequestedFile
{
	char *id;
	char *file_name; /* NULL for none */
	char *url;
	char *parse_state; /* NULL: its type is not parsed */
	char *parse_reason;
	char *revision; /* NULL: it has no contents */
	char *sha256;
	int64 blob; /* 0: it has no bytes */
	int64 size;
	char *media_type;
	bool held;
	bool remote; /* a remote service gives it */
} RequestedFile;

/* Columns of RequestedFile, for the file t. */
static const char file_sql[] =
	"SELECT t.id::text, t.file_name::text, t.url::text, t.parse_state::text, t.parse_reason::text, "
	"t.revision::text, encode(b.digest, 'hex'), b.id, b.size, s.media_type, s.held, "
	"num_nonnulls(t.rest_service, t.soap_service) > 0 "
	"FROM catalogue.files t LEFT JOIN catalogue.stored_file s ON s.file = t.id "
	"LEFT JOIN catalogue.blob b ON b.id = s.blob WHERE ";

/* Ways to name a file; the first that finds one is used. */
static const char *const names[] = {"t.id = $1", "t.slug = $1", "lower(t.file_name) = lower($1)"};

static RequestedFile
file_of_row(void)
{
	RequestedFile file = {
		.id = cat_result_text(1),
		.file_name = cat_result_text(2),
		.url = cat_result_text(3),
		.parse_state = cat_result_text(4),
		.parse_reason = cat_result_text(5),
		.revision = cat_result_text(6),
		.sha256 = cat_result_text(7),
		.blob = cat_result_int64(8),
		.size = cat_result_int64(9),
		.media_type = cat_result_text(10),
		.held = cat_result_bool(11),
		.remote = cat_result_bool(12),
	};

	return file;
}

/* Find a visible file by its id, slug or stored name.  Raises OD404 if there is none. */
static RequestedFile
find_file(const char *name, const Actor *actor)
{
	const Resource *files = cat_registry_resource("files");

	cat_visibility_require(files, actor->access);
	cat_consumer_require(actor, files->name);
	for (size_t i = 0; i < lengthof(names); i++)
	{
		StringInfo sql = makeStringInfo();

		appendStringInfo(sql, "%s%s AND ", file_sql, names[i]);
		cat_visibility_write(sql, files, "t", actor->access);
		appendStringInfoString(sql, " ORDER BY t.created_at, t.id LIMIT 1");
		cat_statement_fresh(sql->data, text_param(name));
		if (SPI_processed > 0)
			return file_of_row();
	}
	ereport(ERROR, (errcode(OD404), errmsg("File \"%s\" does not exist", name)));
}

/*
 * Raise OD404 if the service does not have the bytes of the file, OD409 if they are held for the
 * scanner, or have not come from the file's remote service.
 */
static void
require_bytes(const RequestedFile *file)
{
	if (file->blob == 0 && file->remote)
		ereport(ERROR, (errcode(OD409), errmsg("the file's remote service has not given it yet")));
	if (file->blob == 0)
		ereport(ERROR, (errcode(OD404),
						file->url ? errmsg("the file is not kept here, but at %s", file->url)
								  : errmsg("the file has no bytes")));
	if (file->held)
		ereport(ERROR, (errcode(OD409), errmsg("the file has not been found clean yet")));
}

/* Append the description of the bytes to send. */
static void
append_bytes(StringInfo json, int64 blob, int64 size, const char *sha256, const char *media_type,
			 const char *name)
{
	appendStringInfo(json, "{\"blob\":" INT64_FORMAT ",\"size\":" INT64_FORMAT, blob, size);
	cat_json_text_member(json, "sha256", sha256);
	cat_json_text_member(json, "type", media_type);
	cat_json_text_member(json, "name", name);
	appendStringInfoString(json, ",\"held\":false}");
}

static const char *
own_name(const RequestedFile *file)
{
	return file->file_name ? file->file_name : file->id;
}

/* Return the name of the file in another format. */
static char *
other_name(const RequestedFile *file, const char *form)
{
	const char *name = own_name(file);
	const char *dot = strrchr(name, '.');

	return psprintf("%.*s.%s", (int) (dot ? dot - name : (ptrdiff_t) strlen(name)), name, form);
}

/* Raise OD406: the file cannot be given in that form. */
pg_noreturn static void
refuse_form(const RequestedFile *file, const char *form)
{
	ereport(ERROR, (errcode(OD406),
					errmsg("a file of type \"%s\" cannot be converted to \"%s\"",
						   cat_filetype_extension(own_name(file)), form),
					errhint("Rows can be converted to csv, json, ndjson, geojson, xlsx and xls.")));
}

/*
 * Raise OD406 if the file's type is not parsed, OD409 if it has not been parsed yet or could not
 * be.
 */
static void
require_contents(const RequestedFile *file, const char *form)
{
	if (!file->parse_state && !file->revision)
		refuse_form(file, form);
	if (file->revision)
		return;
	ereport(ERROR, (errcode(OD409),
					strcmp(file->parse_state, "failed") == 0
						? errmsg("the contents of the file could not be read")
						: errmsg("the contents of the file are still being read"),
					errdetail_internal("{\"parseState\":%s,\"parseReason\":%s}",
									   cat_json_quoted(file->parse_state),
									   cat_json_quoted(file->parse_reason))));
}

static void
append_stream(StringInfo json, const RequestedFile *file, const Form *form)
{
	appendStringInfoChar(json, '{');
	cat_json_text_member(json, "stream", form->name);
	cat_json_text_member(json, "name", other_name(file, form->name));
	cat_json_text_member(json, "type", form->media_type);
	appendStringInfo(json, ",\"revision\":%s}", file->revision);
}

/* Raise OD406 if a sheet is larger than the format allows. */
static void
require_room(const Sheet *sheet, const Form *form)
{
	if (form->rows > 0 && (sheet->rows > form->rows || sheet->ncolumns > form->columns))
		ereport(
			ERROR,
			(errcode(OD406),
			 errmsg("the sheet \"%s\" has " INT64_FORMAT
					" rows and %d columns, more than \"%s\" can have",
					sheet->name, sheet->rows, sheet->ncolumns, form->name),
			 errhint("It has at most " INT64_FORMAT
					 " rows and %d columns in each sheet; xlsx, csv and json have room for more.",
					 form->rows, form->columns)));
}

/*
 * Return the key of a conversion: the name of the format, followed by the number of the sheet if
 * the query selects one.
 */
static const char *
made_form(const RequestedFile *file, const Form *form, const char *query, const Actor *actor)
{
	SheetQuery *sheets = cat_sheet_query_read(query, actor);

	sheets->file = file->id;
	sheets->revision = strtoll(file->revision, NULL, 10);
	if (sheets->name)
	{
		cat_sheet_lookup(sheets);
		require_room(sheets->sheet, form);
		return psprintf("%s/%d", form->name, sheets->sheet->number);
	}
	foreach_ptr(Sheet, entry, cat_sheet_lookup_all(sheets))
		require_room(entry, form);
	return form->name;
}

/*
 * Append the bytes of a conversion of the present contents; false if it has not been made.
 *
 * Raises OD406 if the conversion has failed.
 */
static bool
append_made(StringInfo json, const RequestedFile *file, const Form *form, const char *made)
{
	cat_statement_fresh(
		"SELECT b.id, b.size, encode(b.digest, 'hex'), m.reason FROM catalogue.made_file m "
		"LEFT JOIN catalogue.blob b ON b.id = m.blob "
		"WHERE m.file = $1 AND m.form = $2 AND m.revision::text = $3",
		text_param(file->id), text_param(made), text_param(file->revision));
	if (SPI_processed == 0)
		return false;
	if (cat_result_text(4))
		ereport(ERROR, (errcode(OD406), errmsg("the file cannot be converted to \"%s\": %s",
											   form->name, cat_result_text(4))));
	append_bytes(json, cat_result_int64(1), cat_result_int64(2), cat_result_text(3),
				 form->media_type, other_name(file, form->name));
	return true;
}

/*
 * Create the job that converts the file, and append its description; the job is visible to those
 * who see the file.
 */
static void
append_job(StringInfo json, const RequestedFile *file, const Form *form, const char *made,
		   const Actor *actor)
{
	StringInfo details = makeStringInfo();
	const char *audience = actor->access == ACCESS_OUTSIDER ? "outsiders" : "internal";
	char *job;

	appendStringInfoChar(details, '{');
	cat_json_text_member(details, "file", file->id);
	cat_json_text_member(details, "form", made);
	cat_json_text_member(details, "name", other_name(file, form->name));
	appendStringInfo(details, ",\"revision\":%s}", file->revision);
	cat_statement_fresh(
		"SELECT j.id, j.state FROM catalogue.job_for('convert', 'file', $1, $2::jsonb, $3) j",
		text_param(file->id), text_param(details->data), text_param(audience));
	job = cat_result_text(1);
	appendStringInfoChar(json, '{');
	cat_json_text_member(json, "job", job);
	cat_json_text_member(json, "state", cat_result_text(2));
	cat_json_text_member(json, "type", form->media_type);
	appendStringInfoChar(json, '}');
}

static const Form *
find_form(const char *name)
{
	for (size_t i = 0; i < lengthof(forms); i++)
		if (pg_strcasecmp(forms[i].name, name) == 0)
			return &forms[i];
	return NULL;
}

/* Return whether a form is the file as it came; of what is written row by row a query selects rows. */
static bool
is_original(const RequestedFile *file, const char *form, const char *query)
{
	const Form *found = form ? find_form(form) : NULL;

	return !form || (pg_strcasecmp(cat_filetype_extension(own_name(file)), form) == 0 &&
					 !(query && *query && found && found->streamed));
}

static void
append_form(StringInfo json, const RequestedFile *file, const char *name, const char *query,
			const Actor *actor)
{
	const Form *form = find_form(name);
	const char *made;

	if (!form)
		refuse_form(file, name);
	require_contents(file, form->name);
	if (form->streamed)
		append_stream(json, file, form);
	else if (!append_made(json, file, form, made = made_form(file, form, query, actor)))
		append_job(json, file, form, made, actor);
}

CAT_REPLY(catalogue_download)
{
	const char *form = cat_call_reply_optional(fcinfo, 1);
	const char *query = cat_call_reply_argument(fcinfo, 2);
	Actor actor;
	RequestedFile file;

	reply->resource = "files";
	cat_actor_read(fcinfo, 3, &actor);
	file = find_file(cat_call_reply_required(fcinfo, 0), &actor);
	require_bytes(&file);
	reply->id = file.id;
	reply->data = makeStringInfo();
	if (is_original(&file, form, query))
		append_bytes(reply->data, file.blob, file.size, file.sha256, file.media_type,
					 own_name(&file));
	else
		append_form(reply->data, &file, form, query, &actor);
}

CAT_REPLY(catalogue_image)
{
	StringInfoData sql;
	Resource *categories;
	Actor actor;

	reply->resource = "categories";
	categories = cat_registry_resource("categories");
	cat_actor_read(fcinfo, 1, &actor);
	cat_visibility_require(categories, actor.access);
	cat_consumer_require(&actor, categories->name);
	reply->id = cat_named_id(categories, cat_call_reply_required(fcinfo, 0), actor.access);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT b.id, b.size, encode(b.digest, 'hex'), s.media_type, "
								 "coalesce(t.file_name, t.id)::text FROM catalogue.categories t "
								 "JOIN catalogue.stored_image s ON s.category = t.id "
								 "JOIN catalogue.blob b ON b.id = s.blob WHERE t.id = $1 AND ");
	cat_visibility_write(&sql, categories, "t", actor.access);
	cat_statement_fresh(sql.data, text_param(reply->id));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("Category \"%s\" has no image", reply->id)));
	reply->data = makeStringInfo();
	append_bytes(reply->data, cat_result_int64(1), cat_result_int64(2), cat_result_text(3),
				 cat_result_text(4), cat_result_text(5));
}

/*
 * Return the archive of a dataset for the caller's audience, or the job that makes it.
 *
 * Its state is a digest of all that the archive will contain, so that one is never sent that is
 * older than what the audience sees.
 */
CAT_REPLY(catalogue_archive)
{
	const char *name = cat_call_reply_required(fcinfo, 0);
	Resource *datasets = cat_registry_resource("datasets");
	AccessLevel access;
	Actor actor;

	cat_actor_read(fcinfo, 1, &actor);
	cat_consumer_require(&actor, datasets->name);
	cat_consumer_require(&actor, "files");
	access = actor.access == ACCESS_OUTSIDER ? ACCESS_OUTSIDER : ACCESS_INTERNAL;
	reply->resource = datasets->name;
	reply->id = cat_named_id(datasets, name, access);
	if (!cat_rows_exists(datasets, reply->id, access))
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", datasets->model, name)));
	cat_statement_fresh("SELECT catalogue.archive_answer($1, $2)", text_param(reply->id),
						text_param(access == ACCESS_OUTSIDER ? "outsiders" : "internal"));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

/*
 * Have the archives of a dataset made again; one whose audience does not see the dataset any more is
 * removed.  Triggers call it, also of SQL of version 1.0.
 */
CAT_FUNCTION(catalogue_archive_later)
{
	static const char *const audiences[] = {"outsiders", "internal"};
	const char *dataset = cat_call_reply_argument(fcinfo, 0);

	cat_owner_call_begin();
	for (int i = 0; i < (int) lengthof(audiences); i++)
		cat_statement_fresh(
			cat_rows_exists(cat_registry_resource("datasets"), dataset, (AccessLevel) i)
				? "SELECT catalogue.archive_queue($1, $2)"
				: "DELETE FROM catalogue.archive a WHERE a.dataset = $1 AND a.audience = $2",
			text_param(dataset), text_param(audiences[i]));
	cat_owner_call_end();
	PG_RETURN_VOID();
}
