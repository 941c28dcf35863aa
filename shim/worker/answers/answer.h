/*
 * answer.h - an answer while it is read: used inside answers/ only.
 */
#ifndef WORKER_ANSWERS_ANSWER_H
#define WORKER_ANSWERS_ANSWER_H

#include "answers/tree.h"
#include "sandbox/sandbox.h"

/* An answer that is read; it belongs to the Parse, which frees it. */
typedef struct Answer
{
	Parse *parse;
	Tree tree;
	Buffer rows; /* where they begin in the tree, a uint32_t each */
	Buffer titles;
	void *reader; /* of the format, and how to free it; NULL: there is none */
	void (*release)(void *reader);
} Answer;

/* answer.c */

/* Begin to read an answer; gathers: as of a tree. */
extern Answer *answer_begin(Parse *parse, bool gathers);
/* Refuse an answer whose tree could not be built. */
extern void answer_check(const Answer *answer);
extern _Noreturn void answer_refuse_memory(const Answer *answer);
/* The tree is complete: write the rows of a value. */
extern void answer_write(Answer *answer, Node value);

#endif
