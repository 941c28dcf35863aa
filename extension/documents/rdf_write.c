/*
 * rdf_write.c
 *	  Triples as JSON-LD, Turtle and RDF/XML.
 *
 * Subjects follow each other as they first occur, and so do the predicates of one and their objects.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/typcache.h"

#include "base/base.h"
#include "documents/dcat_internal.h"

/* Prefixes of names, in the order in which documents have them. */
static const struct
{
	const char *prefix;
	const char *iri;
} prefixes[] = {
	{"adms", "http://www.w3.org/ns/adms#"},
	{"dcat", "http://www.w3.org/ns/dcat#"},
	{"dct", "http://purl.org/dc/terms/"},
	{"foaf", "http://xmlns.com/foaf/0.1/"},
	{"gsp", "http://www.opengis.net/ont/geosparql#"},
	{"hydra", "http://www.w3.org/ns/hydra/core#"},
	{"locn", "http://www.w3.org/ns/locn#"},
	{"org", "http://www.w3.org/ns/org#"},
	{"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"},
	{"rdfs", "http://www.w3.org/2000/01/rdf-schema#"},
	{"skos", "http://www.w3.org/2004/02/skos/core#"},
	{"spdx", "http://spdx.org/rdf/terms#"},
	{"vcard", "http://www.w3.org/2006/vcard/ns#"},
	{"wdrs", "http://www.w3.org/2007/05/powder-s#"},
	{"xsd", "http://www.w3.org/2001/XMLSchema#"},
};

#define COLUMNS 4 /* of type catalogue.triple */

typedef struct Triple
{
	RdfTriple said;
	int number;			  /* its number among the triples given */
	int subject_number;	  /* position of the first triple of its subject, */
	int predicate_number; /* and of the first one with its predicate as well */
	const char *written;  /* its object, or element, in the format */
	int length;
} Triple;

typedef struct Format
{
	const char *name;
	bool grouped; /* the objects of a predicate stand together */
	void (*head)(StringInfo out);
	void (*object)(StringInfo out, const Triple *triple);
	void (*subject)(StringInfo out, const char *subject);
	/* appends triples of a predicate; first: of the subject */
	void (*predicate)(StringInfo out, const Triple *triples, int count, bool first);
	const char *subject_end;
	const char *between; /* subjects */
	const char *tail;
} Format;

/* What occurs first at a position: a subject, which is above nothing, or a predicate of a subject. */
typedef struct Occurrence
{
	struct
	{
		int above; /* position of the subject, -1 for none */
		const char *text;
	} key;
	int number;
} Occurrence;

static uint32
hash_key(const void *key, Size size)
{
	const Occurrence *occurrence = key;

	return hash_combine(murmurhash32((uint32) occurrence->key.above),
						string_hash(occurrence->key.text, strlen(occurrence->key.text) + 1));
}

static int
compare_keys(const void *left, const void *right, Size size)
{
	const Occurrence *a = left;
	const Occurrence *b = right;

	return a->key.above != b->key.above || strcmp(a->key.text, b->key.text) != 0;
}

/* Return the position at which a text occurs first, which is this one if it did not before. */
static int
first_position(HTAB *firsts, int above, const char *text, int number)
{
	Occurrence wanted = {.key = {above, text}};
	bool found;
	Occurrence *occurrence = hash_search(firsts, &wanted, HASH_ENTER, &found);

	if (!found)
		occurrence->number = number;
	return occurrence->number;
}

/*
 * Return the length of a character that XML cannot contain, 0 for another one.  Documents of all
 * formats have U+FFFD for it, so that their triples are the same.
 */
static int
forbidden_length(const char *c)
{
	const unsigned char *byte = (const unsigned char *) c;

	if (byte[0] < 0x20)
		return byte[0] && byte[0] != '\t' && byte[0] != '\n' && byte[0] != '\r';
	return byte[0] == 0xEF && byte[1] == 0xBF && byte[2] >= 0xBE ? 3 : 0;
}

/* Return a text without characters that XML cannot contain: palloc'd, or the text itself. */
static const char *
allowed_text(const char *text)
{
	StringInfoData out;
	const char *at = text;

	while (*at && !forbidden_length(at))
		at++;
	if (!*at)
		return text;
	initStringInfo(&out);
	for (at = text; *at; at += Max(1, forbidden_length(at)))
		if (forbidden_length(at))
			appendStringInfoString(&out, "\xEF\xBF\xBD");
		else
			appendStringInfoChar(&out, *at);
	return out.data;
}

