/*
 * rdf.c - RDF by libraptor2: triples in memory, written as JSON-LD.
 *
 * The library calls back for each triple and each fault.  A callback does not jump out of it: it
 * keeps the reason, and the reading ends after the piece that is parsed.
 */
#include <stdarg.h>

#include "rdf/raptor.h"
#include "rdf/rdf.h"

#define GRAPH_TRIPLES 5000000 /* maximum number of triples */
#define GRAPH_TYPE 0		  /* number of the term rdf:type */
#define BLOCK (1 << 20)		  /* bytes that are allocated for terms at once */
#define CHUNK (256 << 10)	  /* bytes of the document in a frame */
#define ID "{\"@id\":"
#define RDF_TYPE "{\"@id\":\"http://www.w3.org/1999/02/22-rdf-syntax-ns#type\"}"

/*
 * Each term is stored once, as the JSON that is written for it, and has a number; a triple is three
 * numbers.
 */
typedef struct Term
{
	uint32_t hash;
	uint32_t length;
	uint32_t group; /* of the values that were written last with this one among them */
	char json[];
} Term;

typedef struct Triple
{
	uint32_t subject; /* numbers of terms */
	uint32_t predicate;
	uint32_t object;
	uint32_t position; /* in the document */
} Triple;

/* All memory belongs to the Parse. */
typedef struct Graph
{
	Parse *parse;
	Term **terms; /* by their numbers */
	uint32_t count;
	uint32_t room;
	uint32_t *slots; /* hash table of numbers plus 1; 0: free */
	uint32_t slot_count;
	Triple *triples;
	uint32_t triple_count;
	uint32_t triple_room;
	char *block; /* where the next term is stored */
	size_t left; /* bytes left there */
} Graph;

/* Double the hash table. */
static void
widen(Graph *graph)
{
	uint32_t count = graph->slot_count * 2;
	uint32_t *slots = parse_allocate(graph->parse, count * sizeof(uint32_t));

	for (uint32_t number = 0; number < graph->count; number++)
	{
		uint32_t slot = graph->terms[number]->hash & (count - 1);

		while (slots[slot] != 0)
			slot = (slot + 1) & (count - 1);
		slots[slot] = number + 1;
	}
	parse_release(graph->parse, graph->slots);
	graph->slots = slots;
	graph->slot_count = count;
}

static Term *
store_term(Graph *graph, const char *json, size_t length)
{
	size_t size = (sizeof(Term) + length + _Alignof(Term) - 1) / _Alignof(Term) * _Alignof(Term);
	Term *term;

	if (size > graph->left)
	{
		graph->left = size > BLOCK ? size : BLOCK;
		graph->block = parse_allocate(graph->parse, graph->left);
	}
	term = (Term *) (void *) graph->block;
	graph->block += size;
	graph->left -= size;
	term->length = (uint32_t) length;
	memcpy(term->json, json, length);
	return term;
}

/*
 * The number of a term, by its JSON as a value: {"@id":"..."} for an IRI or a blank node, which may be
 * a subject or predicate as well.
 */
static uint32_t
graph_term(Graph *graph, const char *json, size_t length)
{
	uint32_t hash = text_hash(TEXT_HASH, json, length);
	uint32_t slot = hash & (graph->slot_count - 1);

	for (; graph->slots[slot] != 0; slot = (slot + 1) & (graph->slot_count - 1))
	{
		const Term *term = graph->terms[graph->slots[slot] - 1];

		if (term->hash == hash && term->length == length && memcmp(term->json, json, length) == 0)
			return graph->slots[slot] - 1;
	}
	if (graph->count == graph->room)
	{
		graph->room = graph->room == 0 ? 1024 : graph->room * 2;
		graph->terms = parse_resize(graph->parse, graph->terms, graph->room * sizeof(Term *));
	}
	graph->terms[graph->count] = store_term(graph, json, length);
	graph->terms[graph->count]->hash = hash;
	graph->slots[slot] = ++graph->count;
	if (graph->count > graph->slot_count / 2)
		widen(graph);
	return graph->count - 1;
}

