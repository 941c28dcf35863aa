/*
 * dcat_rdf.c
 *	  Triples of datasets, files and pages of the catalogue.
 */
#include "catalogue.h"

#include "utils/memutils.h"

#include "base/base.h"
#include "documents/dcat_internal.h"

#define AUTHORITY "http://publications.europa.eu/resource/authority/"
#define FACTS_MAX 4
#define WITHIN_MAX 10 /* organizations that a publisher is a part of */

/* A member of a value and its triple.  kind: of the object; @ is a text in the language of the
 * dataset, @@ in that of the catalogue, NULL a time, and shape WKT or GeoJSON. */
typedef struct Fact
{
	const char *said; /* "" is the value itself */
	const char *predicate;
	const char *kind;
} Fact;

/* Where a property is written. */
typedef struct Spot
{
	Dcat *dcat;
	const char *subject; /* its IRI */
	const Json *said;	 /* of it */
	const DcatProperty *property;
} Spot;

/* How values of a kind are written. */
typedef struct Form
{
	/* adds the triples of a value; NULL: it leads to nodes, which the rest describes */
	void (*add)(const Spot *at, const Json *value);
	const char *prefix; /* of the IRI that a text, or member code, is the end of */
	const char *suffix; /* of the IRI of what has none, behind that of the at->subject */
	Fact facts[FACTS_MAX];
} Form;

static const Form forms[DCAT_KINDS];

/* Return a text that lasts, which the triple before may have. */
static const char *
lasting(const char *text, const char *before)
{
	return before && strcmp(text, before) == 0 ? before : pstrdup(text);
}

/* Add a triple, which lasts longer than what is said of its dataset; predicates are constants. */
static void
keep(Dcat *dcat, const RdfTriple *triple)
{
	MemoryContext former = MemoryContextSwitchTo(GetMemoryChunkContext(dcat));
	const RdfTriple *last = dcat->triples ? llast(dcat->triples) : NULL;
	RdfTriple *kept = palloc(sizeof(RdfTriple));

	*kept = *triple;
	kept->subject = lasting(triple->subject, last ? last->subject : NULL);
	kept->object = pstrdup(triple->object);
	if (*triple->kind == '@')
		kept->kind = lasting(triple->kind, last ? last->kind : NULL);
	dcat->triples = lappend(dcat->triples, kept);
	MemoryContextSwitchTo(former);
}

/* Add a triple as the profile has it; one without object is none.  DCAT-AP 2 has sizes as decimals,
 * and of checksums SHA-1 only.  DCAT-US 3 has names without a language, and no pages without a
 * title. */
static void
add(Dcat *dcat, const char *subject, const char *predicate, const char *object, const char *kind)
{
	if (!subject || !object)
		return;
	if (strcmp(dcat->profile, "dcat-ap-2") == 0)
	{
		if (strncmp(predicate, "spdx:", 5) == 0 || strncmp(object, "spdx:", 5) == 0)
			return;
		kind = strcmp(predicate, "dcat:byteSize") == 0 ? "xsd:decimal" : kind;
	}
	else if (strcmp(dcat->profile, "dcat-us-3") == 0)
	{
		if (strcmp(object, "foaf:Document") == 0)
			return;
		if (strcmp(predicate, "foaf:name") == 0 || strcmp(predicate, "vcard:fn") == 0)
			kind = "text";
	}
	keep(dcat, &(RdfTriple){subject, predicate, object, kind});
}

/* Add that a property leads to an IRI, and the class of that. */
static void
add_link(const Spot *at, const char *iri)
{
	add(at->dcat, at->subject, at->property->predicate, iri, "iri");
	add(at->dcat, iri, "rdf:type", at->property->class, "name");
}

