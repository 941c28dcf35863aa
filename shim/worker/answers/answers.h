/*
 * answers.h - the readers of what remote services answer: JSON and XML become rows.
 *
 * Both become one tree, in which the rows are then found.  An element of XML is an object of its
 * attributes and of the elements in it, each by its name without prefix; elements of the same name
 * are an array; an element with text alone is that text.
 */
#ifndef WORKER_ANSWERS_ANSWERS_H
#define WORKER_ANSWERS_ANSWERS_H

#include <jansson.h>

#include "sandbox/sandbox.h"

#define ANSWER_DEPTH 64 /* of nested elements and arrays */

/* json_answer.c, xml_answer.c: read an answer of that format */
extern void json_answer_read(Parse *parse);
extern void xml_answer_read(Parse *parse);

/* An answer that is read; it belongs to the Parse, which frees it. */
typedef struct Answer
{
	Buffer bytes;
	json_t *tree;
} Answer;

/* answer.c */
/* Take the seed of hash tables, which jansson reads from a file. */
extern void answer_prepare(const Options *options);
/* Begin to read an answer: all its bytes are in memory when this returns. */
extern Answer *answer_begin(Parse *parse);
/* The tree is whole: write its rows. */
extern void answer_write(Parse *parse, const json_t *tree);
extern _Noreturn void answer_without_memory(Parse *parse);

/* answer_rows.c: both return an array, to be freed; NULL: there is no memory */
/* The values at a dotted path; a path through an array is one through each of its elements. */
extern json_t *answer_rows_at(const json_t *tree, const char *path);
/* The rows of a tree that no path leads to, or of the value that it leads to. */
extern json_t *answer_rows_of(json_t *values);

#endif
