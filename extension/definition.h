/*
 * definition.h
 *	  What a resource is read from, shared by the files that read it: registry_*.c.
 */
#ifndef DEFINITION_H
#define DEFINITION_H

#include "catalogue.h"

#include "utils/relcache.h"

/* A table that is exposed. */
typedef struct Exposed
{
	Oid relid;
	char *name;
	bool closed; /* it shows outsiders nothing */
} Exposed;

/* A foreign key of one column. */
typedef struct ForeignKey
{
	Oid oid;
	Oid table; /* that has the column */
	AttrNumber column;
	Oid target;	   /* table that it refers to */
	char deletion; /* pg_constraint.confdeltype */
	char *name;
} ForeignKey;

/* What is read once for a resource: its row, and what else there is. */
typedef struct Definition
{
	List *exposed; /* of Exposed * */
	List *keys;	   /* of ForeignKey *, all of the database */
	List *at_least_one;
	List *fixed;
	List *searchable;
	List *reserved;
	Datum unless; /* jsonb */
	Datum limits;
	Datum conditions;
	Datum shown;
	char *shown_text;
} Definition;

/* Why a table cannot be a resource, and what to do about it, as sentences; NULL: it can. */
typedef struct TableFault
{
	const char *reason;
	const char *remedy;
} TableFault;

/* table_fault.c */
extern TableFault cat_table_fault(Relation table);
/* registry_load.c */
extern char *cat_definition_text(Datum object, const char *name);
extern char *cat_definition_member(const char *name, int *length);
/* registry_keys.c */
extern List *cat_keys_read(void);
extern const Exposed *cat_keys_exposed(const Definition *definition, Oid relid);
extern const Exposed *cat_keys_reference(const Definition *definition, Oid relid,
										 AttrNumber column);
extern List *cat_keys_across(const Definition *definition, const ForeignKey *key);
extern bool cat_keys_is_named(const ForeignKey *key);
extern char *cat_keys_relation(const ForeignKey *key);
/* registry_fields.c, registry_relations.c, registry_dependents.c */
extern void cat_fields_load(Resource *resource, const Definition *definition);
extern void cat_relations_load(Resource *resource, const Definition *definition);
extern void cat_dependents_load(Resource *resource, const Definition *definition);

#endif
