/*
 * dcat_say.c
 *	  What DCAT says of datasets and files, of which all formats are made.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/formatting.h"
#include "utils/numeric.h"

#include "documents/dcat_internal.h"

#define AUTHORITY "http://publications.europa.eu/resource/authority/"

/* How a property of a kind is said. */
typedef struct Kind
{
	const char *name; /* of catalogue.dcat_value(); NULL: it has none there */
	/* returns what an optional value, or NULL, says, or its first text; without both it is given on as
	 * it is */
	Json *(*value)(Dcat *dcat, const Json *given);
	const char *(*text)(const char *given);
	/* returns what stands for that; NULL: it does itself, */
	Json *(*say)(const DcatPart *part, Json *value);
	const char *otherwise; /* or the first of these members of the record, with a space between */
	bool inherited;		   /* or, of a file, what the dataset says */
} Kind;

/* Return the text of a member of the record. */
static char *
record_text(const DcatPart *part, const char *name)
{
	return cat_dcat_member(part->record, name);
}

static const char *
same(const char *text)
{
	return text;
}

static Json *
value_term(Dcat *dcat, const Json *given)
{
	return cat_dcat_text_term(cat_dcat_text_first(given));
}

static Json *
value_languages(Dcat *dcat, const Json *given)
{
	return cat_dcat_language_tags(dcat, given, NULL);
}

static Json *
value_iris(Dcat *dcat, const Json *given)
{
	Json *iris = NULL;

	foreach_ptr(const char, text, cat_dcat_text_list(given))
		iris = cat_dcat_add(iris, cat_dcat_text(cat_rdf_iri(text)));
	return iris;
}

static Json *
say_title(const DcatPart *part, Json *value)
{
	return cat_dcat_text(cat_dcat_text_whole(record_text(part, "name"), value));
}

/* Return a description, which DCAT needs of a dataset. */
static Json *
say_description(const DcatPart *part, Json *value)
{
	const char *text = record_text(part, "description");

	return text || part->dataset ? cat_dcat_text(cat_dcat_text_whole(text, value))
								 : cat_dcat_get(part->record, "name");
}

static Json *
say_keyword(const DcatPart *part, Json *value)
{
	return cat_dcat_each(cat_dcat_get(part->record, "tags"), "name");
}

/* Return the identifier under which a dataset is given on where another one has its own before it. */
static Json *
renamed_of(const DcatPart *part)
{
	return cat_dcat_get(cat_dcat_get(part->dcat->settings, "identifiers"), record_text(part, "id"));
}

static Json *
say_identifier(const DcatPart *part, Json *value)
{
	Json *renamed = renamed_of(part);

	return renamed ? renamed : value ? value : cat_dcat_get(part->record, "id");
}

/* Return the identifiers of a dataset besides that which is given on: a text, or an array of
 * several. */
static Json *
say_further(const DcatPart *part, Json *value)
{
	char *own = renamed_of(part) ? cat_dcat_member(part->given, "identifier") : NULL;
	List *texts = own && *own ? list_make1(own) : NIL;
	Json *further;

	foreach_ptr(const Json, one, cat_dcat_elements(value))
	{
		char *text = cat_dcat_text_first(one);

		if (text && *text)
			texts = lappend(texts, text);
	}
	further = cat_dcat_distinct(texts);
	return further && further->val.array.nElems == 1 ? cat_dcat_first(further) : further;
}

static Json *
say_modified(const DcatPart *part, Json *value)
{
	const char *latest = record_text(part, "updatedAt");

	foreach_ptr(const Json, file, cat_dcat_elements(cat_dcat_get(part->record, "files")))
	{
		const char *changed = cat_dcat_member(file, "updatedAt");

		if (!latest || (changed && strcmp(changed, latest) > 0))
			latest = changed;
	}
	return value ? value : cat_dcat_text(latest);
}

