/*
 * answers.h - the readers of what remote services answer: JSON and XML become rows.
 *
 * Both become one tree, in which the rows are then found.  An element of XML is an object of its
 * attributes and of the elements in it, each by its name without prefix; elements of the same name
 * are an array; an element with text alone is that text.  Of members of JSON that have the same
 * name, the last one counts.
 *
 * Decisions: docs/explanation/decisions.md#shimworkeranswers
 */
#ifndef WORKER_ANSWERS_ANSWERS_H
#define WORKER_ANSWERS_ANSWERS_H

#include "sandbox/sandbox.h"

/* answer.c, xml_answer.c: read an answer of that format */
extern void answer_read_json(Parse *parse);
extern void xml_answer_read(Parse *parse);

#endif
