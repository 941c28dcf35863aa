/*
 * value.h - JSON that the service has made, as a tree.
 *
 * Numbers stay the text that PostgreSQL wrote, so that none is rounded.
 */
#ifndef VALUE_H
#define VALUE_H

#include "base/base.h"

typedef enum ValueType
{
	VALUE_NULL,
	VALUE_FALSE,
	VALUE_TRUE,
	VALUE_NUMBER,
	VALUE_TEXT,
	VALUE_LIST,
	VALUE_OBJECT
} ValueType;

typedef struct Value Value;
struct Value
{
	ValueType type;
	const char *name; /* of a member; NULL: of no object */
	const char *text; /* of a text, decoded; of a number, as written */
	Value *first;	  /* of a list or object */
	Value *next;	  /* in the same list or object */
};

/* value.c */
/* Read a JSON text; NULL: it is malformed, nested too deeply, or there is no memory. */
extern const Value *value_read(Arena *arena, const char *bytes, size_t length);
/* The member of an object; NULL: there is none, or the value is no object. */
extern const Value *value_member(const Value *object, const char *name);
/* The text of a member that is a text or number; NULL: there is none. */
extern const char *value_text(const Value *object, const char *name);
/* Is it there, and not null? */
extern bool value_given(const Value *value);
/* The first element or member; NULL: none, or no value. */
extern const Value *value_first(const Value *value);

#endif
