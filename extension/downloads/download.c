/*
 * download.c
 *	  Downloads of files, archives and images, and their counts.
 *
 * Here is who may have them; what is sent is found by functions in SQL (download.sql, archive.sql).  The bytes
 * themselves are read row by row with catalogue.blob_bytes().
 */
#include "catalogue.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "base/base.h"
#include "downloads/downloads_internal.h"
#include "files/download_formats.h"
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
		text_param(cat_call_reply_optional(fcinfo, ARG_COUNT_DOWNLOAD_FILE)),
		text_param(cat_call_reply_optional(fcinfo, ARG_COUNT_DOWNLOAD_DATASET)));
}

/* Return a statement for the downloads of visible datasets, in total and by category. */
static char *
downloads_sql(const Resource *datasets, const Resource *categories, AccessLevel access)
{
	StringInfo sql = makeStringInfo();

	appendStringInfoString(sql, "WITH counted AS (SELECT c.dataset, sum(c.count) AS count FROM "
								"catalogue.download_count c JOIN catalogue.datasets d ON d.id = "
								"c.dataset WHERE ");
	cat_seen_write(sql, datasets, "d", access);
	appendStringInfoString(
		sql, " GROUP BY c.dataset), sums AS (SELECT j.category, sum(n.count) AS count "
			 "FROM counted n JOIN catalogue.datasets_categories j ON j.dataset = n.dataset "
			 "WHERE j.deleted_at IS NULL GROUP BY j.category) "
			 "SELECT 'total', coalesce(sum(count), 0)::text FROM counted "
			 "UNION ALL (SELECT t.id::text, coalesce(s.count, 0)::text FROM catalogue.categories t "
			 "LEFT JOIN sums s ON s.category = t.id WHERE ");
	cat_seen_write(sql, categories, "t", access);
	appendStringInfoString(sql, " ORDER BY t.created_at, t.id)");
	return sql->data;
}

CAT_REPLY(catalogue_category_downloads)
{
	Actor actor;

	cat_actor_read(fcinfo, ARG_CATEGORY_DOWNLOADS_ACTOR, &actor);
	cat_consumer_require(&actor, "categories");
	cat_statement_fresh(downloads_sql(cat_registry_resource("datasets"),
									  cat_registry_resource("categories"), actor.access));
	reply->data = makeStringInfo();
	for (uint64 i = 0; i < SPI_processed; i++)
		appendStringInfo(reply->data, "%c\"%s\":%s", i == 0 ? '{' : ',', cat_result_text_at(i, 1),
						 cat_result_text_at(i, 2));
	appendStringInfoChar(reply->data, '}');
}

const char *
cat_download_audience(const Actor *actor)
{
	return actor->access == ACCESS_OUTSIDER ? "outsiders" : "internal";
}

/*
 * Return the id of the visible file that a path names by its id, slug or stored name; of several the one
 * that was created first.  Raises OD404 if there is none.
 */
static const char *
file_named(const char *name, const Actor *actor)
{
	Resource *files = cat_registry_resource("files");
	StringInfo sql = makeStringInfo();
	const char *id;

	cat_visibility_require(files, actor->access);
	cat_consumer_require(actor, files->name);
	id = cat_record_named_id(files, name, actor->access);
	if (cat_rows_exists(files, id, actor->access))
		return id;
	appendStringInfoString(
		sql, "SELECT t.id::text FROM catalogue.files t WHERE lower(t.file_name) = lower($1) AND ");
	cat_seen_write(sql, files, "t", actor->access);
	appendStringInfoString(sql, " ORDER BY t.created_at, t.id LIMIT 1");
	cat_statement_fresh(sql->data, text_param(cat_compose_text(name)));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("File \"%s\" does not exist", name)));
	return cat_result_text(1);
}

/* Return whether a query asks for more than a byte order mark, or another parameter that does not count. */
static bool
selects_rows(const char *query, const char *but)
{
	char *name;
	char *value;

	while (cat_query_string_next(&query, &name, &value))
		if (strcmp(name, "bom") != 0 && strcmp(name, but) != 0)
			return true;
	return false;
}

int
cat_download_format(const char *name)
{
	for (int i = 0; name && i < (int) lengthof(download_formats); i++)
		if (pg_strcasecmp(download_formats[i].name, name) == 0)
			return i;
	return -1;
}

/* Return whether the file itself has the format. */
static bool
is_of_format(const char *file, const char *form)
{
	cat_statement_fresh("SELECT EXISTS (SELECT FROM catalogue.files f WHERE f.id = $1 "
						"AND lower(right(f.file_name, length($2) + 1)) = '.' || lower($2))",
						text_param(file), text_param(form));
	return DatumGetBool(cat_result_datum(1, &(bool){false}));
}

/* Return query and actor of the rows that a job makes a file of, as JSON; NULL for a workbook of all rows, and for what
 * no job makes. */
static const char *
selection_of(const Actor *actor, FunctionCallInfo fcinfo, const char *file)
{
	const char *form = cat_call_reply_optional(fcinfo, ARG_DOWNLOAD_FORM);
	const char *query = cat_call_reply_argument(fcinfo, ARG_DOWNLOAD_QUERY);
	int format = cat_download_format(form);
	bool selected;

	if (format < 0 || download_formats[format].streamed)
		return NULL;
	selected = download_formats[format].placed
				   ? selects_rows(query, "") || !is_of_format(file, form)
				   : selects_rows(query, "sheet");
	return selected ? cat_workbook_rows_selection(actor, fcinfo, &args_download, file,
												  (DownloadFormat) format)
					: NULL;
}