static bool
is_kind(const Triple *triple, const char *kind)
{
	return strcmp(triple->said.kind, kind) == 0;
}

static bool
is_type(const Triple *triple)
{
	return strcmp(triple->said.predicate, "rdf:type") == 0;
}

/* Return what a prefix stands for; empty for an unknown one. */
static const char *
prefix_iri(const char *name)
{
	size_t length = strcspn(name, ":");

	for (size_t i = 0; i < lengthof(prefixes); i++)
		if (strlen(prefixes[i].prefix) == length && strncmp(prefixes[i].prefix, name, length) == 0)
			return prefixes[i].iri;
	return "";
}

/* Append what a prefixed name stands for. */
static void
append_name(StringInfo out, const char *name)
{
	const char *colon = strchr(name, ':');

	appendStringInfo(out, "%s%s", prefix_iri(name), colon ? colon + 1 : "");
}

static void
json_head(StringInfo out)
{
	appendStringInfoString(out, "{\"@context\":{");
	for (size_t i = 0; i < lengthof(prefixes); i++)
		appendStringInfo(out, "%s\"%s\":\"%s\"", i > 0 ? "," : "", prefixes[i].prefix,
						 prefixes[i].iri);
	appendStringInfoString(out, "},\"@graph\":[\n");
}

static void
json_value(StringInfo out, const Triple *triple)
{
	const char *object = triple->said.object;
	const char *kind = triple->said.kind;
	bool plain = is_type(triple) || is_kind(triple, "text");
	bool address = is_kind(triple, "iri") || is_kind(triple, "name");

	if (!plain)
		appendStringInfoString(out, address ? "{\"@id\":" : "{\"@value\":");
	cat_json_text_string(out, object);
	if (!plain && *kind == '@')
		appendStringInfo(out, ",\"@language\":\"%s\"", kind + 1);
	else if (!plain && !address)
		appendStringInfo(out, ",\"@type\":\"%s\"", kind);
	if (!plain)
		appendStringInfoChar(out, '}');
}

static void
json_subject(StringInfo out, const char *subject)
{
	appendStringInfoString(out, "{\"@id\":");
	cat_json_text_string(out, subject);
}

/* Append what is written of triples, with a text between them. */
static void
append_list(StringInfo out, const Triple *triples, int count, const char *between)
{
	for (int i = 0; i < count; i++)
	{
		if (i > 0)
			appendStringInfoString(out, between);
		appendBinaryStringInfo(out, triples[i].written, triples[i].length);
	}
}

static void
json_predicate(StringInfo out, const Triple *triples, int count, bool first)
{
	appendStringInfoChar(out, ',');
	cat_json_text_string(out, is_type(triples) ? "@type" : triples->said.predicate);
	appendStringInfoString(out, count > 1 ? ":[" : ":");
	append_list(out, triples, count, ",");
	if (count > 1)
		appendStringInfoChar(out, ']');
}

static void
turtle_head(StringInfo out)
{
	for (size_t i = 0; i < lengthof(prefixes); i++)
		appendStringInfo(out, "@prefix %s: <%s> .\n", prefixes[i].prefix, prefixes[i].iri);
}

static void
turtle_value(StringInfo out, const Triple *triple)
{
	const char *kind = triple->said.kind;

	if (is_kind(triple, "iri"))
		appendStringInfo(out, "<%s>", triple->said.object);
	else if (is_kind(triple, "name"))
		appendStringInfoString(out, triple->said.object);
	else
	{
		/* a string of JSON is one of Turtle */
		cat_json_text_string(out, triple->said.object);
		if (!is_kind(triple, "text"))
			appendStringInfo(out, "%s%s", *kind == '@' ? "" : "^^", kind);
	}
}

static void
turtle_subject(StringInfo out, const char *subject)
{
	appendStringInfo(out, "\n<%s>", subject);
}

static void
turtle_predicate(StringInfo out, const Triple *triples, int count, bool first)
{
	appendStringInfo(out, "%s\n    %s ", first ? "" : " ;",
					 is_type(triples) ? "a" : triples->said.predicate);
	append_list(out, triples, count, ", ");
}

