/*
 * import_term.c
 *	  Records that entries name: tags, categories, organizations, file types, update frequencies.
 *
 * They are found by name, or by slug except tags, and created where there is none.  What is found or
 * made is kept for the next entries; what an entry has made that is undone is forgotten again.  One
 * that may not be created is left out, and a note tells it.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "base/base.h"
#include "call/call.h"
#include "import/group_internal.h"
#include "import/records_internal.h"
#include "pg/pg.h"
#include "registry/registry.h"

#define ORGANIZATION_MAX 150 /* characters of the name of an organization */

/* The id of a term that may not be created. */
#define REFUSED ""

/* How records of a resource are found, and what those that are created have besides a name. */
static const struct
{
	const char *resource;
	const char *find; /* $1 name, $2 slug */
	const char *with; /* JSON behind the name */
} kinds[] = {
#define FIND(table)                                                            \
	"SELECT t.id::text FROM catalogue." table " t WHERE t.deleted_at IS NULL " \
	"AND (lower(t.name) = lower($1) OR lower(t.slug) = $2) "                   \
	"ORDER BY lower(t.name) = lower($1) DESC LIMIT 1"
#define FIND_BY_NAME(table)                                                    \
	"SELECT t.id::text FROM catalogue." table " t WHERE t.deleted_at IS NULL " \
	"AND lower(t.name) = lower($1) AND $2 IS NOT NULL"
	/* keywords that differ in their punctuation have one slug, and are different */
	{"tags", FIND_BY_NAME("tags"), ""},
	{"categories", FIND("categories"), ",\"color\":\"4477AA\",\"active\":true"},
	{"organizations", FIND("organizations"), ",\"active\":true"},
	{"filetypes", FIND("filetypes"), ""},
	{"updatefrequencies", FIND_BY_NAME("updatefrequencies"), ""},
#undef FIND_BY_NAME
#undef FIND
};

/* Keep the id of a term longer than its entry. */
static const char *
keep(Import *import, const char *key, const char *id, bool made)
{
	MemoryContext former = MemoryContextSwitchTo(GetMemoryChunkContext(import->report));
	char *kept_key = pstrdup(key);
	char *kept_id = pstrdup(id);

	cat_import_map_put(import->terms, kept_key, kept_id);
	if (made)
		import->made_terms = lappend(import->made_terms, kept_key);
	else if (*id == '\0')
		import->refused_terms = lappend(import->refused_terms, kept_key);
	MemoryContextSwitchTo(former);
	return kept_id;
}

/* Return the id under a key, or what a statement finds, which is then kept; NULL for none. */
static const char *
known(Import *import, const char *key, const char *sql, const char *first, const char *second)
{
	const char *id = cat_import_map_get(import->terms, key);

	if (id)
		return id;
	id = cat_import_find(sql, first, second);
	return id ? keep(import, key, id, false) : NULL;
}

/* Create a record; returns its id, REFUSED where that is not possible. */
static const char *
create(Import *import, int kind, const char *name, const char *whole)
{
	Attempt attempt = {import, kinds[kind].resource, NULL, NULL, NULL};
	StringInfoData body;
	const char *fault;

	initStringInfo(&body);
	appendStringInfoString(&body, "{\"name\":");
	cat_json_text_string(&body, name);
	appendStringInfoString(&body, kinds[kind].with);
	if (strcmp(name, whole) != 0)
	{
		appendStringInfoString(&body, ",\"description\":");
		cat_json_text_string(&body, cat_import_cut(whole, 350));
	}
	appendStringInfoChar(&body, '}');
	attempt.body = body.data;
	fault = cat_import_attempt(&attempt);
	if (!fault)
		return attempt.id;
	cat_import_note(import->entry,
					psprintf("%s: \"%s\" is left out: %s", kinds[kind].resource, name, fault));
	return REFUSED;
}

/* Return the id of the record with a name, NULL where there is none and it may not be created; whole:
 * the name as it was, if it is shortened. */
static const char *
term(Import *import, const char *resource, const char *name, const char *whole)
{
	const char *key = psprintf("%s %s", resource, name);
	const char *id;
	int kind = 0;

	while (strcmp(kinds[kind].resource, resource) != 0)
		kind++;
	id = known(import, key, kinds[kind].find, name, cat_fold_slug(name));
	if (!id)
	{
		id = create(import, kind, name, whole);
		id = keep(import, key, id, *id != '\0');
	}
	return *id ? id : NULL;
}

/* Return a name that an organization can have: the innermost units of a long one. */
static const char *
short_name(const char *name)
{
	int length = (int) strlen(name);
	int surplus = pg_mbstrlen_with_len(name, length) - ORGANIZATION_MAX;
	const char *earliest; /* where at most ORGANIZATION_MAX characters remain */
	const char *next;

	if (surplus <= 0)
		return name;
	earliest = name + pg_mbcharcliplen(name, length, surplus);
	next = strstr(earliest - Min(earliest - name, 2), ". ");
	return next && next[2] ? next + 2 : cat_import_cut(name, ORGANIZATION_MAX);
}