/* Return the kind of a text. */
static const char *
kind_of(const Dcat *dcat, const char *kind, const char *text)
{
	if (!kind)
		return cat_dcat_time_kind(text);
	if (strcmp(kind, "@") == 0)
		return dcat->texts;
	if (strcmp(kind, "@@") == 0)
		return dcat->names;
	if (strcmp(kind, "shape") != 0)
		return kind;
	return *cat_one_line_trim(text) == '{' ? "gsp:geoJSONLiteral" : "gsp:wktLiteral";
}

/* Add what is said of a node. */
static void
add_facts(Dcat *dcat, const char *iri, const Json *value, const Fact *facts)
{
	for (const Fact *fact = facts; fact < facts + FACTS_MAX && fact->said; fact++)
		foreach_ptr(const Json, one,
					cat_dcat_elements(*fact->said ? cat_dcat_get(value, fact->said) : value))
		{
			char *text = cat_dcat_string(one);

			add(dcat, iri, fact->predicate, text, kind_of(dcat, fact->kind, text));
		}
}

/* Add the nodes that a property leads to. */
static void
add_nodes(const Spot *at, const Json *value, const Form *form)
{
	foreach_ptr(const Json, one, cat_dcat_elements(value))
	{
		int n = foreach_current_index(one) + 1;
		const char *code =
			one->type == jbvString ? cat_dcat_string(one) : cat_dcat_member(one, "code");
		const char *iri = cat_dcat_member(one, "iri");

		if (!iri && form->suffix)
			iri = psprintf("%s#%s%s", at->subject, form->suffix, n > 1 ? psprintf("-%d", n) : "");
		else if (!iri && code)
			iri = psprintf("%s%s", form->prefix ? form->prefix : "", code);
		add_link(at, iri);
		add_facts(at->dcat, iri, one, form->facts);
	}
}

static void
add_literal(const Spot *at, const Json *value)
{
	const char *text = cat_dcat_string(value);

	add(at->dcat, at->subject, at->property->predicate, text,
		kind_of(at->dcat, at->property->class, text));
}

/* Add texts, in the language of the field if it has one. */
static void
add_texts(const Spot *at, const Json *value)
{
	const char *tag = cat_dcat_member(cat_dcat_get(at->said, "textLanguage"), at->property->class);

	foreach_ptr(const Json, text, cat_dcat_elements(value))
		add(at->dcat, at->subject, at->property->predicate, cat_dcat_string(text),
			tag ? psprintf("@%s", tag) : at->dcat->texts);
}

static void
add_translations(const Spot *at, const Json *value)
{
	const Json *all = cat_dcat_copy(value);

	for (int i = 0; i < all->val.object.nPairs; i++)
	{
		const char *kind = psprintf("@%s", cat_dcat_string(&all->val.object.pairs[i].key));

		add_facts(at->dcat, at->subject, &all->val.object.pairs[i].value,
				  (const Fact[FACTS_MAX]){{"name", "dct:title", kind},
										  {"description", "dct:description", kind},
										  {"tags", "dcat:keyword", kind}});
	}
}

/* Add a landing page.  The IRI of a dataset made here leads to its page, and the dataset is no
 * document. */
static void
add_page(const Spot *at, const Json *value)
{
	const char *page = cat_dcat_string(value);

	if (strcmp(page, at->subject) != 0)
		add_link(at, page);
}

/* Add a publisher, and the organizations that it is a part of. */
static void
add_agent(const Spot *at, const Json *value)
{
	const char *part = cat_dcat_member(value, "iri");
	const Json *larger = value;

	add_link(at, part);
	add_facts(at->dcat, part, value, forms[DCAT_AGENT].facts);
	add(at->dcat, cat_dcat_member(value, "homepage"), "rdf:type", "foaf:Document", "name");
	for (int n = 0; n < WITHIN_MAX; n++)
	{
		const Json *within = cat_dcat_get(larger, "within");
		const char *name;
		const char *iri;

		larger = within ? cat_dcat_say_larger(part, within) : NULL;
		if (!larger)
			break;
		name = cat_dcat_member(larger, "name");
		iri = cat_dcat_member(larger, "iri");
		add(at->dcat, part, "org:subOrganizationOf", iri, "iri");
		add(at->dcat, iri, "rdf:type", name ? "foaf:Agent" : NULL, "name");
		add(at->dcat, iri, "foaf:name", name, at->dcat->names);
		part = iri;
	}
}

