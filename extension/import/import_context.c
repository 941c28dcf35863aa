/*
 * import_context.c
 *	  What contexts of JSON-LD say.
 *
 * A context gives keywords, properties and types other names, and says how values are written.  What a
 * property means that no vocabulary of DCAT has is left as it is named.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "base/base.h"
#include "import/context_internal.h"
#include "import/import_internal.h"

#define CONTEXTS_MAX 4	/* contexts in each other */
#define TERMS_MAX 10000 /* of all contexts */
#define NOTES_MAX 20	/* on contexts that are told */
#define BASE_MAX 500	/* bytes of an IRI that others are relative to */
#define TAG_MAX 35		/* bytes of the tag of a language */

/* The vocabularies whose properties are read, and the prefixes that names get. */
static const struct
{
	const char *prefix;
	const char *iri;
} vocabularies[] = {
	{"dcat", "http://www.w3.org/ns/dcat#"},
	{"dct", "http://purl.org/dc/terms/"},
	{"dct", "http://purl.org/dc/elements/1.1/"},
	{"foaf", "http://xmlns.com/foaf/0.1/"},
	{"skos", "http://www.w3.org/2004/02/skos/core#"},
	{"vcard", "http://www.w3.org/2006/vcard/ns#"},
	{"adms", "http://www.w3.org/ns/adms#"},
	{"spdx", "http://spdx.org/rdf/terms#"},
	{"locn", "http://www.w3.org/ns/locn#"},
	{"rdfs", "http://www.w3.org/2000/01/rdf-schema#"},
	{"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"},
	{"owl", "http://www.w3.org/2002/07/owl#"},
	{"org", "http://www.w3.org/ns/org#"},
	{"wdrs", "http://www.w3.org/2007/05/powder-s#"},
	{"hydra", "http://www.w3.org/ns/hydra/core#"},
};

/* Contexts that documents name by their address, with the names that differ from those of DCAT. */
static const struct
{
	const char *ending;
	const char *context;
} known[] = {
#define DCAT_AP                                                                           \
	"{\"Catalogue\":\"dcat:Catalog\",\"CatalogueRecord\":\"dcat:CatalogRecord\","         \
	"\"datasetDistribution\":\"dcat:distribution\",\"accessUrl\":\"dcat:accessURL\","     \
	"\"downloadUrl\":\"dcat:downloadURL\",\"licence\":\"dct:license\","                   \
	"\"frequency\":\"dct:accrualPeriodicity\",\"geographicalCoverage\":\"dct:spatial\","  \
	"\"temporalCoverage\":\"dct:temporal\",\"releaseDate\":\"dct:issued\","               \
	"\"modificationDate\":\"dct:modified\",\"preferredLabel\":\"skos:prefLabel\","        \
	"\"email\":\"vcard:hasEmail\",\"contactPage\":\"vcard:hasURL\","                      \
	"\"catalogue\":\"dcat:catalog\",\"themes\":\"dcat:themeTaxonomy\","                   \
	"\"linkedSchemas\":\"dct:conformsTo\",\"compressionFormat\":\"dcat:compressFormat\"," \
	"\"packagingFormat\":\"dcat:packageFormat\",\"otherIdentifier\":\"adms:identifier\"}"
	{"dcat-ap.jsonld", DCAT_AP},
	{"hvd.jsonld", DCAT_AP},
	{"project-open-data.cio.gov/v1.1/schema/catalog.jsonld", "{}"},
	{"dcat-us-3.0.jsonld", "{}"},
	{"/dcat.jsonld", "{}"},
	{"://schema.org", "{}"},
	{"://schema.org/", "{}"},
};

void
cat_import_context_note(ContextReader *reader, const char *note)
{
	if (list_length(reader->notes) < NOTES_MAX && !cat_query_string_has_word(reader->notes, note))
		reader->notes = lappend(reader->notes, unconstify(char *, note));
}

const char *
cat_import_context_base(const Context *context)
{
	while (context && !context->has_base)
		context = context->outer;
	return context ? context->base : NULL;
}

const char *
cat_import_context_language(const Context *context)
{
	while (context && !context->has_language)
		context = context->outer;
	return context ? context->language : NULL;
}

const Term *
cat_import_context_term(const Context *context, const char *name)
{
	for (; context; context = context->outer)
	{
		const Term *term = cat_import_map_get(context->terms, name);

		if (term)
			return term;
	}
	return NULL;
}

