/*
 * dcat_us.c
 *	  Datasets of DCAT-US in the form of the profile: 1.1 with all that is said, strictly 1.1, or 3.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"

#include "base/base.h"
#include "documents/dcat_internal.h"

#define WITHIN_MAX 10  /* organizations that are named */
#define RIGHTS_MAX 255 /* characters, in DCAT-US 1.1 */

/* Return a value of a dataset or file, of which all is said, in DCAT-US. */
typedef Json *(*Us)(const DcatPart *dataset, const Json *said, Json *value);

/* Set a member, unless there is no value. */
static void
set_again(Json *us, const char *name, Json *value)
{
	if (value)
		cat_dcat_set(us, name, value);
}

static Json *
us_keyword(const DcatPart *dataset, const Json *said, Json *value)
{
	return value ? value : cat_dcat_each(cat_dcat_get(said, "theme"), "label");
}

static Json *
us_theme(const DcatPart *dataset, const Json *said, Json *value)
{
	Json *themes = cat_dcat_each(value, "label");

	foreach_ptr(const Json, theme, cat_dcat_elements(themes ? cat_dcat_get(said, "subject") : NULL))
		themes = cat_dcat_add(themes, theme);
	return themes;
}

/* Return the language of texts: a tag, or tags where they differ; NULL where it is that of the
 * dataset, and there are no translations. */
static Json *
us_text_language(const DcatPart *dataset, const Json *said, Json *value)
{
	Json *usual = cat_dcat_get(dataset->said, "language");
	Json *tags = cat_dcat_copy(value);
	Json *first = tags->val.object.nPairs > 0 ? &tags->val.object.pairs[0].value : NULL;

	for (int i = 1; i < tags->val.object.nPairs; i++)
		if (strcmp(cat_dcat_string(first), cat_dcat_string(&tags->val.object.pairs[i].value)) != 0)
			return value;
	if (cat_dcat_get(said, "translations"))
		return first ? first : usual;
	return first && usual && strcmp(cat_dcat_string(first), cat_dcat_string(usual)) == 0 ? NULL
																						 : first;
}

static Json *
us_access(const DcatPart *dataset, const Json *said, Json *value)
{
	const char *code = cat_dcat_string(value);

	return cat_dcat_text(strcmp(code, "RESTRICTED") == 0   ? "restricted public"
						 : strcmp(code, "NON_PUBLIC") == 0 ? "non-public"
														   : "public");
}

/* Return the organizations that one is a part of: a name or an address, or an object where there is
 * more. */
static Json *
us_within(const Json *within, int most)
{
	Json *larger = within ? cat_dcat_say_larger("", within) : NULL;
	Json *more = most > 1 ? cat_dcat_get(larger, "within") : NULL;
	Json *name = cat_dcat_get(larger, "name");
	Json *own = cat_dcat_get(larger, "iri");
	const char *iri = cat_dcat_string(own);

	more = more ? us_within(more, most - 1) : NULL;
	/* what cat_dcat_say_larger() makes where there is none, here or in the catalogue that this was read from */
	if (iri && cat_dcat_matches(iri, "#(.*-)?within$", NULL, 0))
		own = NULL;
	if (!more && (!own || !name))
		return name ? name : own;
	larger = cat_dcat_form(larger, own ? "@type=org:Organization @id:iri name:name"
									   : "@type=org:Organization name:name");
	cat_dcat_set(larger, "subOrganizationOf", more);
	return larger;
}

static Json *
us_agent(const DcatPart *dataset, const Json *said, Json *value)
{
	const char *email = cat_dcat_member(value, "email");
	Json *agent = cat_dcat_form(value, "@type=org:Organization name:name homepage:homepage");

	if (email)
		cat_dcat_set(agent, "mbox",
					 cat_dcat_text(strncmp(email, "mailto:", 7) == 0 ? email + 7 : email));
	cat_dcat_set(agent, "subOrganizationOf", us_within(cat_dcat_get(value, "within"), WITHIN_MAX));
	return agent;
}

/* Return a list of one as its element, as DCAT-US has it. */
static Json *
one_or_all(Json *array)
{
	return array && array->val.array.nElems == 1 ? array->val.array.elems : array;
}

