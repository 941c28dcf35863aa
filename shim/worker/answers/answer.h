/*
 * answer.h - an answer while it is read: used inside answers/ only.
 */
#ifndef WORKER_ANSWERS_ANSWER_H
#define WORKER_ANSWERS_ANSWER_H

#include "answers/tree.h"
#include "formats/book.h"
#include "sandbox/sandbox.h"

/* An answer that is read; it belongs to the Parse, which frees it. */
typedef struct Answer
{
	Parse *parse;
	Tree tree;
	Buffer rows; /* where they begin in the tree, a uint32_t each */
	Buffer titles;
	Buffer text;   /* of all elements of XML that are open */
	Unzip *reader; /* of XML; NULL: there is none */
} Answer;

/* answer.c */

/* Begin to read an answer; gathers: as of a tree; reader: of XML, or NULL. */
extern Answer *answer_begin(Parse *parse, bool gathers, Unzip *reader);
/* The tree is complete: write the rows of a value. */
extern void answer_write(Answer *answer, Node value);

#endif
