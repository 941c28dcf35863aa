/*
 * import_distribution.c
 *	  The distributions of a dataset, which become its files.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "base/base.h"
#include "import/language_internal.h"

#define DESCRIPTION_MAX 350 /* characters of files.description */
#define FILE_NAME_MAX 150	/* characters of files.name */
#define URL_MAX 500			/* characters of files.url */

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
format_of(Import *import, ImportEntry *entry, List *members, const char *url)
{
	const char *format = cat_import_name_of(
		import, entry, cat_import_property(members, "format mediaType mimetype"), "file-type");
	const char *dot = url ? strrchr(last_part(url), '.') : NULL;

	if (format)
		return format;
	return dot && dot[1] ? dot + 1 : NULL;
}

/* Return the identifier of a distribution, which that of a blank node is not; NULL for none. */
static const char *
id_of(List *members)
{
	const char *id = cat_import_text(cat_import_property(members, "identifier @id id"));

	return id && strncmp(id, "_:", 2) != 0 ? id : NULL;
}

/* Return an address whose characters that a URL cannot have are percent-encoded behind its host. */
static const char *
encode(const char *address)
{
	const char *host = strstr(address, "://");
	const char *rest = host ? host + 3 + strcspn(host + 3, "/?#") : address;
	StringInfoData encoded;

	initStringInfo(&encoded);
	appendBinaryStringInfo(&encoded, address, (int) (rest - address));
	for (const unsigned char *c = (const unsigned char *) rest; *c; c++)
		if (*c <= ' ' || *c >= 0x7F || strchr("\"<>\\`{}|^", *c))
			appendStringInfo(&encoded, "%%%02X", *c);
		else
			appendStringInfoChar(&encoded, (char) *c);
	return encoded.data;
}

/* The properties that may have the address of a file, the best one first. */
static const char *const addresses[] = {"downloadURL", "url", "accessURL", "accessService"};

/* Return the first address that a file can have, NULL for none; *given: as the source has it. */
static const char *
address_of(List *members, const char **given)
{
	const char *first = NULL;

	for (size_t i = 0; i < lengthof(addresses); i++)
	{
		const char *text = cat_import_text(cat_import_property(members, addresses[i]));
		const char *address = text ? encode(cat_one_line_trim(text)) : NULL;

		*given = text;
		if (address && cat_web_address_is(address) && strlen(address) <= URL_MAX)
			return address;
		first = first ? first : text;
	}
	*given = first;
	return NULL;
}

/* Return the number of the property whose text is the address of a file. */
static size_t
taken_of(List *members, const char *given)
{
	size_t i = 0;

	while (i < lengthof(addresses) && given)
	{
		const char *text = cat_import_text(cat_import_property(members, addresses[i]));

		if (text && strcmp(text, given) == 0)
			break;
		i++;
	}
	return i;
}

/* Append the whole of a text that is cut to optionals; returns whether that is all of it. */
static bool
append_whole(StringInfo optionals, const char *name, const char *whole, const char *cut)
{
	bool all = true;

	if (cut != whole)
		cat_json_text_member(optionals, name, cat_import_whole(whole, &all));
	return all;
}

/* Read a distribution, the one of this number, from 1. */
static Distribution *
read_one(Import *import, ImportEntry *entry, List *members, int number)
{
	Distribution *distribution = palloc0(sizeof(Distribution));
	StringInfoData optionals;
	EntryTexts *texts = cat_import_texts_of_part(entry->texts, members);
	const char *whole = cat_import_texts_take(texts, entry, TEXT_DESCRIPTION, members);
	const char *title;
	const char *url;
	bool all;

	distribution->url = address_of(members, &url);
	distribution->id = id_of(members);
	distribution->relative = cat_import_text(cat_import_property(members, RELATIVE));
	distribution->format = format_of(import, entry, members, url);
	distribution->title = cat_import_texts_take(texts, entry, TEXT_NAME, members);
	distribution->name = distribution->title;
	if (!distribution->name && url)
		distribution->name = last_part(url);
	if (!distribution->name || !*distribution->name)
		distribution->name = entry->name;
	title = distribution->name;
	distribution->name = cat_import_cut(title, FILE_NAME_MAX);
	distribution->description = cat_import_cut(whole, DESCRIPTION_MAX);
	initStringInfo(&optionals);
	appendStringInfoChar(&optionals, '{');
	for (size_t i = 0; i < lengthof(addresses); i++)
		cat_import_copy_more(import, entry, &optionals, members,
							 &(DcatProperty){.names = addresses[i], .kept = addresses[i]},
							 i == taken_of(members, url) ? url : NULL);
	cat_import_copy(import, entry, &optionals, members, cat_dcat_file_properties,
					cat_dcat_file_count);
	all = append_whole(&optionals, "title", title, distribution->name);
	all &= append_whole(&optionals, "description", whole, distribution->description);
	if (distribution->name != title || distribution->description != whole)
		cat_import_note(entry,
						psprintf("distributions[%d]: its texts are cut; optionals have %s of them",
								 number, all ? "all" : "64 KiB"));
	cat_import_texts_append(entry, texts, &optionals);
	cat_import_copy_rest(import, entry, &optionals, members, cat_dcat_file_properties,
						 cat_dcat_file_count);
	appendStringInfoChar(&optionals, '}');
	distribution->optionals = optionals.data;
	return distribution;
}

void
cat_import_distributions_read(Import *import, ImportEntry *entry, List *members)
{
	List *elements;
	ListCell *cell;
	int number = 0;

	elements = cat_import_first_elements(
		import, entry, cat_import_property(members, "distribution resources"), &entry->cut);
	foreach(cell, elements)
	{
		List *described = cat_import_resolve(import, entry, lfirst(cell));
		Distribution *distribution;

		CHECK_FOR_INTERRUPTS();
		import->part = psprintf("distributions[%d].", ++number);
		distribution = read_one(import, entry, described, number);
		import->part = "";
		if (!distribution->url)
		{
			cat_import_note(entry, psprintf("distributions[%d].url: takes an http: or https: URL; "
											"the distribution is left out",
											number));
			continue;
		}
		entry->distributions = lappend(entry->distributions, distribution);
	}
}