static Json *
say_page(const DcatPart *part, Json *value)
{
	const char *portal = cat_dcat_member(part->dcat->settings, "portal");
	const char *slug = record_text(part, "slug");

	if (!value && portal && slug && strcmp(portal, part->dcat->base) != 0)
		return cat_dcat_text(psprintf("%s/datasets/%s", portal, slug));
	return value ? value : cat_dcat_text(part->iri);
}

Json *
cat_dcat_say_larger(const char *part, const Json *within)
{
	const Json *said = cat_dcat_first(within);
	const char *name = cat_dcat_text_name(said, "name prefLabel title");
	const char *iri = cat_rdf_iri(cat_dcat_text_first(said));
	Json *larger;

	if (!part || (!iri && !name))
		return NULL;
	if (!iri)
		iri = psprintf("%s%swithin", part, strchr(part, '#') ? "-" : "#");
	larger = cat_dcat_texts("iri", iri, "name", name, NULL);
	cat_dcat_set(larger, "within", cat_dcat_get(said, "subOrganizationOf"));
	return larger;
}

/* Return the publisher: the organization, else the optional value, else the catalogue's. What the
 * optional value says holds if the name is the same. */
static Json *
say_agent(const DcatPart *part, Json *value)
{
	const Json *first = cat_dcat_first(value);
	const Json *organization = cat_dcat_get(part->record, "organization");
	const char *name = cat_dcat_text_name(first, "name title prefLabel");
	const char *id = cat_dcat_member(organization, "id");
	const char *iri = cat_rdf_iri(cat_dcat_member(first, "@id"));
	const char *mail = cat_dcat_member(first, "mbox");
	const char *home = cat_dcat_member(first, "homepage");
	const char *own;
	Json *agent = cat_dcat_get(part->dcat->settings, "publisher");

	if (id)
		agent = cat_dcat_texts("name", cat_dcat_member(organization, "name"), "iri",
							   psprintf("%s/organizations/%s", part->dcat->base, id), NULL);
	else if (name)
		agent = cat_dcat_texts("name", name, "iri", iri ? iri : psprintf("%s#publisher", part->iri),
							   NULL);
	own = cat_dcat_member(agent, "name");
	if (!own || !name || strcmp(own, name) != 0)
		return agent;
	agent = cat_dcat_copy(agent);
	cat_dcat_set(agent, "email",
				 cat_dcat_text(cat_dcat_text_email(mail ? mail : cat_dcat_member(first, "email"))));
	cat_dcat_set(agent, "homepage",
				 cat_dcat_text(cat_rdf_iri(home ? home : cat_dcat_member(first, "url"))));
	cat_dcat_set(agent, "within", cat_dcat_get(first, "subOrganizationOf"));
	return agent;
}

/* Return the IRI of the term of the EU's authority table that a word names, NULL for none. */
static const char *
authority_iri(Dcat *dcat, bool labels, const char *vocabulary, const char *word)
{
	const char *code = cat_dcat_member(cat_dcat_term(dcat, labels, vocabulary, word), "code");

	return code ? psprintf(AUTHORITY "%s/%s", vocabulary, code) : NULL;
}

/* Return categories with the IRI of the EU's data theme that has the name as a label, if there is
 * one. */
static Json *
say_category(const DcatPart *part, Json *value)
{
	List *categories = cat_dcat_elements(cat_dcat_get(part->record, "categories"));
	Json *themes = NULL;

	if (cat_dcat_get(part->record, "categories"))
		categories =
			list_concat(categories, cat_dcat_elements(cat_dcat_get(part->record, "subcategories")));
	foreach_ptr(const Json, category, categories)
	{
		const char *name = cat_dcat_member(category, "name");
		const char *id = cat_dcat_member(category, "id");
		const char *iri = authority_iri(part->dcat, true, "data-theme", name);

		iri = iri ? iri : psprintf("%s/categories/%s", part->dcat->base, id);
		themes = cat_dcat_add(themes, cat_dcat_texts("iri", iri, "label", name, NULL));
	}
	return themes;
}