static void
xml_head(StringInfo out)
{
	appendStringInfoString(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF");
	for (size_t i = 0; i < lengthof(prefixes); i++)
		appendStringInfo(out, " xmlns:%s=\"%s\"", prefixes[i].prefix, prefixes[i].iri);
	appendStringInfoChar(out, '>');
}

/* Append a text as XML has it; an address has neither brackets nor line ends. */
static void
append_xml(StringInfo out, const char *text)
{
	for (; *text; text++)
		if (*text == '&')
			appendStringInfoString(out, "&amp;");
		else if (*text == '<')
			appendStringInfoString(out, "&lt;");
		else if (*text == '>')
			appendStringInfoString(out, "&gt;");
		else if (*text == '\r')
			appendStringInfoString(out, "&#13;");
		else
			appendStringInfoCharMacro(out, *text);
}

static void
xml_value(StringInfo out, const Triple *triple)
{
	const char *predicate = triple->said.predicate;
	const char *kind = triple->said.kind;

	appendStringInfo(out, "\n    <%s", predicate);
	if (is_kind(triple, "iri") || is_kind(triple, "name"))
	{
		appendStringInfoString(out, " rdf:resource=\"");
		(is_kind(triple, "iri") ? append_xml : append_name)(out, triple->said.object);
		appendStringInfoString(out, "\"/>");
		return;
	}
	if (*kind == '@')
		appendStringInfo(out, " xml:lang=\"%s\"", kind + 1);
	else if (!is_kind(triple, "text"))
	{
		appendStringInfoString(out, " rdf:datatype=\"");
		append_name(out, kind);
		appendStringInfoChar(out, '"');
	}
	appendStringInfoChar(out, '>');
	append_xml(out, triple->said.object);
	appendStringInfo(out, "</%s>", predicate);
}

static void
xml_subject(StringInfo out, const char *subject)
{
	appendStringInfoString(out, "\n  <rdf:Description rdf:about=\"");
	append_xml(out, subject);
	appendStringInfoString(out, "\">");
}

static void
xml_predicate(StringInfo out, const Triple *triples, int count, bool first)
{
	append_list(out, triples, count, "");
}

static const Format formats[] = {
	{"jsonld", true, json_head, json_value, json_subject, json_predicate, "}", ",\n", "\n]}\n"},
	{"turtle", true, turtle_head, turtle_value, turtle_subject, turtle_predicate, " .\n", "", ""},
	{"rdfxml", false, xml_head, xml_value, xml_subject, xml_predicate, "\n  </rdf:Description>", "",
	 "\n</rdf:RDF>\n"},
};

/* Compare by what is written; equal triples stay as they were given.  Positions and lengths are not negative. */
static int
compare_written(const void *left, const void *right)
{
	const Triple *a = left;
	const Triple *b = right;
	int compared = a->subject_number - b->subject_number;

	if (compared == 0)
		compared = a->predicate_number - b->predicate_number;
	if (compared == 0)
		compared = memcmp(a->written, b->written, Min(a->length, b->length));
	if (compared == 0)
		compared = a->length - b->length;
	return compared != 0 ? compared : a->number - b->number;
}

static int
compare_positions(const void *left, const void *right)
{
	const Triple *a = left;
	const Triple *b = right;
	int compared = a->subject_number - b->subject_number;

	if (compared == 0)
		compared = a->predicate_number - b->predicate_number;
	return compared != 0 ? compared : a->number - b->number;
}

static bool
is_same(const Triple *a, const Triple *b)
{
	return a->subject_number == b->subject_number && a->predicate_number == b->predicate_number &&
		   a->length == b->length && memcmp(a->written, b->written, a->length) == 0;
}

/* Read the triples, and their positions. */
static void
read_triples(Triple *triples, List *given)
{
	HASHCTL control = {.keysize = sizeof(((Occurrence *) NULL)->key),
					   .entrysize = sizeof(Occurrence),
					   .hash = hash_key,
					   .match = compare_keys,
					   .hcxt = CurrentMemoryContext};
	HTAB *firsts = hash_create("catalogue triples", list_length(given) + 1, &control,
							   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);

	foreach_ptr(const RdfTriple, one, given)
	{
		int number = foreach_current_index(one);
		Triple *triple = &triples[number];

		CHECK_FOR_INTERRUPTS();
		*triple = (Triple){.said = *one, .number = number};
		if (!is_kind(triple, "iri") && !is_kind(triple, "name"))
			triple->said.object = allowed_text(one->object);
		triple->subject_number = first_position(firsts, -1, one->subject, number);
		triple->predicate_number =
			first_position(firsts, triple->subject_number, one->predicate, number);
	}
}

/* Write the objects, and leave out triples that are repeated; returns how many are left. */
static int
write_objects(Triple *triples, int count, const Format *format)
{
	StringInfoData buffer;
	size_t start = 0;
	int kept = 0;

	initStringInfo(&buffer);
	for (int i = 0; i < count; i++)
	{
		int before = buffer.len;

		format->object(&buffer, &triples[i]);
		triples[i].length = buffer.len - before;
	}
	for (int i = 0; i < count; start += triples[i++].length)
		triples[i].written = buffer.data + start;
	qsort(triples, count, sizeof(Triple), compare_written);
	for (int i = 0; i < count; i++)
		if (i == 0 || !is_same(&triples[i], &triples[kept - 1]))
			triples[kept++] = triples[i];
	for (int i = 0; i < kept && !format->grouped; i++)
		triples[i].predicate_number = triples[i].number;
	qsort(triples, kept, sizeof(Triple), compare_positions);
	return kept;
}

static void
write_document(StringInfo out, const Triple *triples, int count, const Format *format)
{
	format->head(out);
	for (int i = 0, next; i < count; i = next)
	{
		bool first = i == 0 || triples[i].subject_number != triples[i - 1].subject_number;

		if (first && i > 0)
			appendStringInfo(out, "%s%s", format->subject_end, format->between);
		if (first)
			format->subject(out, triples[i].said.subject);
		for (next = i + 1; next < count; next++)
			if (triples[next].predicate_number != triples[i].predicate_number)
				break;
		format->predicate(out, &triples[i], next - i, first);
	}
	appendStringInfo(out, "%s%s", count > 0 ? format->subject_end : "", format->tail);
}

static const Format *
find_format(const char *name)
{
	for (size_t i = 0; i < lengthof(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

text *
cat_rdf_write(List *given, const char *name)
{
	const Format *format = find_format(name);
	Triple *triples =
		palloc_extended(sizeof(Triple) * ((Size) list_length(given) + 1), MCXT_ALLOC_HUGE);
	StringInfoData out;
	int count;

	if (!format)
		return NULL;
	read_triples(triples, given);
	count = write_objects(triples, list_length(given), format);
	initStringInfo(&out);
	write_document(&out, triples, count, format);
	return cstring_to_text_with_len(out.data, out.len);
}

/* Return the values of an array of type catalogue.triple that have all parts. */
static List *
triples_of(ArrayType *array)
{
	TupleDesc desc = lookup_rowtype_tupdesc(ARR_ELEMTYPE(array), -1);
	List *triples = NIL;
	Datum *rows;
	bool *nulls;
	int count;

	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_DOUBLE, &rows, &nulls,
					  &count);
	for (int i = 0; i < count; i++)
	{
		HeapTupleHeader row = nulls[i] ? NULL : DatumGetHeapTupleHeader(rows[i]);
		HeapTupleData tuple = {.t_len = row ? HeapTupleHeaderGetDatumLength(row) : 0,
							   .t_data = row};
		Datum values[COLUMNS];
		bool missing[COLUMNS];
		RdfTriple *triple = palloc(sizeof(RdfTriple));

		if (row)
			heap_deform_tuple(&tuple, desc, values, missing);
		if (!row || missing[0] || missing[1] || missing[2] || missing[3])
			continue;
		*triple = (RdfTriple){TextDatumGetCString(values[0]), TextDatumGetCString(values[1]),
							  TextDatumGetCString(values[2]), TextDatumGetCString(values[3])};
		triples = lappend(triples, triple);
	}
	ReleaseTupleDesc(desc);
	return triples;
}

CAT_FUNCTION(catalogue_rdf_write)
{
	List *triples = PG_ARGISNULL(ARG_RDF_WRITE_TRIPLES)
						? NIL
						: triples_of(PG_GETARG_ARRAYTYPE_P(ARG_RDF_WRITE_TRIPLES));
	text *document =
		PG_ARGISNULL(ARG_RDF_WRITE_FORMAT)
			? NULL
			: cat_rdf_write(triples, text_to_cstring(PG_GETARG_TEXT_PP(ARG_RDF_WRITE_FORMAT)));

	if (!document)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(document);
}