/* Return the IRI that a context means by a text; the text, where it means none. */
static const char *
iri_of(const Context *context, const char *text, int depth)
{
	const char *colon = strchr(text, ':');
	const Term *term;

	if (*text == '@' || depth > CONTEXTS_MAX || (colon && strncmp(colon, "://", 3) == 0))
		return text;
	term = cat_import_context_term(context, colon ? pnstrdup(text, colon - text) : text);
	if (!colon)
		return term && term->given && strcmp(term->given, text) != 0
				   ? iri_of(context, term->given, depth + 1)
				   : text;
	if (term && term->given)
		return psprintf("%s%s", iri_of(context, term->given, depth + 1), colon + 1);
	return text;
}

const char *
cat_import_context_iri(const Context *context, const char *text)
{
	const char *iri = strchr(text, ':') ? iri_of(context, text, 0) : text;
	const char *base = cat_import_context_base(context);

	return base ? cat_import_iri_resolve(base, iri) : iri;
}

bool
cat_import_context_is_compact(const Context *context, const char *text)
{
	size_t length = strcspn(text, ":/?#\"\\");
	char *prefix;
	const Term *term;
	bool known_prefix = false;

	if (text[length] != ':' || strncmp(text + length, "://", 3) == 0 || *text == '_')
		return false;
	prefix = pnstrdup(text, length);
	term = cat_import_context_term(context, prefix);
	for (size_t i = 0; i < lengthof(vocabularies); i++)
		known_prefix |= strcmp(vocabularies[i].prefix, prefix) == 0;
	pfree(prefix);
	return term && term->given && !known_prefix;
}

/* Return the name by which the readers know an IRI or keyword; NULL where they do not. */
static const char *
known_name(const char *iri)
{
	const char *colon = strchr(iri, ':');

	if (*iri == '@')
		return iri;
	for (size_t i = 0; i < lengthof(vocabularies); i++)
	{
		size_t length = strlen(vocabularies[i].iri);
		size_t prefix = strlen(vocabularies[i].prefix);

		if (strncmp(iri, vocabularies[i].iri, length) == 0)
			return psprintf("%s:%s", vocabularies[i].prefix, iri + length);
		if (colon && colon == iri + prefix && memcmp(iri, vocabularies[i].prefix, prefix) == 0)
			return iri;
	}
	return NULL;
}

/* Return the text of a member of the definition of a term; NULL for none. */
static const char *
text_of(List *pieces, const char *name)
{
	foreach_ptr(const Piece, piece, pieces)
		if (strcmp(piece->name, name) == 0)
			return cat_import_text(cat_import_value(piece));
	return NULL;
}

static Context *read_context(ContextReader *reader, const Context *outer, const Piece *value,
							 int depth);

/* Return whether a text may be the tag of a language. */
static bool
is_tag(const char *text)
{
	size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-");

	return length >= 2 && length <= TAG_MAX && text[length] == '\0';
}

/* Set the language that a context or a term says. */
static void
read_language(ContextReader *reader, const Piece *value, bool *has, const char **language)
{
	const char *text = cat_import_text(cat_import_value(value));

	*has = cat_import_is_null(value) || (*value->text == '"' && text && is_tag(text));
	*language = *has ? text : NULL;
	if (!*has)
		cat_import_context_note(
			reader, psprintf("@language: %s is no tag of a language",
							 cat_import_cut(pnstrdup(value->text, value->length), 200)));
}

/* Set the IRI that a context says others are relative to. */
static void
read_base(ContextReader *reader, Context *context, const Piece *value)
{
	const char *outer = cat_import_context_base(context);
	const char *text = *value->text == '"' ? cat_import_text(cat_import_value(value)) : NULL;

	if (text && outer)
		text = cat_import_iri_resolve(outer, text);
	context->has_base = cat_import_is_null(value) ||
						(text && strlen(text) <= BASE_MAX && cat_import_iri_is_absolute(text));
	context->base = context->has_base ? text : NULL;
	context->changes |= context->base != NULL;
	if (!context->has_base)
		cat_import_context_note(
			reader, psprintf("@base: %s is no absolute IRI; what is relative to it stays so",
							 cat_import_cut(pnstrdup(value->text, value->length), 200)));
}

/* Read an object that defines a term. */
static void
read_definition(ContextReader *reader, Context *context, Term *term, const Piece *value, int depth)
{
	List *pieces = cat_import_split(value->text, value->length);
	const char *reverse = text_of(pieces, "@reverse");
	const char *container = text_of(pieces, "@container");
	const char *type = text_of(pieces, "@type");

	term->is_typed = type != NULL;
	term->is_iri = type && strcmp(type, "@id") == 0;
	term->given = reverse ? reverse : text_of(pieces, "@id");
	term->reverse = reverse != NULL;
	if (container)
		term->container = strcmp(container, "@list") == 0	 ? CONTAINER_LIST
						  : strcmp(container, "@index") == 0 ? CONTAINER_INDEX
						  : strcmp(container, "@id") == 0	 ? CONTAINER_ID
															 : CONTAINER_NONE;
	foreach_ptr(const Piece, piece, pieces)
		if (strcmp(piece->name, "@context") == 0)
			term->scoped = read_context(reader, context, piece, depth + 1);
		else if (strcmp(piece->name, "@language") == 0)
			read_language(reader, piece, &term->has_language, &term->language);
}

