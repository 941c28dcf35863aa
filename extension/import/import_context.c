/*
 * import_context.c
 *	  Documents of JSON-LD as their contexts mean them.
 *
 * A context gives keywords, properties and types other names, and says how values are written.  The
 * other readers know the names of DCAT alone: a document whose context has others is written anew with
 * these, once, before it is read.  What a property means that no vocabulary of DCAT has is left as it
 * is named.  A property in reverse becomes an object that says it forwards.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "base/base.h"
#include "import/document_internal.h"

#define DEPTH_MAX 40	/* levels of a document that are written anew */
#define CONTEXTS_MAX 4	/* contexts in each other */
#define TERMS_MAX 10000 /* of all contexts */
#define UNKNOWN_MAX 5	/* addresses of contexts that are told */

/* How the values of a property are written. */
typedef enum Container
{
	CONTAINER_NONE,
	CONTAINER_LIST,
	CONTAINER_INDEX, /* an object, whose names say nothing */
	CONTAINER_ID	 /* an object, whose names are the @id of its values */
} Container;

/* What a context says of a name. */
typedef struct Term
{
	const char *given; /* the IRI, compact IRI or keyword, as it is given; NULL: none */
	const char *name;  /* that members get; NULL: they keep theirs */
	bool reverse;
	Container container;
	struct Context *scoped; /* of its values, or of objects of this type; NULL: none */
} Term;

typedef struct Context
{
	const struct Context *outer;
	HTAB *terms;  /* Term * by name */
	bool changes; /* it means something else than its names say */
} Context;

typedef struct Writer
{
	StringInfoData out;
	StringInfoData
		extra;	/* objects that say forwards what others say in reverse, with commas between */
	int blanks; /* objects that were given an @id */
	int terms;
	List *unknown; /* of char *: addresses of contexts that are not known */
} Writer;

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

/* ---- Contexts ---- */

static const Term *
find_term(const Context *context, const char *name)
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
	term = find_term(context, colon ? pnstrdup(text, colon - text) : text);
	if (!colon)
		return term && term->given && strcmp(term->given, text) != 0
				   ? iri_of(context, term->given, depth + 1)
				   : text;
	if (term && term->given)
		return psprintf("%s%s", iri_of(context, term->given, depth + 1), colon + 1);
	return text;
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

static Context *read_context(Writer *writer, const Context *outer, const Piece *value, int depth);

/* Read an object that defines a term. */
static void
read_definition(Writer *writer, Context *context, Term *term, const Piece *value, int depth)
{
	List *pieces = cat_import_split(value->text, value->length);
	const char *reverse = text_of(pieces, "@reverse");
	const char *container = text_of(pieces, "@container");

	term->given = reverse ? reverse : text_of(pieces, "@id");
	term->reverse = reverse != NULL;
	if (container)
		term->container = strcmp(container, "@list") == 0	 ? CONTAINER_LIST
						  : strcmp(container, "@index") == 0 ? CONTAINER_INDEX
						  : strcmp(container, "@id") == 0	 ? CONTAINER_ID
															 : CONTAINER_NONE;
	foreach_ptr(const Piece, piece, pieces)
		if (strcmp(piece->name, "@context") == 0)
			term->scoped = read_context(writer, context, piece, depth + 1);
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
						(term->scoped && term->scoped->changes);
}