/* Add a triple; false if the graph has GRAPH_TRIPLES already. */
static bool
graph_add(Graph *graph, uint32_t subject, uint32_t predicate, uint32_t object)
{
	if (graph->triple_count == GRAPH_TRIPLES)
		return false;
	if (graph->triple_count == graph->triple_room)
	{
		graph->triple_room = graph->triple_room == 0 ? 1024 : graph->triple_room * 2;
		graph->triples =
			parse_resize(graph->parse, graph->triples, graph->triple_room * sizeof(Triple));
	}
	graph->triples[graph->triple_count] = (Triple){subject, predicate, object, graph->triple_count};
	graph->triple_count++;
	return true;
}

static int
compare(const void *first, const void *second)
{
	const Triple *a = first;
	const Triple *b = second;

	if (a->subject != b->subject)
		return a->subject < b->subject ? -1 : 1;
	if (a->predicate != b->predicate)
		return a->predicate < b->predicate ? -1 : 1;
	return a->position < b->position ? -1 : 1;
}

/* Append bytes of the document, and send the frame when it is full. */
static void
put(Graph *graph, const char *bytes, size_t length)
{
	Buffer *frame = &graph->parse->frame;

	while (length > 0)
	{
		size_t room = frame->length < CHUNK ? CHUNK - frame->length : 0;
		size_t part = length < room ? length : room;

		buffer_append(frame, bytes, part);
		bytes += part;
		length -= part;
		if (frame->length < CHUNK)
			continue;
		frame_send(graph->parse);
		frame_begin(graph->parse, FRAME_CHUNK);
	}
}

static void
put_text(Graph *graph, const char *text)
{
	put(graph, text, strlen(text));
}

/* Append the id of a term as a string. */
static void
put_id(Graph *graph, uint32_t number)
{
	const Term *term = graph->terms[number];

	put(graph, term->json + strlen(ID), term->length - strlen(ID) - 1);
}

/* Append the values of a property, each once; those of rdf:type as strings, in an array in any case. */
static void
put_values(Graph *graph, Triple *triples, uint32_t count)
{
	bool is_type = triples->predicate == GRAPH_TYPE;
	uint32_t group = triples->position + 1;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		Term *term = graph->terms[triples[i].object];

		/* Is it an IRI or a blank node? */
		if (term->group != group &&
			(!is_type || (term->length > strlen(ID) && memcmp(term->json, ID, strlen(ID)) == 0)))
			triples[kept++] = triples[i];
		term->group = group;
	}
	if (is_type || kept > 1)
		put_text(graph, "[");
	for (uint32_t i = 0; i < kept; i++)
	{
		const Term *term = graph->terms[triples[i].object];

		if (i > 0)
			put_text(graph, ",");
		if (is_type)
			put_id(graph, triples[i].object);
		else
			put(graph, term->json, term->length);
	}
	if (is_type || kept > 1)
		put_text(graph, "]");
}

/* Append what begins an object: its id, and "@type" where no triple says its type. */
static void
put_subject(Graph *graph, const Triple *triple)
{
	put_text(graph, triple == graph->triples ? "{\"@id\":" : "},{\"@id\":");
	put_id(graph, triple->subject);
	if (triple->predicate != GRAPH_TYPE)
		put_text(graph, ",\"@type\":[]");
}

/* Write the graph in chunk frames. */
static void
graph_write(Graph *graph)
{
	Triple *end = graph->triples + graph->triple_count;
	uint32_t count;

	qsort(graph->triples, graph->triple_count, sizeof(Triple), compare);
	frame_begin(graph->parse, FRAME_CHUNK);
	put_text(graph, "{\"@graph\":[");
	for (Triple *triple = graph->triples; triple < end; triple += count)
	{
		uint32_t subject = triple->subject;

		if (triple == graph->triples || triple[-1].subject != subject)
			put_subject(graph, triple);
		put_text(graph, ",");
		if (triple->predicate == GRAPH_TYPE)
			put_text(graph, "\"@type\"");
		else
			put_id(graph, triple->predicate);
		put_text(graph, ":");
		for (count = 1; triple + count < end && triple[count].subject == subject &&
						triple[count].predicate == triple->predicate;)
			count++;
		put_values(graph, triple, count);
	}
	put_text(graph, graph->triple_count > 0 ? "}]}" : "]}");
	frame_send(graph->parse);
}