/* Return whom to ask.  The profiles of DCAT-US need an address. */
static Json *
contacts_of(const DcatPart *dataset, const Json *contacts, const char *form)
{
	Json *publisher = cat_dcat_get(cat_dcat_get(dataset->said, "publisher"), "name");
	Json *all = NULL;

	foreach_ptr(const Json, contact, cat_dcat_elements(contacts))
	{
		Json *said = cat_dcat_form(contact, form);
		bool has_name = cat_dcat_get(said, "fn") != NULL;

		if (!has_name)
			set_again(said, "fn", publisher);
		if (cat_dcat_get(said, "hasEmail") || (has_name && !dataset->dcat->us))
			all = cat_dcat_add(all, said);
	}
	return one_or_all(all);
}

static Json *
us_contact(const DcatPart *dataset, const Json *said, Json *value)
{
	return contacts_of(dataset, value, "@type=vcard:Contact fn:name hasEmail:email");
}

/* Return places: what DCAT-US has no single text for as DCAT says it. */
static Json *
us_place(const DcatPart *dataset, const Json *said, Json *value)
{
	Json *places = NULL;

	foreach_ptr(const Json, place, cat_dcat_elements(value))
		places = cat_dcat_add(places, cat_dcat_place_us(place));
	return one_or_all(places);
}

static Json *
us_period(const DcatPart *dataset, const Json *said, Json *value)
{
	const char *start = cat_dcat_member(cat_dcat_first(value), "start");
	const char *end = cat_dcat_member(cat_dcat_first(value), "end");

	if (list_length(cat_dcat_elements(value)) == 1 && start && end)
		return cat_dcat_text(psprintf("%s/%s", start, end));
	return cat_dcat_each(value, "startDate:start endDate:end");
}

/* Return series, without the address of those that have none of their own. */
static Json *
us_series(const DcatPart *dataset, const Json *said, Json *value)
{
	const char *own = psprintf("%s#series-", dataset->iri);
	Json *all = NULL;

	foreach_ptr(const Json, series, cat_dcat_elements(value))
	{
		Json *one = cat_dcat_form(
			series, "@type=DatasetSeries @id:iri title:title description:description");

		if (strncmp(cat_dcat_member(series, "iri"), own, strlen(own)) == 0)
			cat_dcat_set(one, "@id", NULL);
		all = cat_dcat_add(all, one);
	}
	return all;
}

static Json *
us_first(const DcatPart *dataset, const Json *said, Json *value)
{
	return cat_dcat_first(value);
}

static Json *
us_media_type(const DcatPart *dataset, const Json *said, Json *value)
{
	if (!cat_dcat_get(said, "downloadURL"))
		return NULL;
	return value ? value : cat_dcat_text("application/octet-stream");
}

static Json *us_files(const DcatPart *dataset, const Json *said, Json *value);

/* How values of a kind are given on: by a function, or as the first of members that they have, else
 * as they are said. */
typedef struct Form
{
	Us us;
	const char *member;
	const char *other;
} Form;

static const Form forms[DCAT_KINDS] = {
	[DCAT_KEYWORD] = {.us = us_keyword},
	[DCAT_TEXT_LANGUAGE] = {.us = us_text_language},
	[DCAT_CATEGORY] = {.us = us_theme},
	[DCAT_ACCESS] = {.us = us_access},
	[DCAT_AGENT] = {.us = us_agent},
	[DCAT_FREQUENCY] = {.member = "interval", .other = "interval"},
	[DCAT_CONTACT] = {.us = us_contact},
	[DCAT_PLACE] = {.us = us_place},
	[DCAT_PERIOD] = {.us = us_period},
	[DCAT_SERIES] = {.us = us_series},
	[DCAT_LICENSE] = {.member = "iri", .other = "label"},
	[DCAT_TERM] = {.member = "label", .other = "iri"},
	[DCAT_STANDARD] = {.us = us_first},
	[DCAT_FORMAT] = {.member = "name", .other = "name"},
	[DCAT_MEDIA_TYPE] = {.us = us_media_type},
	[DCAT_FILE] = {.us = us_files},
};

/* Return a dataset or file by the table. */
static Json *
us_of(const DcatPart *dataset, const Json *said, const char *class, const DcatProperty *properties,
	  int count)
{
	Json *us = cat_dcat_texts("@type", class, NULL);

	for (const DcatProperty *property = properties; property < properties + count; property++)
	{
		const Form *form = &forms[property->kind];
		Json *value = property->member ? cat_dcat_get(said, property->said) : NULL;

		if (property->member && form->us)
			value = form->us(dataset, said, value);
		else if (value && form->member)
			value =
				cat_dcat_get(value, cat_dcat_get(value, form->member) ? form->member : form->other);
		set_again(us, property->member, value);
	}
	return us;
}