/* Add a theme; what is below an address is of a scheme. */
static void
add_theme(const Spot *at, const char *iri, const char *label, const char *kind)
{
	const char *end = iri + strlen(iri);

	for (const char *c = iri; *c; c++)
		if (strchr("/#", *c))
			end = c;
	add_link(at, iri);
	add(at->dcat, iri, "skos:prefLabel", label, kind);
	add(at->dcat, iri, "skos:inScheme", pnstrdup(iri, (Size) (end - iri)), "iri");
}

static void
add_categories(const Spot *at, const Json *value)
{
	foreach_ptr(const Json, theme, cat_dcat_elements(value))
		add_theme(at, cat_dcat_member(theme, "iri"), cat_dcat_member(theme, "label"),
				  at->dcat->names);
}

/* Return whether a category has an IRI. */
static bool
is_category(const Json *said, const char *iri)
{
	foreach_ptr(const Json, theme, cat_dcat_elements(cat_dcat_get(said, "theme")))
		if (strcmp(cat_dcat_member(theme, "iri"), iri) == 0)
			return true;
	return false;
}

/* Add themes of which only the address is known, which is their label, as a series has, unless it is
 * one of the EU's table. */
static void
add_themes(const Spot *at, const Json *value)
{
	foreach_ptr(const Json, theme, cat_dcat_elements(value))
	{
		const char *iri = cat_dcat_string(theme);
		const char *english = NULL;

		if (strncmp(iri, AUTHORITY "data-theme/", strlen(AUTHORITY "data-theme/")) == 0)
			english = cat_dcat_member(cat_dcat_term_of(at->dcat, "data-theme", iri), "english");
		add_theme(at, iri,
				  is_category(at->said, iri) ? NULL
				  : english					 ? english
											 : iri,
				  english ? "@en" : "text");
	}
}

static void
add_languages(const Spot *at, const Json *value)
{
	foreach_ptr(const Json, tag, cat_dcat_elements(value))
		add_link(at, cat_dcat_language_iri(at->dcat, cat_dcat_string(tag)));
}

static void
add_digest(const Spot *at, const Json *value)
{
	const char *checksum = psprintf("%s#checksum", at->subject);

	add_link(at, checksum);
	add(at->dcat, checksum, "spdx:algorithm", "spdx:checksumAlgorithm_sha256", "name");
	add(at->dcat, "http://spdx.org/rdf/terms#checksumAlgorithm_sha256", "rdf:type",
		"spdx:ChecksumAlgorithm", "name");
	add(at->dcat, checksum, "spdx:checksumValue", cat_dcat_string(value), "xsd:hexBinary");
}

static void add_files(const Spot *at, const Json *value);