/* Set what members are called that have the name of a term. */
static void
name_term(Context *context, const char *name, Term *term)
{
	const char *known_as = term->given ? known_name(iri_of(context, term->given, 0)) : NULL;

	if (known_as && strcmp(name, known_as) != 0 &&
		(*known_as == '@' ||
		 strcmp(cat_import_local_name(name), cat_import_local_name(known_as)) != 0))
		term->name = known_as;
	context->changes |= term->name || term->reverse || term->container != CONTAINER_NONE ||
						term->language || (term->scoped && term->scoped->changes);
}

static void read_keyword(ContextReader *reader, Context *context, const Piece *piece, int depth);

/* Read the keywords and the terms of an object. */
static void
read_terms(ContextReader *reader, Context *context, const Piece *value, int depth)
{
	List *pieces = cat_import_split(value->text, value->length);

	foreach_ptr(const Piece, piece, pieces)
		read_keyword(reader, context, piece, depth);
	foreach_ptr(const Piece, piece, pieces)
	{
		Term *term;

		CHECK_FOR_INTERRUPTS();
		if (*piece->name == '@' || cat_import_is_null(piece) || ++reader->terms > TERMS_MAX)
			continue;
		term = palloc0(sizeof(Term));
		cat_import_map_put(context->terms, piece->name, term);
		if (*piece->text == '{')
			read_definition(reader, context, term, piece, depth);
		else
			term->given = cat_import_text(cat_import_value(piece));
	}
	/* a term may be defined by one that follows */
	foreach_ptr(const Piece, piece, pieces)
	{
		Term *term = cat_import_map_get(context->terms, piece->name);

		if (term)
			name_term(context, piece->name, term);
	}
}

/* Read the context that an address leads to, if it is known. */
static void
read_address(ContextReader *reader, Context *context, const Piece *value, int depth)
{
	const char *address = cat_import_text(cat_import_value(value));

	for (size_t i = 0; address && i < lengthof(known); i++)
	{
		Piece piece = {.text = known[i].context, .length = strlen(known[i].context)};
		size_t length = strlen(known[i].ending);

		if (strlen(address) < length ||
			strcmp(address + strlen(address) - length, known[i].ending) != 0)
			continue;
		read_terms(reader, context, &piece, depth);
		return;
	}
	if (address)
		cat_import_context_note(
			reader, psprintf("the context \"%s\" is not known; names are read as they are",
							 cat_import_cut(address, 200)));
}

/* Read what a context says besides terms. */
static void
read_keyword(ContextReader *reader, Context *context, const Piece *piece, int depth)
{
	if (strcmp(piece->name, "@base") == 0)
		read_base(reader, context, piece);
	else if (strcmp(piece->name, "@language") == 0)
	{
		read_language(reader, piece, &context->has_language, &context->language);
		context->changes |= context->language != NULL;
	}
	else if (strcmp(piece->name, "@import") == 0 && *piece->text == '"')
		read_address(reader, context, piece, depth);
	else if (strcmp(piece->name, "@import") == 0)
		cat_import_context_note(reader, "@import: is no address of a context");
}

/* Let a context say nothing, nor those around it. */
static void
reset(Context *context)
{
	*context = (Context){.terms = cat_import_map(), .changes = context->changes};
}

/* Add what a value of @context says. */
static void
add_context(ContextReader *reader, Context *context, const Piece *value, int depth)
{
	if (depth > CONTEXTS_MAX)
		return;
	if (*value->text == '[')
		foreach_ptr(const Piece, element, cat_import_split(value->text, value->length))
			add_context(reader, context, element, depth + 1);
	else if (*value->text == '{')
		read_terms(reader, context, value, depth);
	else if (*value->text == '"')
		read_address(reader, context, value, depth);
	else if (cat_import_is_null(value))
		reset(context);
}

/* Return a context within another one. */
static Context *
read_context(ContextReader *reader, const Context *outer, const Piece *value, int depth)
{
	Context *context = palloc0(sizeof(Context));

	context->outer = outer;
	context->terms = cat_import_map();
	add_context(reader, context, value, depth);
	return context;
}

const Context *
cat_import_context_read(ContextReader *reader, const Context *outer, const Piece *value)
{
	return read_context(reader, outer, value, 0);
}
