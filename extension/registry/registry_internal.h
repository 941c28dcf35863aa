/*
 * registry_internal.h
 *	  How a resource is read from the catalogs of PostgreSQL.
 */
#ifndef CATALOGUE_REGISTRY_REGISTRY_INTERNAL_H
#define CATALOGUE_REGISTRY_REGISTRY_INTERNAL_H

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

/* registry.c */

/* registry_missing.c */

/* Raise OD404 for a path word, or OD308 with {"resource": name} for the name of a model. */
pg_noreturn extern void cat_registry_missing(const char *word);

/* registry_load.c */

/* The text of a member of a jsonb object, NULL where there is none. */
extern char *cat_definition_text(Datum object, const char *name);
/* A name as it stands in an object of JSON behind another member. */
extern char *cat_definition_member(const char *name, int *length);
/* Read the resource of a name, or else of a table, into a context of its own under parent.  NULL
 * where the table is not exposed; of an unfit table only the fields and the reason. */
extern Resource *cat_registry_load(const char *name, Oid relid, MemoryContext parent);

/* registry_fields.c */

/* Read the fields of a resource from its columns, resource->desc. */
extern void cat_fields_load(Resource *resource, const Definition *definition);

/* registry_relations.c */

/* Read the relations of a resource; its fields are there. */
extern void cat_relations_load(Resource *resource, const Definition *definition);

/* registry_dependents.c */

/* Read what refers to a resource. */
extern void cat_dependents_load(Resource *resource, const Definition *definition);
/* The column that stores whether outsiders see the record of a key; 0 where there is none. */
extern AttrNumber cat_dependents_flag(Oid relid, const char *column);

/* registry_keys.c */

/* All foreign keys of one column, as a List of ForeignKey *. */
extern List *cat_keys_read(void);
/* The resource of a table, NULL where it is none. */
extern const Exposed *cat_keys_exposed(const Definition *definition, Oid relid);
/* The resource that a column refers to, NULL where it refers to none. */
extern const Exposed *cat_keys_reference(const Definition *definition, Oid relid,
										 AttrNumber column);
/* The other keys of a key's table that refer to exposed tables, which it joins: of ForeignKey *. */
extern List *cat_keys_across(const Definition *definition, const ForeignKey *key);
/* Whether a key has a name of its own, which then names a relation of its target. */
extern bool cat_keys_is_named(const ForeignKey *key);
/* The name that a key gives a relation of its target: less "_by_" and its column, palloc'd. */
extern char *cat_keys_relation(const ForeignKey *key);

/* registry_index.c */

/* Read the indexes of a resource's table. */
extern void cat_registry_index_load(Resource *resource);
/* Find the indexes that a relation can be followed by in the order of creation. */
extern void cat_registry_index_load_relation(CatRelation *relation);
/* Find the table with the earlier states of a resource's records, and its indexes. */
extern void cat_registry_index_load_history(Resource *resource);
/* Note what every read of a record looks for. */
extern void cat_registry_index_load_shortcuts(Resource *resource);

/* registry_kind.c */

/* Set the kind of a field by its type.  items, oid: the word for the type of a list's elements,
 * and that type; NULL where the field is no list. */
extern void cat_registry_kind(Field *field, const char *items, Oid oid);

/* registry_signature.c */

/* A number that changes with the fields, relations and conditions of a resource.  shown: that
 * column of catalogue.resource. */
extern uint64 cat_registry_signature(const Resource *resource, const char *shown);

/* table_fault.c */

/* Why an open table cannot be a resource or a join table: the first reason; none: both are NULL. */
extern TableFault cat_table_fault(Relation table);

/* field_name.c */

/* The lowerCamelCase name of a column, palloc'd: created_by gives createdBy. */
extern char *cat_name_camel(const char *column);
/* The name of a table with its schema, quoted, palloc'd; NULL where there is no such table. */
extern char *cat_name_of_table(Oid relid);

/* type_word.c */

/* What a value of a type is in JSON, a word that stays; NULL where there is no such type. */
extern const char *cat_type_word(Oid type);

/* visibility.c */

/* Read what is shown of a resource, that column of catalogue.resource; its fields are there. */
extern void cat_visibility_load(Resource *resource, Datum shown);

#endif /* CATALOGUE_REGISTRY_REGISTRY_INTERNAL_H */