static const Form forms[DCAT_KINDS] = {
	[DCAT_TEXT] = {.add = add_literal},
	[DCAT_IRI] = {.add = add_literal},
	[DCAT_TITLE] = {.add = add_texts},
	[DCAT_DESCRIPTION] = {.add = add_texts},
	[DCAT_KEYWORD] = {.add = add_texts},
	[DCAT_TRANSLATIONS] = {.add = add_translations},
	[DCAT_IDENTIFIER] = {.add = add_literal},
	[DCAT_FURTHER] = {.suffix = "identifier", .facts = {{"", "skos:notation", "text"}}},
	[DCAT_ISSUED] = {.add = add_literal},
	[DCAT_MODIFIED] = {.add = add_literal},
	[DCAT_PAGE] = {.add = add_page},
	[DCAT_AGENT] = {.add = add_agent,
					.facts = {{"name", "foaf:name", "@@"},
							  {"email", "foaf:mbox", "iri"},
							  {"homepage", "foaf:homepage", "iri"}}},
	[DCAT_CATEGORY] = {.add = add_categories},
	[DCAT_THEME] = {.add = add_themes},
	[DCAT_CONTACT] = {.suffix = "contact",
					  .facts = {{"name", "vcard:fn", "@"}, {"email", "vcard:hasEmail", "iri"}}},
	[DCAT_FREQUENCY] = {.prefix = AUTHORITY "frequency/"},
	[DCAT_ACCESS] = {.prefix = AUTHORITY "access-right/"},
	[DCAT_PLACE] = {.suffix = "spatial",
					.facts = {{"label", "rdfs:label", "@"},
							  {"bbox", "dcat:bbox", "shape"},
							  {"centroid", "dcat:centroid", "shape"},
							  {"geometry", "locn:geometry", "shape"}}},
	[DCAT_PERIOD] = {.suffix = "temporal",
					 .facts = {{"start", "dcat:startDate", NULL}, {"end", "dcat:endDate", NULL}}},
	[DCAT_SERIES] = {.facts = {{"title", "dct:title", "@"},
							   {"description", "dct:description", "@"}}},
	[DCAT_LANGUAGE] = {.add = add_languages},
	[DCAT_LICENSE] = {.suffix = "license", .facts = {{"label", "rdfs:label", "@"}}},
	[DCAT_TERM] = {.suffix = "rights", .facts = {{"label", "rdfs:label", "@"}}},
	[DCAT_FILE] = {.add = add_files},
	[DCAT_DOWNLOAD] = {.add = add_literal},
	[DCAT_ADDRESS] = {.add = add_literal},
	[DCAT_FORMAT] = {.facts = {{"name", "rdfs:label", "text"}}},
	[DCAT_MEDIA_TYPE] = {.prefix = "https://www.iana.org/assignments/media-types/"},
	[DCAT_SIZE] = {.add = add_literal},
	[DCAT_DIGEST] = {.add = add_digest},
};

/* Add a property of a subject, of which this is said. */
static void
add_property(Dcat *dcat, const char *subject, const Json *said, const DcatProperty *property)
{
	const Json *value = cat_dcat_get(said, property->said);
	const Form *form = &forms[property->kind];
	const Spot at = {dcat, subject, said, property};

	if (!value)
		return;
	if (form->add)
		form->add(&at, value);
	else
		add_nodes(&at, value, form);
}

static int
compare_places(const void *left, const void *right)
{
	return (*(const DcatProperty *const *) left)->place -
		   (*(const DcatProperty *const *) right)->place;
}

/* Add the properties of a dataset or file, of which this is said, in their order. */
static void
add_part(Dcat *dcat, const Json *said, const char *class, const DcatProperty *properties, int count)
{
	const DcatProperty **ordered = palloc(sizeof(DcatProperty *) * (Size) count);
	const char *subject = cat_dcat_member(said, "iri");

	for (int i = 0; i < count; i++)
		ordered[i] = &properties[i];
	qsort(ordered, count, sizeof(DcatProperty *), compare_places);
	add(dcat, subject, "rdf:type", class, "name");
	for (int i = 0; i < count; i++)
		if (ordered[i]->place > 0)
			add_property(dcat, subject, said, ordered[i]);
}

static void
add_files(const Spot *at, const Json *value)
{
	foreach_ptr(const Json, file, cat_dcat_elements(value))
	{
		add(at->dcat, at->subject, at->property->predicate, cat_dcat_member(file, "iri"), "iri");
		add_part(at->dcat, file, at->property->class, cat_dcat_file_properties,
				 cat_dcat_file_count);
	}
}

void
cat_dcat_rdf(const DcatPart *dataset)
{
	Dcat *dcat = dataset->dcat;
	const char *language = cat_dcat_member(dataset->said, "language");

	dcat->texts = language ? psprintf("@%s", language) : "text";
	add_part(dcat, dataset->said, "dcat:Dataset", cat_dcat_dataset_properties,
			 cat_dcat_dataset_count);
}

