/*
 * import_file.c
 *	  The files of the distributions of an entry.
 *
 * A distribution is known by its identifier; where one of two has none, by its address with title and
 * format, else by its address, else by title and format.  So the file stays the same one when the
 * source gives it another title or another address.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "import/group_internal.h"
#include "import/records_internal.h"
#include "pg/pg.h"

#define GONE_MAX 1000 /* distributions of an entry that are gone and still known, at most */

/* A distribution as an earlier import has left it; NULL for what it has not. */
typedef struct Former
{
	const char *id; /* identifier */
	const char *url;
	const char *title;
	const char *format;
	const char *file;  /* id; NULL: it was deleted here */
	const char *base;  /* digests of its fields: JSON */
	const char *ended; /* instants at which imports have ended it: JSON */
	bool taken;		   /* by a distribution of the present import */
} Former;

/* In which order distributions are compared. */
typedef enum Likeness
{
	BY_IDENTIFIER,
	BY_ALL,
	BY_ADDRESS,
	BY_TITLE,
	LIKENESSES
} Likeness;

/* Return a member of an object as JSON, NULL where it is absent or null. */
static const char *
raw_of(List *members, const char *name)
{
	const Member *member = cat_body_member(members, name);

	return member && member->kind != MEMBER_NULL ? member->raw : NULL;
}

static Former *
read_former(const Member *element)
{
	List *members = cat_body_members(element->raw, strlen(element->raw));
	Former *former = palloc0(sizeof(Former));

	former->id = cat_import_text(cat_import_property(members, "id"));
	former->url = cat_import_text(cat_import_property(members, "url"));
	former->title = cat_import_composed(members, "title");
	former->format = cat_import_text(cat_import_property(members, "format"));
	former->file = cat_import_text(cat_import_property(members, "file"));
	former->base = raw_of(members, "base");
	former->ended = raw_of(members, "ended");
	return former;
}

/* Return the distributions that are known of an entry, List of Former *; earlier: JSON. */
static List *
read_formers(const char *earlier)
{
	List *formers = NIL;
	ListCell *cell;

	if (!earlier)
		return NIL;
	/* the first versions had an object of ids of files by addresses */
	if (*earlier == '{')
	{
		foreach_ptr(const Member, member, cat_body_members(earlier, strlen(earlier)))
		{
			const char *space = strrchr(member->name, ' ');
			Former *former = palloc0(sizeof(Former));

			former->url = space ? space + 1 : member->name;
			former->file = cat_import_text(member);
			formers = lappend(formers, former);
		}
		return formers;
	}
	foreach(cell, cat_body_elements(earlier))
		formers = lappend(formers, read_former(lfirst(cell)));
	return formers;
}

/* Append what is known of a distribution. */
static void
add_former(StringInfo out, const Former *former)
{
	appendStringInfo(out, "%s{\"file\":", out->len > 1 ? "," : "");
	if (former->file)
		cat_json_text_string(out, former->file);
	else
		appendStringInfoString(out, "null");
	cat_json_text_member(out, "id", former->id);
	cat_json_text_member(out, "url", former->url);
	cat_json_text_member(out, "title", former->title);
	cat_json_text_member(out, "format", former->format);
	if (former->base)
		appendStringInfo(out, ",\"base\":%s", former->base);
	if (former->ended)
		appendStringInfo(out, ",\"ended\":%s", former->ended);
	appendStringInfoChar(out, '}');
}

static const char *
or_none(const char *text)
{
	return text ? text : "";
}

/* Return the key by which distributions are alike, NULL for none; named: those with an identifier. */
static const char *
key_of(Likeness likeness, bool named, const char *id, const char *url, const char *title,
	   const char *format)
{
	switch (likeness)
	{
		case BY_IDENTIFIER:
			return id ? psprintf("i %s", id) : NULL;
		case BY_ALL:
			return psprintf("a%d %s\n%s\n%s", named, or_none(url), or_none(title), or_none(format));
		case BY_ADDRESS:
			return url ? psprintf("u%d %s", named, url) : NULL;
		default:
			return title ? psprintf("t%d %s\n%s", named, title, or_none(format)) : NULL;
	}
}

/* Return a map of Lists of Former * by their keys. */
static HTAB *
index_of(List *formers)
{
	HTAB *map = cat_import_map();

	foreach_ptr(Former, former, formers)
	{
		CHECK_FOR_INTERRUPTS();
		for (int likeness = 0; likeness < LIKENESSES; likeness++)
		{
			const char *key = key_of(likeness, former->id != NULL, former->id, former->url,
									 former->title, former->format);

			if (key)
				cat_import_map_put(map, key, lappend(cat_import_map_get(map, key), former));
		}
	}
	return map;
}

/* Take the first of the distributions under a key that no other one has taken; NULL: there is none. */
static Former *
take_first(HTAB *map, const char *key)
{
	List *formers = key ? cat_import_map_get(map, key) : NIL;

	while (formers != NIL && ((Former *) linitial(formers))->taken)
		formers = list_delete_first(formers);
	if (key)
		cat_import_map_put(map, key, formers);
	if (formers == NIL)
		return NULL;
	((Former *) linitial(formers))->taken = true;
	return linitial(formers);
}

/* Find what is known of each distribution. */
static void
match_all(List *distributions, HTAB *map, Former **matches)
{
	for (int likeness = 0; likeness < LIKENESSES; likeness++)
		for (int i = 0; i < list_length(distributions); i++)
		{
			const Distribution *d = list_nth(distributions, i);
			/* two identifiers that differ are of two distributions */
			int last = d->id ? 0 : 1;

			CHECK_FOR_INTERRUPTS();
			for (int named = 0; named <= last && !matches[i]; named++)
				matches[i] =
					take_first(map, key_of(likeness, named, d->id, d->url, d->title, d->format));
			if (likeness == BY_IDENTIFIER && d->relative && !matches[i])
				matches[i] = take_first(map, key_of(likeness, 0, d->relative, NULL, NULL, NULL));
		}
}