/* Read the terms of an object. */
static void
read_terms(Writer *writer, Context *context, const Piece *value, int depth)
{
	List *pieces = cat_import_split(value->text, value->length);

	foreach_ptr(const Piece, piece, pieces)
	{
		Term *term;

		CHECK_FOR_INTERRUPTS();
		if (*piece->name == '@' || cat_import_is_null(piece) || ++writer->terms > TERMS_MAX)
			continue;
		term = palloc0(sizeof(Term));
		cat_import_map_put(context->terms, piece->name, term);
		if (*piece->text == '{')
			read_definition(writer, context, term, piece, depth);
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
read_address(Writer *writer, Context *context, const Piece *value, int depth)
{
	const char *address = cat_import_text(cat_import_value(value));

	for (size_t i = 0; address && i < lengthof(known); i++)
	{
		Piece piece = {.text = known[i].context, .length = strlen(known[i].context)};
		size_t length = strlen(known[i].ending);

		if (strlen(address) < length ||
			strcmp(address + strlen(address) - length, known[i].ending) != 0)
			continue;
		read_terms(writer, context, &piece, depth);
		return;
	}
	if (address && list_length(writer->unknown) < UNKNOWN_MAX &&
		!cat_query_string_has_word(writer->unknown, address))
		writer->unknown = lappend(writer->unknown, unconstify(char *, address));
}

/* Add what a value of @context says. */
static void
add_context(Writer *writer, Context *context, const Piece *value, int depth)
{
	if (depth > CONTEXTS_MAX)
		return;
	if (*value->text == '[')
		foreach_ptr(const Piece, element, cat_import_split(value->text, value->length))
			add_context(writer, context, element, depth + 1);
	else if (*value->text == '{')
		read_terms(writer, context, value, depth);
	else if (*value->text == '"')
		read_address(writer, context, value, depth);
}

/* Return a context within another one. */
static Context *
read_context(Writer *writer, const Context *outer, const Piece *value, int depth)
{
	Context *context = palloc0(sizeof(Context));

	context->outer = outer;
	context->terms = cat_import_map();
	add_context(writer, context, value, depth);
	return context;
}

/* ---- Writing ---- */

/* An object that is written. */
typedef struct Subject
{
	const Context *context; /* of its members */
	const Context *inner;	/* of their values */
	const char *id;			/* its @id, with quotes; NULL: it has none yet */
} Subject;

static void write_value(Writer *writer, const Context *context, const Piece *value, int depth);

static void
free_pieces(List *pieces)
{
	foreach_ptr(Piece, piece, pieces)
		if (piece->name)
			pfree(piece->name);
	list_free_deep(pieces);
}

/* Return the name that a member has. */
static const char *
name_of(const Context *context, const Piece *member, const Term **term)
{
	*term = find_term(context, member->name);
	if (*term && (*term)->name)
		return (*term)->name;
	return member->name;
}

/* Return the elements of a value: List of Piece *. */
static List *
elements_of(const Piece *value)
{
	return *value->text == '[' ? cat_import_split(value->text, value->length)
							   : list_make1(unconstify(Piece *, value));
}

/* Return the context of an object's members by its types, which hold for no other object. */
static const Context *
context_of_types(const Context *context, List *members)
{
	foreach_ptr(const Piece, member, members)
	{
		const Term *term;

		if (strcmp(name_of(context, member, &term), "@type") != 0)
			continue;
		foreach_ptr(const Piece, type, elements_of(member))
		{
			const char *name = cat_import_text(cat_import_value(type));
			const Term *scoped = name ? find_term(context, name) : NULL;

			if (scoped && scoped->scoped)
				return scoped->scoped;
		}
	}
	return context;
}

/* Add a member to the object at the end of a text. */
static void
add_member(StringInfo out, const char *name, const char *json)
{
	out->len--;
	appendStringInfo(out, "%s\"%s\":%s}", out->data[out->len - 1] == '{' ? "" : ",", name, json);
}

/* Write types by the names that are read. */
static void
write_types(Writer *writer, const Context *context, const Piece *value)
{
	const char *separator = *value->text == '[' ? "[" : "";

	foreach_ptr(const Piece, type, elements_of(value))
	{
		const char *name = cat_import_text(cat_import_value(type));
		const Term *term = name ? find_term(context, name) : NULL;

		appendStringInfoString(&writer->out, separator);
		if (term && term->name)
			cat_json_text_string(&writer->out, term->name);
		else
			appendBinaryStringInfo(&writer->out, type->text, (int) type->length);
		separator = ",";
	}
	if (*value->text == '[')
		appendStringInfoString(&writer->out, *separator == '[' ? "[]" : "]");
}

/* Write an object by which values are indexed as the list of them. */
static void
write_indexed(Writer *writer, const Context *context, const Piece *value, bool by_id, int depth)
{
	StringInfo out = &writer->out;

	appendStringInfoChar(out, '[');
	foreach_ptr(const Piece, member, cat_import_split(value->text, value->length))
	{
		foreach_ptr(const Piece, element, elements_of(member))
		{
			appendStringInfoString(out, out->data[out->len - 1] == '[' ? "" : ",");
			write_value(writer, context, element, depth + 1);
			if (by_id && *element->text == '{')
				add_member(out, "@id", psprintf("\"%s\"", member->name));
		}
	}
	appendStringInfoChar(out, ']');
}

/* Write the value of a member. */
static void
write_member_value(Writer *writer, const Context *context, const Term *term, const Piece *value,
				   int depth)
{
	Container container = term ? term->container : CONTAINER_NONE;

	if (term && term->scoped)
		context = term->scoped;
	if (container == CONTAINER_LIST && *value->text == '[')
	{
		appendStringInfoString(&writer->out, "{\"@list\":");
		write_value(writer, context, value, depth + 1);
		appendStringInfoChar(&writer->out, '}');
	}
	else if (container > CONTAINER_LIST && *value->text == '{')
		write_indexed(writer, context, value, container == CONTAINER_ID, depth);
	else
		write_value(writer, context, value, depth + 1);
}

/* Set the @id of an object, which gets one if it has none. */
static void
require_id(Writer *writer, Subject *subject)
{
	if (!subject->id)
		subject->id = psprintf("\"_:in-reverse-%d\"", ++writer->blanks);
}

/* Write what an object says in reverse: each value gets the property, with the object as its value. */
static void
write_reverse(Writer *writer, Subject *subject, const char *name, const Piece *value, int depth)
{
	StringInfoData out = writer->out;
	const char *object;

	require_id(writer, subject);
	object = psprintf("{\"@id\":%s}", subject->id);
	foreach_ptr(const Piece, element, elements_of(value))
	{
		CHECK_FOR_INTERRUPTS();
		if (*element->text != '{' && *element->text != '"')
			continue;
		initStringInfo(&writer->out);
		if (*element->text == '"')
			appendStringInfo(&writer->out, "{\"@id\":%.*s}", (int) element->length, element->text);
		else
			write_value(writer, subject->inner, element, depth + 1);
		add_member(&writer->out, name, object);
		appendStringInfo(&writer->extra, "%s%s", writer->extra.len > 0 ? "," : "",
						 writer->out.data);
		pfree(writer->out.data);
	}
	writer->out = out;
}

/* Write the members of "@reverse". */
static void
write_reverses(Writer *writer, Subject *subject, const Piece *value, int depth)
{
	foreach_ptr(const Piece, member, cat_import_split(value->text, value->length))
	{
		const Term *term;
		const char *name = name_of(subject->context, member, &term);

		write_reverse(writer, subject, name, member, depth);
	}
}

/* Write a member of an object. */
static void
write_member(Writer *writer, Subject *subject, const Piece *member, int depth)
{
	StringInfo out = &writer->out;
	const Term *term;
	const char *name = name_of(subject->context, member, &term);

	if (strcmp(name, "@context") == 0)
		return;
	if (strcmp(name, "@reverse") == 0)
		write_reverses(writer, subject, member, depth);
	else if (term && term->reverse)
		write_reverse(writer, subject, name, member, depth);
	else if (cat_import_is_named(member, "seriesMember"))
		write_reverse(writer, subject, "dcat:inSeries", member, depth);
	else
	{
		appendStringInfo(out, "%s\"%s\":", out->data[out->len - 1] == '{' ? "" : ",", name);
		if (strcmp(name, "@type") == 0)
			write_types(writer, subject->context, member);
		else
			write_member_value(writer, subject->inner, term, member, depth);
	}
}

/* Return the context of an object: its own, or the one around it. */
static const Context *
own_context(Writer *writer, const Context *context, List *members)
{
	foreach_ptr(const Piece, member, members)
		if (strcmp(member->name, "@context") == 0)
			return read_context(writer, context, member, 0);
	return context;
}

static void
write_object(Writer *writer, const Context *context, const Piece *value, int depth)
{
	List *members = cat_import_split(value->text, value->length);
	const Context *inner = own_context(writer, context, members);
	Subject subject = {.inner = inner, .context = context_of_types(inner, members)};
	const char *given = NULL;

	foreach_ptr(const Piece, member, members)
	{
		const Term *term;

		if (strcmp(name_of(subject.context, member, &term), "@id") == 0 && *member->text == '"')
			given = psprintf("%.*s", (int) member->length, member->text);
	}
	subject.id = given;
	appendStringInfoChar(&writer->out, '{');
	foreach_ptr(const Piece, member, members)
		write_member(writer, &subject, member, depth);
	appendStringInfoChar(&writer->out, '}');
	if (subject.id && !given)
		add_member(&writer->out, "@id", subject.id);
	free_pieces(members);
}

static void
write_value(Writer *writer, const Context *context, const Piece *value, int depth)
{
	CHECK_FOR_INTERRUPTS();
	if (depth > DEPTH_MAX || (*value->text != '{' && *value->text != '['))
		appendBinaryStringInfo(&writer->out, value->text, (int) value->length);
	else if (*value->text == '{')
		write_object(writer, context, value, depth);
	else
	{
		List *elements = cat_import_split(value->text, value->length);
		const char *separator = "[";

		foreach_ptr(const Piece, element, elements)
		{
			appendStringInfoString(&writer->out, separator);
			write_value(writer, context, element, depth + 1);
			separator = ",";
		}
		appendStringInfoString(&writer->out, elements ? "]" : "[]");
		free_pieces(elements);
	}
}

/* ---- Documents ---- */

/* Return whether a document has a text. */
static bool
has(const Piece *document, const char *text)
{
	return memmem(document->text, document->length, text, strlen(text)) != NULL;
}

/* Return whether the context of an object, or of one of the documents in a list, changes names. */
static bool
is_changed(Writer *writer, const Piece *document)
{
	bool changed = false;

	foreach_ptr(const Piece, part, cat_import_split(document->text, document->length))
	{
		if (part->name && strcmp(part->name, "@context") == 0)
			changed |= read_context(writer, NULL, part, 0)->changes;
		else if (!part->name && *part->text == '{')
			changed |= is_changed(writer, part);
		if (changed)
			break;
	}
	return changed;
}

/* Return a document with the objects that say in reverse what others say. */
static const Piece *
with_extra(Writer *writer, const Piece *document)
{
	Piece *joined = palloc0(sizeof(Piece));

	*joined = *document;
	joined->text = writer->out.data;
	if (writer->extra.len > 0)
		joined->text = psprintf("[%s,{\"@graph\":[%s]}]", writer->out.data, writer->extra.data);
	joined->length = strlen(joined->text);
	return joined;
}

const Piece *
cat_import_context_apply(const Piece *document, List **unknown)
{
	Writer writer = {0};
	bool changed = has(document, "\"@context\"") && is_changed(&writer, document);

	*unknown = writer.unknown;
	if (!changed && !has(document, "\"@reverse\"") && !has(document, "seriesMember\""))
		return document;
	initStringInfo(&writer.out);
	initStringInfo(&writer.extra);
	write_value(&writer, NULL, document, 0);
	return with_extra(&writer, document);
}
