/*
 * dcat_write.c
 *	  Documents of DCAT.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "base/base.h"
#include "documents/dcat_internal.h"

/* Return the address of the pages for people, without a slash at its end. */
static const char *
portal_of(const Json *settings)
{
	char *portal = cat_dcat_member(settings, "portal");

	for (size_t length = portal ? strlen(portal) : 0; length > 0 && portal[length - 1] == '/';)
		portal[--length] = '\0';
	return cat_rdf_iri(portal);
}

/* Set what the catalogue says of itself, as datasets say it; settings, as of
 * catalogue.dcat_settings(). */
static void
read_settings(Dcat *dcat, const Json *settings)
{
	const Json *contact = cat_dcat_get(settings, "contact");
	const Json *publisher = cat_dcat_get(settings, "publisher");
	const char *id = cat_dcat_member(publisher, "id");
	const Json *language =
		cat_dcat_first(cat_dcat_language_tags(dcat, cat_dcat_get(settings, "language"), NULL));
	Json *said = cat_dcat_copy(settings);

	cat_dcat_set(said, "language", unconstify(Json *, language));
	cat_dcat_set(said, "translations",
				 cat_dcat_language_translations(dcat, cat_dcat_get(settings, "translations")));
	cat_dcat_set(said, "license", cat_dcat_text_license(dcat, cat_dcat_get(settings, "license")));
	cat_dcat_set(said, "portal", cat_dcat_text(portal_of(settings)));
	cat_dcat_set(said, "contact", cat_dcat_first(cat_dcat_say_contacts(dcat, contact)));
	cat_dcat_set(said, "email",
				 cat_dcat_text(cat_dcat_text_email(cat_dcat_member(contact, "hasEmail"))));
	cat_dcat_set(said, "publisher",
				 id ? cat_dcat_texts("iri", psprintf("%s/organizations/%s", dcat->base, id), "name",
									 cat_dcat_member(publisher, "name"), NULL)
					: NULL);
	dcat->settings = said;
	dcat->names = language ? psprintf("@%s", cat_dcat_string(language)) : "text";
	dcat->profile = cat_dcat_member(settings, "profile");
	dcat->profile = dcat->profile ? dcat->profile : "";
	dcat->us = strncmp(dcat->profile, "dcat-us-", strlen("dcat-us-")) == 0;
}

/* Call a function for what is said of each dataset, which is forgotten afterwards. */
static void
for_each(Dcat *dcat, List *records, void (*write)(const DcatPart *dataset, StringInfo out),
		 StringInfo out)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "catalogue dataset", ALLOCSET_DEFAULT_SIZES);

	foreach_ptr(Json, record, records)
	{
		MemoryContext former = MemoryContextSwitchTo(context);

		write(cat_dcat_say(dcat, record), out);
		MemoryContextSwitchTo(former);
		MemoryContextReset(context);
	}
}

/* Append an object of JSON, with a comma before it that is not the first one. */
static void
append_object(StringInfo out, Json *value)
{
	Jsonb *object = cat_dcat_jsonb(value);

	if (out->len > 0)
		appendStringInfoString(out, ",\n");
	JsonbToCString(out, &object->root, (int) VARSIZE(object));
}

static void
write_us(const DcatPart *dataset, StringInfo out)
{
	append_object(out, cat_dcat_us(dataset));
}

static void
write_said(const DcatPart *dataset, StringInfo out)
{
	append_object(out, dataset->said);
}

static void
write_triples(const DcatPart *dataset, StringInfo out)
{
	cat_dcat_rdf(dataset);
}

/* Return datasets, List of Json *, as a document; NULL: there is no such format. */
static text *
write_document(Dcat *dcat, List *records, const char *format)
{
	const Json *page = cat_dcat_get(dcat->settings, "page");
	bool us = strcmp(format, "dcatus") == 0;
	StringInfoData out;

	initStringInfo(&out);
	if (us || strcmp(format, "said") == 0)
	{
		for_each(dcat, records, us ? write_us : write_said, &out);
		return cstring_to_text_with_len(out.data, out.len);
	}
	if (page)
		cat_dcat_rdf_page(dcat, page, records);
	for_each(dcat, records, write_triples, &out);
	return cat_rdf_write(dcat->triples, format);
}

CAT_FUNCTION(catalogue_dcat_written)
{
	Dcat *dcat = palloc0(sizeof(Dcat));
	char *format = text_to_cstring(PG_GETARG_TEXT_PP(ARG_DCAT_WRITTEN_FORMAT));
	List *records = NIL;
	Datum *rows;
	text *document;
	int count;

	dcat->base = text_to_cstring(PG_GETARG_TEXT_PP(ARG_DCAT_WRITTEN_BASE));
	read_settings(dcat, cat_dcat_of_jsonb(PG_GETARG_JSONB_P(ARG_DCAT_WRITTEN_SETTINGS)));
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(ARG_DCAT_WRITTEN_RECORDS), JSONBOID, -1, false,
					  TYPALIGN_INT, &rows, NULL, &count);
	for (int i = 0; i < count; i++)
		records = lappend(records, cat_dcat_of_jsonb(DatumGetJsonbP(rows[i])));
	document = write_document(dcat, records, format);
	if (!document)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(document);
}

CAT_FUNCTION(catalogue_dcat_map)
{
	Json *given = cat_dcat_of_jsonb(PG_GETARG_JSONB_P(ARG_DCAT_MAP_TRANSLATIONS));
	Json *map = cat_dcat_us_map(given, text_to_cstring(PG_GETARG_TEXT_PP(ARG_DCAT_MAP_FIELD)));

	if (!map)
		PG_RETURN_NULL();
	PG_RETURN_JSONB_P(cat_dcat_jsonb(map));
}
