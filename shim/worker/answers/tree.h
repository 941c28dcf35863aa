/*
 * tree.h - an answer in memory: values one behind the other, each in few bytes.
 *
 * A value is the byte of its type, the length of what follows, and that: of a text, a number or a
 * word its bytes; of an array its values; of an object its members, each the number of its name and
 * a value.  So an answer of many small values takes at most three times its bytes, and a value is
 * passed over without looking into it.
 *
 * What cannot be added is refused by parse_refuse_file().
 */
#ifndef WORKER_ANSWERS_TREE_H
#define WORKER_ANSWERS_TREE_H

#include "json/json.h"

#define TREE_DEPTH (JSON_DEPTH + 1) /* arrays and objects in one another, at most */

/* The name of members. */
typedef struct Name
{
	uint32_t text;	 /* where it begins in the texts of names */
	uint32_t length; /* of it */
	uint32_t next;	 /* further name in the same bucket, counted from 1; 0: none */
	uint32_t column; /* of the rows, counted from 1; 0: none */
	uint32_t
		visit; /* Tree.visit when an object with a member of this name was looked through last */
	uint32_t left; /* members of that object that are still to be moved */
	size_t size;   /* bytes of these */
	size_t offset; /* where the next one is moved to; 0: not known yet */
} Name;

typedef struct Tree
{
	Parse *parse;
	Buffer values;
	Buffer moved; /* members of an object that are put together */
	Buffer texts; /* of names */
	Name *names;
	uint32_t *buckets;
	uint32_t count; /* of names */
	uint32_t room;	/* for names, and of buckets: a power of two */
	uint32_t visit; /* number of objects that were looked through */
	unsigned depth;
	size_t open[TREE_DEPTH]; /* where the open arrays and objects begin */
	bool gathers;			 /* members of one name are an array; else the last one counts */
} Tree;

/* A value of a complete tree. */
typedef struct Node
{
	JsonType type;
	const char *start; /* with its type */
	const char *bytes;
	size_t length;
} Node;

/* The values in an array, or the members of an object, one after the other. */
typedef struct Walk
{
	const char *at;	 /* behind the value */
	const char *end; /* of all */
	bool named;		 /* they are members */
	uint32_t name;	 /* number of the member's name */
	Node value;
} Walk;

/* tree.c */

extern void tree_begin(Tree *tree, Parse *parse, bool gathers);
extern void tree_free(Tree *tree);
extern _Noreturn void tree_refuse_memory(const Tree *tree);
/* The next value is that of a member of the open object with this name. */
extern void tree_name(Tree *tree, const char *text, size_t length);
/* Add a value that is no array or object. */
extern void tree_value(Tree *tree, JsonType type, const char *text, size_t length);
/* Begin an array or object. */
extern void tree_open(Tree *tree, JsonType type);
extern void tree_close(Tree *tree);
/* Is an array or an object open? */
extern JsonType tree_open_type(const Tree *tree);
/* Has the open array or object nothing in it? */
extern bool tree_is_empty(const Tree *tree);
/* Has the open object a member of this name? */
extern bool tree_has(const Tree *tree, const char *name);
/* Put a value in the place of the open array or object, which ends. */
extern void tree_replace(Tree *tree, JsonType type, const char *text, size_t length);
extern uint32_t tree_named(Tree *tree, const char *text, size_t length);
/* Begin a walk through an array or object; other values have nothing in them. */
extern Walk tree_walk(Node value);
/* Go on to the next value; false at the end. */
extern bool tree_next(Walk *walk);
/* The first value in an array or object, and whether it is the only one; false: there is none. */
extern bool tree_first(Node value, Node *first, bool *only);
/* The value of a member; false: there is none. */
extern bool tree_member(const Tree *tree, Node object, const char *name, Node *value);
/* Is it an array or an object? */
extern bool tree_is_outer(Node value);
extern void tree_json(const Tree *tree, Node value, Buffer *text);
/* The value that begins there; the first one of a tree is all of it. */
extern Node tree_at(const char *start);
/* Is it the number of this name? */
extern bool tree_is_named(const Tree *tree, uint32_t number, const char *text, size_t length);

#endif