/*
 * Give a file the new address of its distribution, unless users have changed it.
 *
 * Requests cannot change it, since the rows of a file and its address belong together; here they do
 * so at the source.  A file whose bytes are stored here keeps its own.
 */
static void
follow_address(const Import *import, const RecordBody *body, const Former *former, const char *url)
{
	if (former->url && strcmp(former->url, url) != 0 && cat_import_body_takes(import, body, "url"))
		cat_statement_in(WRITE_BY_RULES,
						 "UPDATE catalogue.files SET url = $2 WHERE id = $1 AND size IS NULL",
						 text_param(former->file), text_param(url));
}

/* Set the body of the file of a distribution. */
static void
set_body(Import *import, const Distribution *distribution, const Former *former, RecordBody *body)
{
	cat_import_body_begin(import, body, "files", former->file, former->base);
	cat_import_body_text(import, body, "name", distribution->name);
	cat_import_body_text(import, body, "description", distribution->description);
	cat_import_body_json(import, body, "optionals", distribution->optionals);
	cat_import_body_text(import, body, "type", cat_import_file_type(import, distribution));
	cat_import_body_text(import, body, "organization", cat_import_provider(import));
	cat_import_body_text(import, body, "updateFrequency",
						 cat_import_frequency(import, import->entry->frequency));
	if (former->file)
		follow_address(import, body, former, distribution->url);
	else
	{
		cat_import_body_text(import, body, "url", distribution->url);
		cat_import_body_text(import, body, "dataset", import->record);
	}
}

/* Create or update the file of a distribution. */
static void
write_file(Import *import, const Distribution *distribution, Former *former)
{
	RecordBody body;

	set_body(import, distribution, former, &body);
	former->file = cat_import_body_write(import, &body);
	former->base = body.base;
}

static bool
is_living(const Former *former)
{
	return former->file && cat_import_rows("files", former->file).count > 0;
}

/* Set what a distribution is known by. */
static void
set_known(Former *former, const Distribution *distribution)
{
	former->id = distribution->id;
	former->url = distribution->url;
	former->title = distribution->title;
	former->format = distribution->format;
}

/* Write the file of a distribution, and what is known of it. */
static void
write_distribution(Import *import, const Distribution *distribution, Former *former)
{
	bool found = former->taken;

	if (former->file && former->ended)
		(void) cat_import_restore(import, "files", former->file, former->ended);
	if (found && !is_living(former))
		former->file = NULL;
	else
		write_file(import, distribution, former);
	if (import->entry->access == ENTRY_PUBLIC)
		former->ended = NULL;
	else if (!found)
		former->ended = cat_import_ended("files", former->file, NULL);
	set_known(former, distribution);
}

/* Treat the file of a distribution that the entry has no longer as gone; of an entry that was not
 * read to its end, none is. */
static void
end_file(Import *import, Former *former)
{
	const char *reason;

	/* what is unpublished already may still be deleted */
	if (import->entry->cut || (former->ended && import->gone != GONE_DELETE) || !is_living(former))
		return;
	if (strcmp(cat_import_remove(import, "files", former->file, &reason), "kept") != 0)
		former->ended = cat_import_ended("files", former->file, former->ended);
	if (reason)
		cat_import_note(import->entry, psprintf("a file that is gone was kept: %s", reason));
}

const char *
cat_import_files(Import *import, const char *earlier)
{
	List *distributions = import->entry->distributions;
	List *formers = read_formers(earlier);
	Former **matches = palloc0((list_length(distributions) + 1) * sizeof(Former *));
	StringInfoData known;
	int gone = 0;
	ListCell *cell;

	match_all(distributions, index_of(formers), matches);
	initStringInfo(&known);
	appendStringInfoChar(&known, '[');
	foreach(cell, distributions)
	{
		int i = foreach_current_index(cell);

		import->part = psprintf("distributions[%d].", i + 1);
		if (!matches[i])
			matches[i] = palloc0(sizeof(Former));
		write_distribution(import, lfirst(cell), matches[i]);
		add_former(&known, matches[i]);
	}
	import->part = "";
	foreach_ptr(Former, former, formers)
	{
		if (former->taken || ++gone > GONE_MAX)
			continue;
		end_file(import, former);
		add_former(&known, former);
	}
	appendStringInfoChar(&known, ']');
	return known.data;
}

List *
cat_import_files_begin(Import *import)
{
	List *bodies = NIL;

	foreach_ptr(const Distribution, distribution, import->entry->distributions)
	{
		RecordBody *body = palloc(sizeof(RecordBody));

		import->part = psprintf("distributions[%d].", foreach_current_index(distribution) + 1);
		set_body(import, distribution, &(Former){0}, body);
		bodies = lappend(bodies, body);
	}
	import->part = "";
	return bodies;
}

const char *
cat_import_files_end(const Import *import, List *bodies)
{
	StringInfoData known;

	initStringInfo(&known);
	appendStringInfoChar(&known, '[');
	foreach_ptr(const RecordBody, body, bodies)
	{
		Former former = {.file = body->id, .base = body->base};

		set_known(&former, list_nth(import->entry->distributions, foreach_current_index(body)));
		add_former(&known, &former);
	}
	appendStringInfoChar(&known, ']');
	return known.data;
}