/* Add properties that the catalogue has as datasets have them; names: with NULL behind them. */
static void
add_as_dataset(Dcat *dcat, const char *subject, const Json *said, const char *const *names)
{
	for (; *names; names++)
		for (int i = 0; i < cat_dcat_dataset_count; i++)
			if (cat_dcat_dataset_properties[i].said &&
				strcmp(cat_dcat_dataset_properties[i].said, *names) == 0)
				add_property(dcat, subject, said, &cat_dcat_dataset_properties[i]);
}

/* Return the IRI of the profile that /catalog conforms to; DCAT-US 1.1 has no form in RDF, with it
 * that is DCAT-AP. */
static const char *
profile_iri(const char *profile)
{
	if (strcmp(profile, "dcat-us-3") == 0)
		return "https://resources.data.gov/dcat-us/3.0.0";
	return strcmp(profile, "dcat-ap-2") == 0 ? "https://semiceu.github.io/DCAT-AP/releases/2.1.1/"
											 : "https://semiceu.github.io/DCAT-AP/releases/3.0.0/";
}

/* Add the triples of a page: addresses of it and others, in the terms of Hydra. */
static void
add_addresses(Dcat *dcat, const char *iri, const Json *page)
{
	static const char *const names[][2] = {{"hydra:first", "first"},
										   {"hydra:previous", "previous"},
										   {"hydra:next", "next"},
										   {"hydra:last", "last"}};
	const char *self = cat_dcat_member(page, "self");

	add(dcat, iri, "hydra:totalItems", cat_dcat_member(page, "count"), "xsd:integer");
	add(dcat, iri, "hydra:view", self, "iri");
	add(dcat, self, "rdf:type", "hydra:PartialCollectionView", "name");
	for (size_t i = 0; i < lengthof(names); i++)
		add(dcat, self, names[i][0], cat_dcat_member(page, names[i][1]), "iri");
}

void
cat_dcat_rdf_page(Dcat *dcat, const Json *page, List *records)
{
	static const char *const texts[] = {"title", "description", "translations", NULL};
	static const char *const parts[] = {"publisher", "conformsTo", "license", NULL};
	const char *iri = psprintf("%s/catalog", dcat->base);
	const char *themes = psprintf("%s/categories", dcat->base);
	const char *portal = cat_dcat_member(dcat->settings, "portal");
	const char *language = cat_dcat_language_iri(dcat, cat_dcat_member(dcat->settings, "language"));
	const char *home = portal ? portal : psprintf("%s/", dcat->base);
	Json *said = cat_dcat_copy(dcat->settings);

	dcat->texts = dcat->names;
	cat_dcat_set(said, "conformsTo", cat_dcat_text(profile_iri(dcat->profile)));
	add(dcat, iri, "rdf:type", "dcat:Catalog", "name");
	add_as_dataset(dcat, iri, said, texts);
	add(dcat, iri, "rdf:type", "hydra:Collection", "name");
	add(dcat, iri, "dct:modified", cat_dcat_member(page, "version"), "xsd:dateTime");
	add(dcat, iri, "foaf:homepage", home, "iri");
	add(dcat, home, "rdf:type", "foaf:Document", "name");
	add(dcat, iri, "dct:language", language, "iri");
	add(dcat, language, "rdf:type", "dct:LinguisticSystem", "name");
	add(dcat, iri, "dcat:themeTaxonomy", themes, "iri");
	add(dcat, themes, "rdf:type", "skos:ConceptScheme", "name");
	add(dcat, themes, "dct:title", cat_dcat_member(said, "title"), dcat->names);
	add_addresses(dcat, iri, page);
	add_as_dataset(dcat, iri, said, parts);
	foreach_ptr(const Json, record, records)
		add(dcat, iri, "dcat:dataset",
			psprintf("%s/datasets/%s", dcat->base, cat_dcat_member(record, "id")), "iri");
}