#define PIECE (64 << 10)		  /* bytes that are parsed at once */
#define ADDRESS_MAXIMUM 4000	  /* bytes of the address of the document */
#define LITERAL_MAXIMUM (1 << 20) /* bytes of a literal */
/*
 * Bytes without a triple, which the library keeps.  Of RDF/XML these are those of a literal or a name;
 * Turtle is parsed when all of it has come.
 */
#define KEPT_MAXIMUM (32 << 20)
#define XSD_STRING "http://www.w3.org/2001/XMLSchema#string"

typedef struct Rdf
{
	Parse *parse;
	Graph graph;
	XmlGuard *guard; /* NULL: the document is not XML */
	raptor_world *world;
	raptor_parser *parser;
	raptor_uri *base;
	bool parsing;	  /* the library is on the stack */
	size_t idle;	  /* bytes that were parsed since the last triple */
	uint32_t address; /* hash of the address, in the ids of blank nodes */
	Buffer term;	  /* JSON of a term */
	char piece[PIECE];
	char reason[REASON_MAXIMUM]; /* why the document cannot be read; empty: it can */
} Rdf;

/* Keep the first reason. */
static void __attribute__((format(printf, 2, 3))) fail(Rdf *rdf, const char *format, ...)
{
	va_list arguments;

	if (rdf->reason[0] != '\0')
		return;
	va_start(arguments, format);
	vsnprintf(rdf->reason, sizeof(rdf->reason), format, arguments);
	va_end(arguments);
}

/* Take a message of the library; what it only warns of is read. */
static void
take_message(void *data, raptor_log_message *message)
{
	Rdf *rdf = data;
	int line = message->locator != NULL ? message->locator->line : -1;

	/* version 2.0.16 counts lines of Turtle from 0; N-Triples has columns, and RDF/XML a guard */
	if (raptor_version_decimal == 20016 && rdf->guard == NULL && line >= 0 &&
		message->locator->column < 0)
		line++;
	if (message->level < RAPTOR_LOG_LEVEL_ERROR)
		return;
	if (line > 0)
		fail(rdf, "line %d: %s", line, message->text);
	else
		fail(rdf, "%s", message->text);
}

/* Append a text as a JSON string. */
static void
add_string(Rdf *rdf, const unsigned char *bytes, size_t length)
{
	const char *text = (const char *) bytes;

	if (memchr(text, '\0', length) != NULL || !text_valid_utf8(text, length))
		fail(rdf, "it has a character that cannot be stored");
	else
		buffer_json(&rdf->term, text, length);
}

static void
add_uri(Rdf *rdf, raptor_uri *uri)
{
	size_t length;
	const unsigned char *text = raptor_uri_as_counted_string(uri, &length);

	add_string(rdf, text, length);
}

static bool
is_string(raptor_uri *type)
{
	size_t length;

	return strcmp((const char *) raptor_uri_as_counted_string(type, &length), XSD_STRING) == 0;
}

/* Append a literal: a string where it has neither a language nor a type besides that of strings. */
static void
add_literal(Rdf *rdf, const raptor_term_literal_value *literal)
{
	bool typed = literal->datatype != NULL && !is_string(literal->datatype);

	if (literal->string_len > LITERAL_MAXIMUM)
		fail(rdf, "it has a literal of more than %d bytes", LITERAL_MAXIMUM);
	if (rdf->reason[0] != '\0')
		return;
	if (literal->language != NULL || typed)
		buffer_text(&rdf->term, "{\"@value\":");
	add_string(rdf, literal->string, literal->string_len);
	if (literal->language != NULL)
	{
		buffer_text(&rdf->term, ",\"@language\":");
		add_string(rdf, literal->language, strlen((const char *) literal->language));
		buffer_text(&rdf->term, "}");
	}
	else if (typed)
	{
		buffer_text(&rdf->term, ",\"@type\":");
		add_uri(rdf, literal->datatype);
		buffer_text(&rdf->term, "}");
	}
}