static Json *
us_files(const DcatPart *dataset, const Json *said, Json *value)
{
	Json *files = NULL;

	foreach_ptr(const Json, file, cat_dcat_elements(value))
		files = cat_dcat_add(files, us_of(dataset, file, "dcat:Distribution",
										  cat_dcat_file_properties, cat_dcat_file_count));
	return files;
}

/* ---- DCAT-US 1.1, as its schema allows it ---- */

/* Return the organizations of us_within() as objects. */
static Json *
larger_of(Json *within)
{
	Json *larger = cat_dcat_copy(within);

	if (!within || within->type == jbvString)
		return within ? cat_dcat_texts("@type", "org:Organization", "name", cat_dcat_string(within),
									   NULL)
					  : NULL;
	if (!cat_dcat_get(larger, "name"))
		cat_dcat_set(larger, "name", cat_dcat_get(larger, "@id"));
	cat_dcat_set(larger, "subOrganizationOf", larger_of(cat_dcat_get(larger, "subOrganizationOf")));
	return larger;
}

/* Return the first text, of members, that says where a place is. */
static Json *
strict_place(Json *place)
{
	const char *box = cat_dcat_member(place, "bbox");
	const char *edges = cat_dcat_place_edges(box);
	const char *text = cat_dcat_member(place, "prefLabel");

	if (!place || place->type == jbvString)
		return place;
	if (!text)
		text = cat_dcat_member(place, "@id");
	return cat_dcat_text(text ? text : edges ? edges : box);
}

/* Return a period of those that has both ends. */
static Json *
strict_period(Json *periods)
{
	if (periods && periods->type == jbvString)
		return periods;
	foreach_ptr(const Json, period, cat_dcat_elements(periods))
	{
		const char *start = cat_dcat_member(period, "startDate");
		const char *end = cat_dcat_member(period, "endDate");

		if (start && end)
			return cat_dcat_text(psprintf("%s/%s", start, end));
	}
	return NULL;
}

/* Return texts of which none is repeated. */
static Json *
strict_themes(Json *themes)
{
	HTAB *known = NULL;
	Json *all = NULL;

	foreach_ptr(const Json, theme, cat_dcat_elements(themes))
		if (cat_dcat_is_new(&known, cat_dcat_string(theme)))
			all = cat_dcat_add(all, theme);
	return all;
}

/* Make a dataset one of DCAT-US 1.1.  A license that is a text is the address of the license
 * document in /catalog, and its text is in rights, unless there are others.  A place is a text, a
 * period has both ends, and there is one of each. */
static void
make_strict(Json *us, const char *iri)
{
	char *license = cat_dcat_member(us, "license");
	char *rights = cat_dcat_member(us, "rights");
	Json *publisher = cat_dcat_get(us, "publisher");

	if (license && !cat_rdf_iri(license))
	{
		rights = rights ? rights : license;
		cat_dcat_set(us, "license", cat_dcat_text(psprintf("%s#license", iri)));
	}
	if (rights)
		rights[pg_mbcharcliplen(rights, (int) strlen(rights), RIGHTS_MAX)] = '\0';
	cat_dcat_set(us, "rights", cat_dcat_text(rights));
	cat_dcat_set(us, "contactPoint", cat_dcat_first(cat_dcat_get(us, "contactPoint")));
	cat_dcat_set(us, "spatial", strict_place(cat_dcat_first(cat_dcat_get(us, "spatial"))));
	cat_dcat_set(us, "temporal", strict_period(cat_dcat_get(us, "temporal")));
	cat_dcat_set(us, "theme", strict_themes(cat_dcat_get(us, "theme")));
	cat_dcat_set(publisher, "subOrganizationOf",
				 larger_of(cat_dcat_get(publisher, "subOrganizationOf")));
	cat_dcat_set(us, "publisher", publisher);
}

/* ---- DCAT-US 3 ---- */

Json *
cat_dcat_us_map(const Json *translations, const char *field)
{
	Json *all = cat_dcat_copy(translations);
	Json *map = cat_dcat_object(NULL);

	for (int i = 0; i < all->val.object.nPairs; i++)
		cat_dcat_append(map, cat_dcat_string(&all->val.object.pairs[i].key),
						cat_dcat_get(&all->val.object.pairs[i].value, field));
	return map->val.object.nPairs > 0 ? map : NULL;
}