CAT_REPLY(catalogue_download)
{
	const char *form = cat_call_reply_optional(fcinfo, ARG_DOWNLOAD_FORM);
	const char *query = cat_call_reply_argument(fcinfo, ARG_DOWNLOAD_QUERY);
	const char *sheet;
	Actor actor;

	cat_actor_read(fcinfo, ARG_DOWNLOAD_ACTOR, &actor);
	reply->resource = "files";
	reply->id = file_named(cat_call_reply_required(fcinfo, ARG_DOWNLOAD_FILE), &actor);
	sheet = form ? cat_sheet_query_read(query, &actor)->name : NULL;
	cat_statement_fresh("SELECT catalogue.download_answer($1, $2, $3, $4, $5::jsonb, $6)",
						text_param(reply->id), text_param(form),
						bool_param(selects_rows(query, "")), text_param(sheet),
						text_param(selection_of(&actor, fcinfo, reply->id)),
						text_param(cat_download_audience(&actor)));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

pg_noreturn static void
no_image(const Resource *resource, const char *id)
{
	ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" has no image", resource->model, id)));
}

/* Reply with the image of a record; stored: the rows of images, t those of the resource. */
static void
give_image(CallReply *reply, const char *name, const char *record, const Actor *actor,
		   const char *stored)
{
	Resource *resource;

	reply->resource = name;
	resource = cat_registry_resource(name);
	cat_visibility_require(resource, actor->access);
	cat_consumer_require(actor, resource->name);
	reply->id = cat_record_named_id(resource, record, actor->access);
	if (!cat_rows_exists(resource, reply->id, actor->access))
		no_image(resource, reply->id);
	cat_statement_fresh(
		psprintf("SELECT left(catalogue.blob_answer(s.blob, s.media_type, coalesce(t.file_name, "
				 "t.id)), -1) || "
				 "format(',\"modified\":%%s}', floor(extract(epoch FROM t.updated_at))::bigint) "
				 "FROM %s WHERE t.id = $1",
				 stored),
		text_param(reply->id));
	if (SPI_processed == 0)
		no_image(resource, reply->id);
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

CAT_REPLY(catalogue_image)
{
	Actor actor;

	cat_actor_read(fcinfo, ARG_IMAGE_ACTOR, &actor);
	give_image(reply, "categories", cat_call_reply_required(fcinfo, ARG_IMAGE_CATEGORY), &actor,
			   "catalogue.categories t JOIN catalogue.stored_image s ON s.category = t.id");
}

CAT_REPLY(catalogue_logo)
{
	Actor actor;

	cat_actor_read(fcinfo, ARG_LOGO_ACTOR, &actor);
	give_image(reply, "organizations", cat_call_reply_required(fcinfo, ARG_LOGO_ORGANIZATION),
			   &actor,
			   "catalogue.organizations t JOIN catalogue.stored_logo s ON s.organization = t.id");
}

/*
 * Return the archive of a dataset for the caller's audience, or the job that makes it.
 *
 * Its state is a digest of all that the archive will contain, so that one is never sent that is
 * older than what the audience sees.
 */
CAT_REPLY(catalogue_archive)
{
	const char *name = cat_call_reply_required(fcinfo, ARG_ARCHIVE_DATASET);
	Resource *datasets = cat_registry_resource("datasets");
	AccessLevel access;
	Actor actor;

	cat_actor_read(fcinfo, ARG_ARCHIVE_ACTOR, &actor);
	cat_consumer_require(&actor, datasets->name);
	cat_consumer_require(&actor, "files");
	access = actor.access == ACCESS_OUTSIDER ? ACCESS_OUTSIDER : ACCESS_INTERNAL;
	reply->resource = datasets->name;
	reply->id = cat_record_named_id(datasets, name, access);
	if (!cat_rows_exists(datasets, reply->id, access))
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", datasets->model, name)));
	cat_statement_fresh("SELECT catalogue.archive_answer($1, $2)", text_param(reply->id),
						text_param(cat_download_audience(&actor)));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

/*
 * Have the archives of a dataset made again; one whose audience does not see the dataset any more is
 * removed.  Triggers call it, also of SQL of version 1.0.
 */
CAT_FUNCTION(catalogue_archive_later)
{
	static const char *const audiences[] = {"outsiders", "internal"};
	const char *dataset = cat_call_reply_argument(fcinfo, ARG_ARCHIVE_LATER_DATASET);

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

CAT_FUNCTION(catalogue_download_formats)
{
	const ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (size_t i = 0; i < lengthof(download_formats); i++)
	{
		Datum values[] = {CStringGetTextDatum(download_formats[i].name),
						  CStringGetTextDatum(download_formats[i].media_type),
						  CStringGetTextDatum(download_formats[i].ending),
						  BoolGetDatum(download_formats[i].streamed),
						  Int32GetDatum(download_formats[i].rows),
						  Int32GetDatum(download_formats[i].columns)};
		bool nulls[] = {false,
						false,
						false,
						false,
						download_formats[i].rows == 0,
						download_formats[i].columns == 0};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
