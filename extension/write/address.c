/*
 * address.c
 *	  Words that stand for records in addresses: words of paths, and names given up by renaming.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation_d.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "base/settings.h"
#include "write/write_internal.h"

/* The paths of the service; the table is the one by which the shim finds the path of a request. */
static const char *const paths[] = {
#define CALL(...)
#define PATH(verb, path, ...) path,
#include "../shim/database/endpoints.h"
};

/* Return whether a word of a path, which begins here, is this one; of any letter case. */
static bool
is_word(const char *path, const char *word)
{
	size_t length = strcspn(path, "/");

	return length == strlen(word) && pg_strncasecmp(path, word, length) == 0;
}

bool
cat_address_is_path(const char *resource, const char *word)
{
	for (size_t i = 0; i < lengthof(paths); i++)
	{
		const char *first = paths[i] + 1;
		const char *second = strchr(first, '/');

		if (second && is_word(second + 1, word) &&
			(is_word(first, ":resource") || is_word(first, resource)))
			return true;
	}
	return false;
}

/* The maximum number of former names of a record and a column. */
#define FORMER_NAMES 20

/* The columns whose values stand for records in addresses. */
static const struct
{
	const char *column;
	const char *resource; /* NULL: of each that has the column */
	bool folded;		  /* compared without regard to letter case */
} named_by[] = {{"slug", NULL, false}, {"file_name", "files", true}};

/* Return whether the tables are there: they are not while the SQL is that of version 1.0. */
static bool
is_kept(void)
{
	return OidIsValid(get_relname_relid("former_name", get_namespace_oid("catalogue", false)));
}

/* Return whether no record of a resource has given up a slug, as of most; false where a statement must tell. */
static bool
is_new(const Resource *resource, const char *word)
{
	CatScan scan;
	bool found;

	if (!cat_index_scan_open_named(&scan, "former_name", "former_name_pkey"))
		return false;
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	cat_index_scan_seek_words(
		&scan, list_make3(resource->name, pstrdup("slug"), unconstify(char *, word)));
	found = cat_index_scan_next(&scan, false);
	cat_index_scan_close(&scan);
	PopActiveSnapshot();
	return !found;
}

bool
cat_address_is_held(const Resource *resource, const char *word, const char *id)
{
	if (cat_address_is_path(resource->name, word))
		return true;
	if (is_new(resource, word) || !is_kept())
		return false;
	cat_statement_fresh(psprintf("SELECT FROM catalogue.former_name n JOIN %s t ON t.id = n.id "
								 "WHERE n.resource = $1 AND n.column_name = 'slug' AND n.name = $2 "
								 "AND n.id <> $3 AND t.deleted_at IS NULL "
								 "AND n.given_up_at > now() - $4 * interval '1 s'",
								 resource->table),
						text_param(resource->name), text_param(word), text_param(id),
						int8_param(cat_name_retention));
	return SPI_processed > 0;
}

/*
 * Keep a name that a record gives up, and forget that it had its new one before.  Of many names
 * those that were given up last are kept.
 */
static void
give_up(const Resource *resource, const char *column, const char *id, const char *before,
		const char *after)
{
	cat_statement_fresh("INSERT INTO catalogue.former_name AS n (resource, column_name, name, id) "
						"VALUES ($1, $2, $3, $4) ON CONFLICT ON CONSTRAINT former_name_pkey "
						"DO UPDATE SET given_up_at = excluded.given_up_at",
						text_param(resource->name), text_param(column), text_param(before),
						text_param(id));
	cat_statement_fresh(
		"DELETE FROM catalogue.former_name n WHERE n.resource = $1 "
		"AND n.column_name = $2 AND n.id = $3 AND (n.name = $4 OR n.name NOT IN "
		"(SELECT o.name FROM catalogue.former_name o WHERE o.resource = $1 "
		"AND o.column_name = $2 AND o.id = $3 ORDER BY o.given_up_at DESC LIMIT $5))",
		text_param(resource->name), text_param(column), text_param(id), text_param(after),
		int8_param(FORMER_NAMES));
}

/* Return the name of a record in a column; NULL for none. */
static char *
name_in(TupleTableSlot *slot, const Field *field, bool folded)
{
	bool isnull;
	Datum value = slot_getattr(slot, field->attno, &isnull);
	char *name = isnull ? NULL : TextDatumGetCString(value);

	return name && folded ? str_tolower(name, strlen(name), DEFAULT_COLLATION_OID) : name;
}

void
cat_address_follow(Resource *resource, const char *id, TupleTableSlot *old, TupleTableSlot *new)
{
	for (size_t i = 0; i < lengthof(named_by); i++)
	{
		const Field *field = cat_registry_column(resource, named_by[i].column);
		char *before;
		char *after;

		if (!field || field->kind != FIELD_TEXT ||
			(named_by[i].resource && strcmp(named_by[i].resource, resource->name) != 0))
			continue;
		before = name_in(old, field, named_by[i].folded);
		after = name_in(new, field, named_by[i].folded);
		if (before && (!after || strcmp(before, after) != 0) && is_kept())
			give_up(resource, field->column, id, before, after ? after : "");
	}
}

CAT_FUNCTION(catalogue_is_path_word)
{
	PG_RETURN_BOOL(
		cat_address_is_path(text_to_cstring(PG_GETARG_TEXT_PP(ARG_IS_PATH_WORD_RESOURCE)),
							text_to_cstring(PG_GETARG_TEXT_PP(ARG_IS_PATH_WORD_WORD))));
}