/* Append the id of a blank node. */
static void
add_blank(Rdf *rdf, const raptor_term_blank_value *blank)
{
	Buffer *id = &rdf->parse->cell;

	buffer_clear(id);
	buffer_format(id, "_:%08x.", rdf->address);
	buffer_append(id, (const char *) blank->string, blank->string_len);
	if (id->failed)
		fail(rdf, "it has a blank node with a name that is too long");
	else
		add_string(rdf, (const unsigned char *) id->data, id->length);
}

/* Return the number of a term. */
static uint32_t
number_of(Rdf *rdf, const raptor_term *term)
{
	buffer_clear(&rdf->term);
	if (term->type == RAPTOR_TERM_TYPE_LITERAL)
		add_literal(rdf, &term->value.literal);
	else
	{
		buffer_text(&rdf->term, "{\"@id\":");
		if (term->type == RAPTOR_TERM_TYPE_URI)
			add_uri(rdf, term->value.uri);
		else
			add_blank(rdf, &term->value.blank);
		buffer_text(&rdf->term, "}");
	}
	if (rdf->term.failed)
		fail(rdf, "it takes more memory to read than a document may have");
	return rdf->reason[0] == '\0' ? graph_term(&rdf->graph, rdf->term.data, rdf->term.length) : 0;
}

static void
take_triple(void *data, raptor_statement *statement)
{
	Rdf *rdf = data;
	uint32_t subject;
	uint32_t predicate;
	uint32_t object;

	rdf->idle = 0;
	if (rdf->reason[0] != '\0')
		return;
	subject = number_of(rdf, statement->subject);
	predicate = number_of(rdf, statement->predicate);
	object = number_of(rdf, statement->object);
	if (rdf->reason[0] == '\0' && !graph_add(&rdf->graph, subject, predicate, object))
		fail(rdf, "it has more than %d statements", GRAPH_TRIPLES);
}

/* Release the objects of the library, unless it was left in the middle of a piece. */
static void
close_all(Parse *parse)
{
	Rdf *rdf = parse->open;

	buffer_free(&rdf->term);
	xml_guard_close(rdf->guard);
	if (rdf->parsing)
		return;
	raptor_free_parser(rdf->parser);
	raptor_free_uri(rdf->base);
	raptor_free_world(rdf->world);
}

/* Make a parser that loads nothing. */
static void
open_parser(Rdf *rdf, const char *form, const char *address)
{
	char blank[] = "."; /* begins no name of a blank node in a document */

	rdf->world = raptor_new_world_internal(RAPTOR_VERSION);
	if (rdf->world == NULL)
		parse_refuse(rdf->parse, "there is no memory");
	raptor_world_set_flag(rdf->world, RAPTOR_WORLD_FLAG_WWW_SKIP_INIT_FINISH, 1);
	raptor_world_set_log_handler(rdf->world, rdf, take_message);
	raptor_world_set_generate_bnodeid_parameters(rdf->world, blank, 1);
	rdf->parser = raptor_new_parser(rdf->world, form);
	rdf->base = raptor_new_uri(rdf->world, (const unsigned char *) address);
	if (rdf->parser == NULL || rdf->base == NULL ||
		raptor_parser_set_option(rdf->parser, RAPTOR_OPTION_NO_NET, NULL, 1) != 0 ||
		raptor_parser_set_option(rdf->parser, RAPTOR_OPTION_NO_FILE, NULL, 1) != 0 ||
		raptor_parser_set_option(rdf->parser, RAPTOR_OPTION_LOAD_EXTERNAL_ENTITIES, NULL, 0) != 0)
		parse_refuse(rdf->parse, "there is no memory");
	raptor_parser_set_statement_handler(rdf->parser, rdf, take_triple);
}