/* Return a person or office to ask, which has a usual name without one; NULL if it has neither name
 * nor address. */
static Json *
contact_of(const Dcat *dcat, const Json *point)
{
	const char *name = cat_dcat_text_name(point, "fn");
	const char *email = cat_dcat_text_email(cat_dcat_text_first(cat_dcat_get(point, "hasEmail")));

	if (!name && !email)
		return NULL;
	if (!email && dcat->us)
		email = cat_dcat_member(dcat->settings, "email");
	if (!name)
		name = cat_dcat_member(cat_dcat_get(dcat->settings, "contact"), "name");
	return cat_dcat_texts("name", name, "email", email, NULL);
}

static int
compare_values(const ListCell *left, const ListCell *right)
{
	Jsonb *a = lfirst(left);
	Jsonb *b = lfirst(right);

	return compareJsonbContainers(&a->root, &b->root);
}

Json *
cat_dcat_say_contacts(Dcat *dcat, const Json *points)
{
	List *found = NIL;
	Json *contacts = NULL;
	Json *usual = cat_dcat_get(dcat->settings, "contact");
	Jsonb *last = NULL;

	foreach_ptr(const Json, point, cat_dcat_elements(points))
	{
		Json *contact = contact_of(dcat, point);

		if (contact)
			found = lappend(found, cat_dcat_jsonb(contact));
	}
	/* several have no order of their own */
	list_sort(found, compare_values);
	foreach_ptr(Jsonb, contact, found)
	{
		if (!last || compareJsonbContainers(&last->root, &contact->root) != 0)
			contacts = cat_dcat_add(contacts, cat_dcat_of_jsonb(contact));
		last = contact;
	}
	if (contacts || !usual)
		return contacts;
	usual = cat_dcat_copy(usual);
	if (dcat->us && !cat_dcat_get(usual, "email"))
		cat_dcat_set(usual, "email", cat_dcat_get(dcat->settings, "email"));
	return cat_dcat_add(NULL, usual);
}

/* Return the frequency that a source names, with its interval; NULL: it is none. */
static Json *
value_frequency(Dcat *dcat, const Json *value)
{
	const char *text = cat_dcat_text_first(value);
	const char *code;
	const char *name;
	Json *term;

	if (!text)
		return NULL;
	term = cat_dcat_term_of(dcat, "frequency", text);
	if (!term)
		term =
			cat_dcat_term(dcat, true, "frequency", cat_dcat_text_trimmed(text, (int) strlen(text)));
	code = cat_dcat_member(term, "code");
	name = cat_dcat_member(term, "name");
	if (!term)
		return NULL;
	if (strcmp(code, "IRREG") != 0)
		name = asc_toupper(name, strlen(name));
	return cat_dcat_texts("code", code, "interval", name, NULL);
}

/* Return the frequency of the runs of a file's pattern, with its rank among all. */
static const Json *
frequency_of(const DcatPart *part, const Json *file)
{
	const char *pattern = cat_dcat_member(cat_dcat_get(file, "updateFrequency"), "timePattern");

	return cat_dcat_get(cat_dcat_get(part->dcat->settings, "frequencies"), pattern ? pattern : "");
}

static long
rank_of(const Json *frequency)
{
	return strtol(cat_dcat_member(frequency, "rank"), NULL, 10);
}

/* Return the frequency that is given, or the shortest one of the files. */
static Json *
say_frequency(const DcatPart *part, Json *value)
{
	const Json *best = NULL;

	if (value)
		return value;
	foreach_ptr(const Json, file, cat_dcat_elements(cat_dcat_get(part->record, "files")))
	{
		const Json *frequency = frequency_of(part, file);
		const char *code = cat_dcat_member(frequency, "code");

		/* an import gives files an irregular frequency where its source has none */
		if (!code ||
			((!part->given || cat_dcat_get(part->given, "source")) && strcmp(code, "IRREG") == 0))
			continue;
		if (!best || rank_of(frequency) < rank_of(best))
			best = frequency;
	}
	return best ? cat_dcat_form(best, "code:code interval:interval") : NULL;
}