/* Return a time, which has a zone where it has hours: without one it is its day. */
static Json *
time_of(const Json *given)
{
	char *text = cat_dcat_string(given);
	char *hours = text ? strrchr(text, 'T') : NULL;

	if (hours && hours[1] && hours[1 + strspn(hours + 1, "0123456789:.")] == '\0')
		*hours = '\0';
	return cat_dcat_text(text);
}

/* Make a dataset or a file, of which this is said, one of DCAT-US 3. */
static void
make_part(Json *us, const char *class, const Json *said)
{
	const Json *translations = cat_dcat_get(us, "translations");
	Json *described = cat_dcat_get(us, "describedBy");
	Json *standards = NULL;

	foreach_ptr(Json, iri, cat_dcat_elements(cat_dcat_get(said, "conformsTo")))
		standards = cat_dcat_add(
			standards, cat_dcat_texts("@type", "Standard", "@id", cat_dcat_string(iri), NULL));
	if (described)
		described = cat_dcat_form(us, "@type=Distribution @id:describedBy accessURL:describedBy");
	set_again(us, "titleMap", cat_dcat_us_map(translations, "name"));
	set_again(us, "descriptionMap", cat_dcat_us_map(translations, "description"));
	set_again(us, "keywordMap", cat_dcat_us_map(translations, "tags"));
	cat_dcat_set(us, "translations", NULL);
	cat_dcat_set(us, "@type", cat_dcat_text(class));
	cat_dcat_set(us, "@id", cat_dcat_get(said, "iri"));
	set_again(us, "describedBy", described);
	set_again(us, "conformsTo", standards);
	set_again(us, "rights", cat_dcat_add(NULL, cat_dcat_get(us, "rights")));
	set_again(us, "issued", time_of(cat_dcat_get(us, "issued")));
	set_again(us, "modified", time_of(cat_dcat_get(us, "modified")));
	set_again(us, "byteSize", cat_dcat_text(cat_dcat_member(us, "byteSize")));
}

/* Return the organizations of larger_of() in the form of DCAT-US 3. */
static Json *
within_of(Json *larger)
{
	if (!larger)
		return NULL;
	cat_dcat_set(larger, "@type", cat_dcat_text("Organization"));
	set_again(larger, "subOrganizationOf", within_of(cat_dcat_get(larger, "subOrganizationOf")));
	return cat_dcat_add(NULL, larger);
}

/* Return themes, each once; one of which only the address is known has that as its label. */
static Json *
themes_of(const Json *said)
{
	List *themes = cat_dcat_elements(cat_dcat_get(said, "theme"));
	HTAB *known = NULL;
	Json *all = NULL;

	foreach_ptr(Json, theme, list_concat(themes, cat_dcat_elements(cat_dcat_get(said, "subject"))))
	{
		Json *iri = theme->type == jbvString ? theme : cat_dcat_get(theme, "iri");
		char *text = cat_dcat_string(iri);

		if (!cat_dcat_is_new(&known, text))
			continue;
		all = cat_dcat_add(
			all, theme == iri
					 ? cat_dcat_texts("@type", "Concept", "@id", text, "prefLabel", text, NULL)
					 : cat_dcat_form(theme, "@type=Concept @id:iri prefLabel:label"));
	}
	return all;
}

/* Return places, of which each has one geometry: a further one is a place of its own.  They have
 * IRIs, by which those who read them keep their order. */
static Json *
places_of(const Json *said)
{
	const char *iri = cat_dcat_member(said, "iri");
	Json *all = NULL;

	foreach_ptr(const Json, place, cat_dcat_elements(cat_dcat_get(said, "spatial")))
	{
		int n = foreach_current_index(place) + 1;
		List *shapes = cat_dcat_elements(cat_dcat_get(place, "geometry"));
		Json *one = cat_dcat_form(
			place, "@type=Location @id:iri prefLabel:label bbox:bbox centroid:centroid");

		if (!cat_dcat_get(one, "@id"))
			cat_dcat_set(one, "@id", cat_dcat_text(psprintf("%s#spatial-%d", iri, n)));
		cat_dcat_set(one, "geometry", shapes ? linitial(shapes) : NULL);
		all = cat_dcat_add(all, one);
		for (int i = 1; i < list_length(shapes); i++)
			all = cat_dcat_add(all, cat_dcat_texts("@type", "Location", "@id",
												   psprintf("%s#spatial-%d-%d", iri, n, i + 1),
												   "geometry", cat_dcat_string(list_nth(shapes, i)),
												   NULL));
	}
	return all;
}