/* Read the first line of the input, which is the address of the document. */
static const char *
read_address(Rdf *rdf)
{
	char *address = parse_allocate(rdf->parse, PIECE);
	size_t length = 0;

	while (length < PIECE - 1 && parse_read(rdf->parse, address + length, 1) == 1 &&
		   address[length] != '\n')
		length++;
	if (address[length] != '\n')
		parse_refuse(rdf->parse, "the address of the document is missing");
	address[length] = '\0';
	return address;
}

/* Read the first piece of the document, which begins behind a byte order mark; return its bytes. */
static size_t
read_first(Rdf *rdf)
{
	size_t length = parse_read(rdf->parse, rdf->piece, PIECE);
	size_t mark = strlen(BYTE_ORDER_MARK);

	if (length < mark || memcmp(rdf->piece, BYTE_ORDER_MARK, mark) != 0)
		return length;
	memmove(rdf->piece, rdf->piece + mark, length - mark);
	return length - mark;
}

/* Parse the bytes of a piece; with none, the end. */
static void
parse_piece(Rdf *rdf, size_t length)
{
	const char *refused =
		rdf->guard != NULL ? xml_guard_take(rdf->guard, rdf->piece, length, length == 0) : NULL;
	int fault;

	if (refused != NULL)
		parse_refuse(rdf->parse, "%s", refused);
	rdf->idle += length;
	rdf->parsing = true;
	fault = raptor_parser_parse_chunk(rdf->parser, (const unsigned char *) rdf->piece, length,
									  length == 0);
	rdf->parsing = false;
	if (fault != 0)
		fail(rdf, "it is not valid");
	if (rdf->idle > KEPT_MAXIMUM)
		fail(rdf,
			 rdf->guard == NULL ? "it has more than %d bytes"
								: "it has more than %d bytes without a statement",
			 KEPT_MAXIMUM);
	if (rdf->reason[0] != '\0')
		parse_refuse(rdf->parse, "%s", rdf->reason);
}

/* Begin: what the reading needs is released at its end. */
static Rdf *
open_rdf(Parse *parse)
{
	Rdf *rdf = parse_allocate(parse, sizeof(Rdf));

	rdf->parse = parse;
	buffer_init(&rdf->term, 6 * LITERAL_MAXIMUM + ADDRESS_MAXIMUM);
	parse->open = rdf;
	parse->close = close_all;
	rdf->graph = (Graph){.parse = parse, .slot_count = 1024};
	rdf->graph.slots = parse_allocate(parse, rdf->graph.slot_count * sizeof(uint32_t));
	graph_term(&rdf->graph, RDF_TYPE, strlen(RDF_TYPE));
	return rdf;
}

static void
read_rdf(Rdf *rdf, const char *form)
{
	Parse *parse = rdf->parse;
	const char *address = read_address(rdf);
	size_t length = read_first(rdf);

	rdf->address = text_hash(TEXT_HASH, address, strlen(address));
	open_parser(rdf, form, address);
	if (raptor_parser_parse_start(rdf->parser, rdf->base) != 0)
		fail(rdf, "its address is malformed");
	while (length > 0)
	{
		parse_piece(rdf, length);
		parse_progress(parse);
		length = parse_read(parse, rdf->piece, PIECE);
	}
	parse_piece(rdf, 0);
	if (rdf->graph.triple_count == 0)
		parse_refuse(parse, "it has no statements");
	graph_write(&rdf->graph);
}

void
rdf_read_turtle(Parse *parse)
{
	read_rdf(open_rdf(parse), "turtle");
}

void
rdf_read_xml(Parse *parse)
{
	Rdf *rdf = open_rdf(parse);

	rdf->guard = xml_guard_open(parse);
	read_rdf(rdf, "rdfxml");
}