/* Return who may have the data, by a code of the EU's authority table: by accessLevel, of DCAT-US,
 * or accessRights. */
static Json *
say_access(const DcatPart *part, Json *value)
{
	static const char *const codes[][2] = {
		{"restricted", "RESTRICTED"},	{"restricted public", "RESTRICTED"},
		{"non_public", "NON_PUBLIC"},	{"non-public", "NON_PUBLIC"},
		{"confidential", "NON_PUBLIC"}, {"sensitive", "NON_PUBLIC"},
	};
	const Json *rights = cat_dcat_get(part->given, "accessRights");
	const char *given = cat_dcat_string(value);

	if (!given)
		given = cat_dcat_member(rights, "@id");
	if (!given)
		given = cat_dcat_string(rights);
	given = given ? cat_dcat_text_trimmed(given, (int) strlen(given)) : "";
	for (const char *c = given; *c; c++)
		if (strchr("/#:", *c))
			given = c + 1;
	for (size_t i = 0; i < lengthof(codes); i++)
		if (pg_strcasecmp(given, codes[i][0]) == 0)
			return cat_dcat_text(codes[i][1]);
	return cat_dcat_text("PUBLIC");
}

/* Return the places that are given, or where the files are. */
static Json *
say_place(const DcatPart *part, Json *value)
{
	return value ? value
				 : cat_dcat_get(cat_dcat_get(part->dcat->settings, "extents"),
								record_text(part, "id"));
}

/* Return series: addresses, or objects with @id, title and description, as objects that have all. */
static Json *
say_series(const DcatPart *part, Json *value)
{
	Json *all = NULL;

	foreach_ptr(const Json, one, cat_dcat_elements(value))
	{
		const char *title = cat_dcat_text_name(one, "title name");
		const char *iri = cat_rdf_iri(cat_dcat_text_first(one));
		const char *description = cat_dcat_text_first(cat_dcat_get(one, "description"));

		if (!iri && title)
			iri = psprintf("%s#series-%d", part->iri, foreach_current_index(one) + 1);
		if (!title)
			title = iri;
		if (iri)
			all = cat_dcat_add(all, cat_dcat_texts("iri", iri, "title", title, "description",
												   description ? description : title, NULL));
	}
	return all;
}

/* Return the languages of a dataset: without any, that of its title, or the catalogue's. */
static Json *
say_language(const DcatPart *part, Json *value)
{
	Json *given = cat_dcat_get(part->given, "textLanguage");
	Json *tags = cat_dcat_language_tags(part->dcat, value, given);
	Json *own = cat_dcat_get(cat_dcat_get(part->said, "textLanguage"), "name");
	Json *usual = cat_dcat_get(part->dcat->settings, "language");
	Json *first = own ? own : cat_dcat_first(tags);

	/* languages have no order, so the catalogue's is taken if it is one of them */
	foreach_ptr(Json, tag, own ? NIL : cat_dcat_elements(tags))
		if (usual && strcmp(cat_dcat_string(tag), cat_dcat_string(usual)) == 0)
			first = tag;
	first = first ? first : usual;
	if (first)
		cat_dcat_set(part->said, "language", first);
	return tags ? tags : cat_dcat_add(NULL, own ? own : usual);
}

static Json *
say_download(const DcatPart *part, Json *value)
{
	return cat_dcat_text(record_text(part, "size") ? psprintf("%s/download", part->iri)
												   : cat_rdf_iri(record_text(part, "url")));
}

static Json *
say_address(const DcatPart *part, Json *value)
{
	Json *bytes = cat_dcat_get(part->said, "downloadURL");

	return value ? value : bytes ? bytes : cat_dcat_text(part->iri);
}

