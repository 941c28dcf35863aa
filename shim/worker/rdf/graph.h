/*
 * graph.h - triples in memory, which are then written as JSON-LD.
 */
#ifndef WORKER_RDF_GRAPH_H
#define WORKER_RDF_GRAPH_H

#include "sandbox/sandbox.h"

#define GRAPH_TRIPLES 5000000 /* maximum number of triples */
#define GRAPH_TYPE 0		  /* number of the term rdf:type */

typedef struct Term Term;

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

/*
 * The number of a term, by its JSON as a value: {"@id":"..."} for an IRI or a blank node, which may be
 * a subject or predicate as well.
 */
extern uint32_t graph_term(Graph *graph, const char *json, size_t length);

#endif
