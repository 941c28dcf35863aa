/*
 * archive.c
 *	  Archives of datasets: their contents, and whether the existing archive is still up to
 *	  date.
 *
 * An archive is made for one audience: outsiders or users.  Its contents are described by a
 * manifest, a JSON text with everything that the archive will contain; the digest of the manifest
 * is the state of the archive.  Any change of contents or visibility therefore makes the existing
 * archive outdated, and an outdated one is never sent.
 */
#include "catalogue.h"

#include "read/read.h"

#define ARCHIVE_TYPE "application/zip"

static const struct
{
	const char *name;
	AccessLevel access;
} audiences[] = {{"outsiders", ACCESS_OUTSIDER}, {"internal", ACCESS_INTERNAL}};

/* Names of the records that a dataset is linked to, as a member of its object. */
static const char linked_sql[] =
	"'%s', (SELECT coalesce(json_agg(t.name ORDER BY l.position, t.id), '[]') "
	"FROM catalogue.datasets_%s l JOIN catalogue.%s t ON t.id = l.%s "
	"WHERE l.dataset = d.id AND l.deleted_at IS NULL AND ";

/*
 * Files with their names in the archive.  A name is safe on every platform: it consists of few
 * characters, does not begin with a dot, and is neither a device name nor equal to another entry,
 * ignoring case.
 */
static const char files_sql[] =
	"SELECT f.id, f.name, f.description, f.url, f.created_at, f.revision, s.blob, s.media_type, "
	"b.size, encode(b.digest, 'hex') AS sha256, e.name AS entry, "
	"e.name ~* '^(readme\\.txt|datapackage\\.json|(con|prn|aux|nul|com[0-9]|lpt[0-9])(\\..*)?)$' "
	"OR "
	"row_number() OVER (PARTITION BY lower(e.name) ORDER BY f.created_at, f.id) > 1 AS taken "
	"FROM catalogue.files f LEFT JOIN catalogue.stored_file s ON s.file = f.id "
	"LEFT JOIN catalogue.blob b ON b.id = s.blob CROSS JOIN LATERAL "
	"(SELECT coalesce(nullif(ltrim(regexp_replace(f.file_name, '[^A-Za-z0-9._~-]+', '-', 'g'), "
	"'.-~'), ''), f.id) AS name) e "
	"WHERE f.dataset = d.id AND s.held IS NOT TRUE AND (s.file IS NOT NULL OR f.url <> '') AND ";

/* One file as an object; a text file with a table includes its columns. */
static const char file_sql[] =
	"json_build_object('id', f.id, 'name', f.name, 'description', f.description, 'url', f.url, "
	"'entry', CASE WHEN f.blob IS NOT NULL THEN "
	"CASE WHEN f.taken THEN f.id || '-' || f.entry ELSE f.entry END END, "
	"'blob', f.blob::text, 'size', f.size, 'sha256', f.sha256, 'mediaType', f.media_type, "
	"'table', (SELECT json_build_object('columns', h.columns, 'details', h.details) "
	"FROM catalogue.sheet h WHERE h.file = f.id AND h.revision = f.revision AND h.number = 1 "
	"AND f.media_type LIKE 'text/%'))";

/* A manifest $1 with its state $2, and what the archive says of itself. */
static const char whole_sql[] =
	"SELECT concat('{\"state\":\"', $2, '\",\"readme\":', "
	"to_json(catalogue.archive_readme($1::json)), "
	"',\"package\":', catalogue.archive_package($1::json), ',', substr($1, 2))";

static void
append_linked(StringInfo sql, const char *relation, const char *column, AccessLevel access)
{
	appendStringInfo(sql, linked_sql, relation, relation, relation, column);
	cat_visibility_write(sql, cat_registry_resource(relation), "t", access);
	appendStringInfoString(sql, "), ");
}

/* Return a statement for the manifest of dataset $1, without its state. */
static char *
manifest_sql(AccessLevel access)
{
	StringInfo sql = makeStringInfo();

	appendStringInfoString(sql, "SELECT json_build_object('dataset', json_build_object("
								"'id', d.id, 'name', d.name, 'slug', d.slug, ");
	append_linked(sql, "categories", "category", access);
	append_linked(sql, "tags", "tag", access);
	appendStringInfo(sql,
					 "'description', d.description, 'notes', d.notes), "
					 "'time', extract(epoch FROM d.updated_at)::bigint, "
					 "'files', (SELECT coalesce(json_agg(%s ORDER BY f.created_at, f.id), '[]') "
					 "FROM (%s",
					 file_sql, files_sql);
	cat_visibility_write(sql, cat_registry_resource("files"), "f", access);
	appendStringInfoString(sql, ") f))::text FROM catalogue.datasets d WHERE d.id = $1 AND ");
	cat_visibility_write(sql, cat_registry_resource("datasets"), "d", access);
	return sql->data;
}

/* Return the manifest of a dataset, NULL if the audience does not see the dataset. */
static char *
manifest_of(const char *dataset, AccessLevel access)
{
	cat_statement_fresh(manifest_sql(access), text_param(dataset));
	return SPI_processed == 1 ? cat_result_text(1) : NULL;
}

/* Return the state of an archive with a manifest. */
static char *
state_of(const char *manifest)
{
	cat_statement_read("SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')",
					   text_param(manifest));
	return cat_result_text(1);
}

/*
 * Return the id of the dataset that a path segment names, and its slug.  Raises OD404 if it is not
 * visible.
 */