/* Return the type of a file, whose IRI is that of the EU's authority table if the type is in it. */
static Json *
say_format(const DcatPart *part, Json *value)
{
	const Json *type = cat_dcat_get(part->record, "type");
	const char *name = cat_dcat_member(type, "name");
	const char *slug = cat_dcat_member(type, "slug");
	const char *iri = authority_iri(part->dcat, false, "file-type", name);

	if (!slug)
		slug = cat_dcat_member(type, "id");
	if (!iri && slug)
		iri = psprintf("%s/filetypes/%s", part->dcat->base, slug);
	return cat_dcat_texts("iri", iri, "name", name, NULL);
}

static Json *
say_media_type(const DcatPart *part, Json *value)
{
	static const char medium[] = "^(?:https?://www\\.iana\\.org/assignments/media-types/)?"
								 "([A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+)$";
	const char *given = cat_dcat_string(value);
	const char *known = cat_dcat_string(
		cat_dcat_first(cat_dcat_get(cat_dcat_get(part->record, "type"), "mimetype")));
	char *name;

	/* DCAT-US has application/octet-stream where nothing is known */
	if (given && cat_dcat_matches(given, medium, &name, 1) &&
		strcmp(name, "application/octet-stream") != 0)
		return cat_dcat_text(name);
	return known && cat_dcat_matches(known, medium, &name, 1) ? cat_dcat_text(name) : NULL;
}

static Json *
say_size(const DcatPart *part, Json *value)
{
	char *size = record_text(part, "size");
	const char *given = cat_dcat_string(value);

	if (!size && !(given && cat_dcat_matches(given, "^(\\d{1,18})(?:\\.0*)?$", &size, 1)))
		return NULL;
	value = palloc(sizeof(Json));
	*value = (Json){.type = jbvNumeric, .val.numeric = int64_to_numeric(strtoll(size, NULL, 10))};
	return value;
}

static Json *
say_digest(const DcatPart *part, Json *value)
{
	return cat_dcat_get(part->record, "sha256");
}

static Json *say_file(const DcatPart *part, Json *value);

static const Kind kinds[DCAT_KINDS] = {
	[DCAT_TEXT] = {.name = "text", .text = same},
	[DCAT_IRI] = {.text = cat_rdf_iri},
	[DCAT_TITLE] = {.say = say_title},
	[DCAT_DESCRIPTION] = {.say = say_description},
	[DCAT_KEYWORD] = {.say = say_keyword},
	[DCAT_TEXT_LANGUAGE] = {.name = "textLanguage", .value = cat_dcat_language_texts},
	[DCAT_TRANSLATIONS] = {.name = "translations", .value = cat_dcat_language_translations},
	[DCAT_IDENTIFIER] = {.text = same, .say = say_identifier},
	[DCAT_FURTHER] = {.say = say_further},
	[DCAT_ISSUED] = {.name = "time", .text = cat_dcat_time, .otherwise = "publishedAt createdAt"},
	[DCAT_MODIFIED] = {.text = cat_dcat_time, .say = say_modified},
	[DCAT_PAGE] = {.text = cat_rdf_iri, .say = say_page},
	[DCAT_AGENT] = {.say = say_agent},
	[DCAT_CATEGORY] = {.say = say_category},
	[DCAT_THEME] = {.value = value_iris},
	[DCAT_CONTACT] = {.name = "contacts", .value = cat_dcat_say_contacts},
	[DCAT_FREQUENCY] = {.name = "frequency", .value = value_frequency, .say = say_frequency},
	[DCAT_ACCESS] = {.say = say_access},
	[DCAT_PLACE] = {.name = "places", .value = cat_dcat_place_list, .say = say_place},
	[DCAT_PERIOD] = {.name = "periods", .value = cat_dcat_time_periods},
	[DCAT_SERIES] = {.say = say_series},
	[DCAT_LANGUAGE] = {.say = say_language},
	[DCAT_TAGS] = {.name = "languages", .value = value_languages},
	[DCAT_LICENSE] = {.name = "license", .value = cat_dcat_text_license, .inherited = true},
	[DCAT_TERM] = {.value = value_term, .inherited = true},
	[DCAT_STANDARD] = {.value = value_iris},
	[DCAT_FILE] = {.say = say_file},
	[DCAT_DOWNLOAD] = {.say = say_download},
	[DCAT_ADDRESS] = {.text = cat_rdf_iri, .say = say_address},
	[DCAT_FORMAT] = {.say = say_format},
	[DCAT_MEDIA_TYPE] = {.say = say_media_type},
	[DCAT_SIZE] = {.say = say_size},
	[DCAT_DIGEST] = {.say = say_digest},
};

