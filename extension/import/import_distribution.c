/*
 * import_distribution.c
 *	  The distributions of a dataset, which become its files.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "base/base.h"
#include "import/import_internal.h"

#define DESCRIPTION_MAX 350 /* characters of files.description */
#define FILE_NAME_MAX 150	/* characters of files.name */

static const char *const kept[] = {
	"accessURL",   "accessURL",		 "license",	   "license",
	"issued",	   "issued created", "modified",   "modified last_modified",
	"byteSize",	   "byteSize size",	 "conformsTo", "conformsTo",
	"identifier",  "identifier",	 "mediaType",  "mediaType mimetype",
	"describedBy", "describedBy",	 "field",	   "field",
};

/* Return the part of an address behind its last slash, without a query. */
static const char *
last_part(const char *url)
{
	size_t length = strcspn(url, "?#");
	size_t begin = length;

	while (begin > 0 && url[begin - 1] != '/')
		begin--;
	return pnstrdup(url + begin, length - begin);
}

/* Return the form of the bytes: as it is said, or as the address ends. */
static const char *
format_of(List *members, const char *url)
{
	const char *format = cat_import_text(cat_import_property(members, "format mediaType mimetype"));
	const char *dot = url ? strrchr(last_part(url), '.') : NULL;

	if (format)
		return format;
	return dot && dot[1] ? dot + 1 : NULL;
}

/* Return the identity of a distribution in its dataset: another address makes it another one,
 * since that of a file does not change. */
static const char *
id_of(List *members, const char *url)
{
	const char *id = cat_import_text(cat_import_property(members, "identifier @id id"));

	return id && url && strcmp(id, url) != 0 ? psprintf("%s %s", id, url) : url ? url : id;
}

static Distribution *
read_one(ImportEntry *entry, List *members)
{
	Distribution *distribution = palloc0(sizeof(Distribution));
	StringInfoData optionals;
	int first;
	const char *whole = cat_import_text(cat_import_property(members, "description"));

	distribution->url =
		cat_import_text(cat_import_property(members, "downloadURL url accessURL accessService"));
	distribution->id = id_of(members, distribution->url);
	distribution->format = format_of(members, distribution->url);
	distribution->name = cat_import_text(cat_import_property(members, "title name"));
	if (!distribution->name && distribution->url)
		distribution->name = last_part(distribution->url);
	if (!distribution->name || !*distribution->name)
		distribution->name = entry->name;
	distribution->description = cat_import_cut(whole, DESCRIPTION_MAX);
	initStringInfo(&optionals);
	appendStringInfoChar(&optionals, '{');
	/* the first property is kept where it is not the address itself */
	first = cat_import_property(members, "downloadURL") ? 0 : 2;
	cat_import_copy(&optionals, members, kept + first, lengthof(kept) - first);
	if (distribution->description != whole)
	{
		appendStringInfoString(&optionals,
							   optionals.len > 1 ? ",\"description\":" : "\"description\":");
		cat_json_text_string(&optionals, whole);
	}
	appendStringInfoChar(&optionals, '}');
	distribution->optionals = optionals.data;
	return distribution;
}

/*
 * Tell apart those that say the same of themselves.
 *
 * taken: for each id that was given, the last number that was tried behind it, so that no number is
 * tried twice.
 */
static void
set_unique_id(HTAB *taken, Distribution *distribution)
{
	const char *id =
		distribution->id ? distribution->id : cat_import_cut(distribution->name, FILE_NAME_MAX);
	int *last;

	distribution->id = id = id ? id : "";
	last = cat_import_map_get(taken, id);
	while (cat_import_map_get(taken, distribution->id))
		distribution->id = psprintf("%s %d", id, ++*last);
	last = palloc(sizeof(int));
	*last = 1;
	cat_import_map_put(taken, distribution->id, last);
}

void
cat_import_distributions_read(Import *import, ImportEntry *entry, List *members)
{
	HTAB *taken = cat_import_map();
	List *elements;
	ListCell *cell;

	elements = cat_import_first_elements(
		entry, cat_import_property(members, "distribution resources"), &entry->cut);
	foreach(cell, elements)
	{
		List *described = cat_import_resolve(import, entry, lfirst(cell));
		Distribution *distribution = read_one(entry, described);

		CHECK_FOR_INTERRUPTS();
		set_unique_id(taken, distribution);
		entry->distributions = lappend(entry->distributions, distribution);
	}
}