const char *
cat_import_term(Import *import, const char *resource, const char *name)
{
	const Field *field = cat_registry_field(cat_registry_resource(resource), "name");
	const char *whole = cat_one_line_trim(cat_compose_text(name));

	if (strcmp(resource, "organizations") == 0)
		return term(import, resource, short_name(whole), whole);
	name = cat_import_cut(whole, field->max);
	if (name != whole)
		cat_import_note(import->entry, psprintf("%s: \"%s\" is cut", resource, name));
	return term(import, resource, name, name);
}

/* Return the organization that new records of the user must be of, where the publisher that has the
 * name is another one; NULL otherwise. */
static const char *
limit_beside(Import *import, const char *resource, const char *name)
{
	const char *id =
		cat_permission_limit(&import->actor, cat_registry_resource(resource), "create");
	const char *own =
		id ? known(import, psprintf("limit %s", id),
				   "SELECT o.name::text FROM catalogue.organizations o WHERE o.id = $1 "
				   "AND $2 IS NOT NULL",
				   id, id)
		   : NULL;

	if (!own || (name && strcmp(name, own) == 0))
		return NULL;
	if (name)
		cat_import_note(
			import->entry,
			psprintf("publisher: your rights are limited to \"%s\", which is taken", own));
	return id;
}

const char *
cat_import_publisher(Import *import, const char *resource)
{
	const char *name = import->entry->publisher;
	const char *id = limit_beside(import, resource, name);

	if (!id && name)
		id = cat_import_term(import, "organizations", name);
	return id ? id : import->organization;
}

const char *
cat_import_provider(Import *import)
{
	const char *id = cat_import_publisher(import, "files");

	if (id)
		return id;
	cat_import_note(import->entry, "publisher: there is none; the default organization is taken");
	return known(import, "organizations",
				 "SELECT o.id::text FROM catalogue.organizations o, (SELECT u.organization FROM "
				 "catalogue.users u WHERE u.id = $2) u(own) WHERE o.deleted_at IS NULL AND "
				 "o.id::text IN ((SELECT c.value FROM catalogue.configs c WHERE c.key = $1 AND "
				 "c.deleted_at IS NULL), u.own) ORDER BY o.id = u.own LIMIT 1",
				 "defaultOrganization", import->actor.user);
}

const char *
cat_import_label(Import *import, const char *vocabulary, const char *value)
{
	return known(import, psprintf("%s %s", vocabulary, value),
				 "SELECT catalogue.vocabulary_label($1, $2)", vocabulary, value);
}

/* Return the part of a text behind the last slash, if it is an address. */
static const char *
last_part(const char *text)
{
	const char *last = strrchr(text, '/');

	return last && strncmp(text, "http", 4) == 0 ? last + 1 : text;
}

const char *
cat_import_frequency(Import *import, const char *code)
{
	const char *name = code ? cat_one_line_trim(code) : "irregular";
	const char *label = cat_import_label(import, "frequency", name);

	if (!label && cat_web_address_is(name))
	{
		cat_import_note(import->entry,
						psprintf("accrualPeriodicity: \"%s\" is not known; optionals have it",
								 cat_import_cut(name, 200)));
		label = cat_import_label(import, "frequency", "irregular");
	}
	return cat_import_term(import, "updatefrequencies", label ? label : name);
}

/* Return the file type of a media type, NULL for none. */
static const char *
type_of_media(Import *import, const char *media)
{
	return known(import, psprintf("media %s", media),
				 "SELECT t.id::text FROM catalogue.filetypes t WHERE t.deleted_at IS NULL "
				 "AND t.mimetype::jsonb ? $1 AND $2 IS NOT NULL ORDER BY t.created_at, t.id",
				 media, media);
}

const char *
cat_import_file_type(Import *import, const Distribution *distribution)
{
	static const char iana[] = "://www.iana.org/assignments/media-types/";
	const char *format = distribution->format ? cat_one_line_trim(distribution->format) : "";
	const char *medium = strstr(format, iana);
	const char *id = NULL;

	format = last_part(medium ? medium + strlen(iana) : format);
	if (strchr(format, '/'))
		id = type_of_media(import, pnstrdup(format, strcspn(format, ";")));
	if (!id && *format == '.')
		format++;
	if (!id && *format)
		id = cat_import_term(import, "filetypes", cat_fold_text(format, strlen(format)));
	return id ? id : cat_import_term(import, "filetypes", "other");
}

static void
drop_terms(const Import *import, List *keys)
{
	foreach_ptr(const char, key, keys)
		cat_import_map_drop(import->terms, key);
}

void
cat_import_terms_undo(Import *import)
{
	drop_terms(import, import->made_terms);
}

void
cat_import_terms_forget(Import *import)
{
	drop_terms(import, import->made_terms);
	drop_terms(import, import->refused_terms);
}

void
cat_import_terms_keep(Import *import)
{
	list_free(import->made_terms);
	list_free(import->refused_terms);
	import->made_terms = NIL;
	import->refused_terms = NIL;
}