/* Return what an optional value says. */
static Json *
value_of(Dcat *dcat, const Kind *kind, Json *given)
{
	if (kind->text)
		return cat_dcat_text(kind->text(cat_dcat_text_first(given)));
	return kind->value ? kind->value(dcat, given) : given;
}

/* Return what is said of a property. */
static Json *
say_property(const DcatPart *part, const DcatProperty *property)
{
	const Kind *kind = &kinds[property->kind];
	const char *name = property->kept ? property->kept : property->said;
	Json *value = value_of(part->dcat, kind, cat_dcat_get(part->given, name));

	if (kind->say)
		return kind->say(part, value);
	for (const char *names = kind->otherwise; names && !value;)
	{
		value = cat_dcat_get(part->record, pnstrdup(names, strcspn(names, " ")));
		names = strchr(names, ' ');
		names = names ? names + 1 : NULL;
	}
	if (!value && kind->inherited && part->dataset)
		value = cat_dcat_get(part->dataset->said, property->said);
	return value;
}

/* Return what DCAT says of a record; dataset: of a file, NULL for a dataset. */
static DcatPart *
say(Dcat *dcat, const DcatPart *dataset, Json *record)
{
	const DcatProperty *properties =
		dataset ? cat_dcat_file_properties : cat_dcat_dataset_properties;
	int count = dataset ? cat_dcat_file_count : cat_dcat_dataset_count;
	Json *optionals = cat_dcat_get(record, "optionals");
	DcatPart *part = palloc0(sizeof(DcatPart));

	CHECK_FOR_INTERRUPTS();
	*part = (DcatPart){.dcat = dcat, .dataset = dataset, .record = record};
	part->given = cat_dcat_is_object(optionals) ? optionals : NULL;
	part->iri = psprintf("%s/%s/%s", dcat->base, dataset ? "files" : "datasets",
						 cat_dcat_member(record, "id"));
	part->said = cat_dcat_object("iri", cat_dcat_text(part->iri), NULL);
	for (int i = 0; i < count; i++)
		if (properties[i].said)
			cat_dcat_set(part->said, properties[i].said, say_property(part, &properties[i]));
	return part;
}

static Json *
say_file(const DcatPart *part, Json *value)
{
	Json *files = NULL;

	foreach_ptr(Json, file, cat_dcat_elements(cat_dcat_get(part->record, "files")))
		files = cat_dcat_add(files, say(part->dcat, part, file)->said);
	return files;
}

DcatPart *
cat_dcat_say(Dcat *dcat, Json *record)
{
	return say(dcat, NULL, record);
}

CAT_FUNCTION(catalogue_dcat_value)
{
	Dcat *dcat = palloc0(sizeof(Dcat));
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(ARG_DCAT_VALUE_KIND));
	Json *given = cat_dcat_of_jsonb(PG_GETARG_JSONB_P(ARG_DCAT_VALUE_GIVEN));

	for (size_t i = 0; i < lengthof(kinds); i++)
		if (kinds[i].name && strcmp(kinds[i].name, name) == 0)
		{
			Json *value = value_of(dcat, &kinds[i], given);

			if (value)
				PG_RETURN_JSONB_P(cat_dcat_jsonb(value));
		}
	PG_RETURN_NULL();
}