static const char *
find_dataset(const char *name, AccessLevel access, char **slug)
{
	Resource *datasets = cat_registry_resource("datasets");
	StringInfo sql = makeStringInfo();

	appendStringInfoString(sql, "SELECT d.id::text, coalesce(d.slug, d.id)::text FROM catalogue."
								"datasets d WHERE d.id = $1 AND ");
	cat_visibility_write(sql, datasets, "d", access);
	cat_statement_fresh(sql->data, text_param(cat_named_id(datasets, name, access)));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", datasets->model, name)));
	*slug = cat_result_text(2);
	return cat_result_text(1);
}

/* Append the description of the archive if it exists in that state; else return false. */
static bool
tell_archive(StringInfo data, const char *dataset, const char *audience, const char *state,
			 const char *slug)
{
	cat_statement_fresh("SELECT b.id, b.size, encode(b.digest, 'hex') FROM catalogue.archive a "
						"JOIN catalogue.blob b ON b.id = a.blob "
						"WHERE a.dataset = $1 AND a.audience = $2 AND a.state = $3",
						text_param(dataset), text_param(audience), text_param(state));
	if (SPI_processed == 0)
		return false;
	appendStringInfo(data,
					 "{\"blob\":" INT64_FORMAT ",\"size\":" INT64_FORMAT
					 ",\"sha256\":\"%s\",\"type\":\"" ARCHIVE_TYPE "\",\"name\":%s,\"held\":false}",
					 cat_result_int64(1), cat_result_int64(2), cat_result_text(3),
					 cat_json_quoted(psprintf("%s.zip", slug)));
	return true;
}

/* Create the job that makes the archive, and append its description. */
static void
tell_job(StringInfo data, const char *dataset, const char *audience, const char *state)
{
	cat_statement_fresh("SELECT catalogue.archive_now($1, $2, $3)", text_param(dataset),
						text_param(audience), text_param(state));
	/* in another statement, which sees the new job */
	cat_statement_fresh("SELECT j.id::text, j.state::text FROM catalogue.jobs j WHERE j.id = $1",
						text_param(cat_result_text(1)));
	if (SPI_processed == 0)
		elog(ERROR, "no job was made for the archive of dataset \"%s\"", dataset);
	appendStringInfo(data, "{\"job\":\"%s\",\"state\":\"%s\",\"type\":\"%s\"}", cat_result_text(1),
					 cat_result_text(2), ARCHIVE_TYPE);
}

/* Return the archive of a dataset for the caller's audience, or the job that makes it. */
CAT_REPLY(catalogue_archive)
{
	Actor actor;
	AccessLevel access;
	const char *audience;
	char *manifest;
	char *state;
	char *slug;

	reply->resource = "datasets";
	reply->data = makeStringInfo();
	cat_actor_read(fcinfo, 1, &actor);
	cat_consumer_require(&actor, "datasets");
	cat_consumer_require(&actor, "files");
	access = actor.access == ACCESS_OUTSIDER ? ACCESS_OUTSIDER : ACCESS_INTERNAL;
	audience = audiences[access].name;
	reply->id = find_dataset(cat_call_reply_required(fcinfo, 0), access, &slug);
	manifest = manifest_of(reply->id, access);
	if (!manifest)
		ereport(ERROR, (errcode(OD404), errmsg("Dataset \"%s\" does not exist", reply->id)));
	state = state_of(manifest);
	if (!tell_archive(reply->data, reply->id, audience, state, slug))
		tell_job(reply->data, reply->id, audience, state);
}

static AccessLevel
access_of(const char *audience)
{
	for (size_t i = 0; i < lengthof(audiences); i++)
		if (strcmp(audiences[i].name, audience) == 0)
			return audiences[i].access;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("audience \"%s\" does not exist", audience),
					errhint("It takes outsiders or internal.")));
}

/*
 * Return the manifest, preceded by its state, as JSON; null if the audience does not see the
 * dataset.
 */
CAT_FUNCTION(catalogue_archive_manifest)
{
	MemoryContext caller = CurrentMemoryContext;
	char *manifest;

	cat_owner_call_begin();
	manifest = manifest_of(cat_call_reply_argument(fcinfo, 0),
						   access_of(cat_call_reply_argument(fcinfo, 1)));
	if (manifest)
	{
		cat_statement_read(whole_sql, text_param(manifest), text_param(state_of(manifest)));
		manifest = MemoryContextStrdup(caller, cat_result_text(1));
	}
	cat_owner_call_end();
	if (!manifest)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(manifest));
}

/*
 * Enqueue the job for an archive, or remove the archive if its audience does not see the dataset.
 */
static void
renew(const char *dataset, const char *audience, AccessLevel access)
{
	Resource *datasets = cat_registry_resource("datasets");
	StringInfo sql = makeStringInfo();

	appendStringInfoString(sql, "SELECT FROM catalogue.datasets d WHERE d.id = $1 AND ");
	cat_visibility_write(sql, datasets, "d", access);
	cat_statement_fresh(sql->data, text_param(dataset));
	cat_statement_fresh(
		SPI_processed > 0
			? "SELECT catalogue.archive_queue($1, $2)"
			: "DELETE FROM catalogue.archive a WHERE a.dataset = $1 AND a.audience = $2",
		text_param(dataset), text_param(audience));
}

CAT_FUNCTION(catalogue_archive_later)
{
	cat_owner_call_begin();
	for (size_t i = 0; i < lengthof(audiences); i++)
		renew(cat_call_reply_argument(fcinfo, 0), audiences[i].name, audiences[i].access);
	cat_owner_call_end();
	PG_RETURN_VOID();
}