static Json *
periods_of(const Json *said)
{
	Json *all = NULL;

	foreach_ptr(const Json, period, cat_dcat_elements(cat_dcat_get(said, "temporal")))
	{
		char *iri = psprintf("%s#temporal-%d", cat_dcat_member(said, "iri"),
							 foreach_current_index(period) + 1);
		Json *one = cat_dcat_texts("@type", "PeriodOfTime", "@id", iri, NULL);

		cat_dcat_set(one, "startDate", time_of(cat_dcat_get(period, "start")));
		cat_dcat_set(one, "endDate", time_of(cat_dcat_get(period, "end")));
		all = cat_dcat_add(all, one);
	}
	return all;
}

/* Return languages as codes of two letters. */
static Json *
languages_of(const Json *tags)
{
	List *codes = NIL;

	foreach_ptr(const Json, tag, cat_dcat_elements(tags))
	{
		char *code = cat_dcat_string(tag);

		if (strlen(code) == 2 || (strlen(code) > 2 && code[2] == '-'))
			codes = lappend(codes, pnstrdup(code, 2));
	}
	return cat_dcat_distinct(codes);
}

/* Make a dataset, of which this is said, one of DCAT-US 3. */
static void
make_third(Json *us, const DcatPart *dataset)
{
	const Json *said = dataset->said;
	Json *publisher = cat_dcat_get(us, "publisher");
	Json *language = cat_dcat_get(said, "language");
	List *files = cat_dcat_elements(cat_dcat_get(said, "distribution"));
	Json *further = NULL;

	make_part(us, "Dataset", said);
	foreach_ptr(Json, text, cat_dcat_elements(cat_dcat_get(said, "further")))
		further = cat_dcat_add(further, cat_dcat_texts("@type", "Identifier", "notation",
													   cat_dcat_string(text), NULL));
	cat_dcat_set(us, "identifier", cat_dcat_form(us, "@type=Identifier notation:identifier"));
	cat_dcat_set(us, "otherIdentifier", further);
	cat_dcat_set(us, "accessRights", cat_dcat_get(us, "accessLevel"));
	cat_dcat_set(us, "accessLevel", NULL);
	cat_dcat_set(us, "theme", themes_of(said));
	cat_dcat_set(publisher, "@type", cat_dcat_text("Organization"));
	cat_dcat_set(publisher, "@id", cat_dcat_get(cat_dcat_get(said, "publisher"), "iri"));
	cat_dcat_set(publisher, "subOrganizationOf",
				 within_of(larger_of(cat_dcat_get(publisher, "subOrganizationOf"))));
	cat_dcat_set(us, "publisher", publisher);
	cat_dcat_set(
		us, "contactPoint",
		contacts_of(dataset, cat_dcat_get(said, "contacts"), "@type=Kind fn:name hasEmail:email"));
	cat_dcat_set(
		us, "landingPage",
		cat_dcat_form(us, "@type=Document @id:landingPage accessURL:landingPage title:title"));
	/* the region that languages do not have */
	if (!cat_dcat_get(us, "textLanguage") && language && strchr(cat_dcat_string(language), '-'))
		cat_dcat_set(us, "textLanguage", language);
	cat_dcat_set(us, "language", languages_of(cat_dcat_get(us, "language")));
	cat_dcat_set(us, "spatial", places_of(said));
	cat_dcat_set(us, "temporal", periods_of(said));
	foreach_ptr(Json, file, cat_dcat_elements(cat_dcat_get(us, "distribution")))
		make_part(file, "Distribution", list_nth(files, foreach_current_index(file)));
}

Json *
cat_dcat_us(const DcatPart *dataset)
{
	const char *profile = dataset->dcat->profile ? dataset->dcat->profile : "";
	Json *us = us_of(dataset, dataset->said, "dcat:Dataset", cat_dcat_dataset_properties,
					 cat_dcat_dataset_count);

	if (strcmp(profile, "dcat-us-1.1") == 0)
		make_strict(us, dataset->iri);
	else if (strcmp(profile, "dcat-us-3") == 0)
		make_third(us, dataset);
	return us;
}
