/*
 * graph.c - triples in memory, which are then written as JSON-LD.
 *
 * Each term is stored once, as the JSON that is written for it, and has a number; a triple is three
 * numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "rdf/graph.h"

#define BLOCK (1 << 20)	  /* bytes that are allocated for terms at once */
#define CHUNK (256 << 10) /* bytes of the document in a frame */
#define ID "{\"@id\":"
#define RDF_TYPE "{\"@id\":\"http://www.w3.org/1999/02/22-rdf-syntax-ns#type\"}"

struct Term
{
	uint32_t hash;
	uint32_t length;
	uint32_t group; /* of the values that were written last with this one among them */
	char json[];
};

void
graph_open(Graph *graph, Parse *parse)
{
	*graph = (Graph){.parse = parse, .slot_count = 1024};
	graph->slots = parse_allocate(parse, graph->slot_count * sizeof(uint32_t));
	graph_term(graph, RDF_TYPE, strlen(RDF_TYPE));
}

uint32_t
graph_hash(const char *bytes, size_t length)
{
	uint32_t hash = UINT32_C(2166136261);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char) bytes[i]) * UINT32_C(16777619);
	return hash;
}

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

uint32_t
graph_term(Graph *graph, const char *json, size_t length)
{
	uint32_t hash = graph_hash(json, length);
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

bool
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

/* Is it an IRI or a blank node? */
static bool
is_resource(const Term *term)
{
	return term->length > strlen(ID) && memcmp(term->json, ID, strlen(ID)) == 0;
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

		if (term->group != group && (!is_type || is_resource(term)))
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

void
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
