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
	bool private;  /* it shows outsiders nothing */
	uint32 closed; /* rights that open its records; 0: they are open */
} Exposed;

/* Word that stands for all records among the columns that are closed. */
#define CAT_CLOSED_RECORDS "*"

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
	List *closed;  /* columns, and CAT_CLOSED_RECORDS */
	List *counted; /* names of facets */
	List *ordered; /* columns that lists are sorted by quickly */
	Datum unless;  /* jsonb */
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

/* A condition that a record must meet to be seen: a column must have this value. */
typedef struct Condition
{
	const Field *field; /* boolean or text */
	const char *value;	/* expected text */
	bool wanted;		/* expected boolean */
	bool unknown;		/* value that null of a boolean stands for */
} Condition;

/* registry_load.c */

extern char *cat_registry_load_text(Datum object, const char *name);
extern char *cat_registry_load_member(const char *name, int *length);
extern Resource *cat_registry_load(const char *name, Oid relid, MemoryContext parent);

/* registry_fields.c */

extern void cat_registry_fields_load(Resource *resource, const Definition *definition);
/* Follows the reading of the indexes. */
extern void cat_registry_fields_mark_composed(Resource *resource);
extern char *cat_registry_fields_camel(const char *column);
extern char *cat_registry_fields_table_name(Oid relid);

/* registry_relations.c */

extern void cat_registry_relations_load(Resource *resource, const Definition *definition);
extern List *cat_registry_relations_read_keys(void);
extern const Exposed *cat_registry_relations_reference(const Definition *definition, Oid relid,
													   AttrNumber column);
extern void cat_registry_relations_load_dependents(Resource *resource,
												   const Definition *definition);
extern AttrNumber cat_registry_relations_flag(Oid relid, const char *column);

/* registry_index.c */

extern void cat_registry_index_load(Resource *resource);
extern void cat_registry_index_load_relation(CatRelation *relation);
extern void cat_registry_index_load_history(Resource *resource);
extern void cat_registry_index_load_shortcuts(Resource *resource);

/* registry_lookup.c */

extern uint64 cat_registry_signature(const Resource *resource, const char *shown);

/* visibility.c */

extern void cat_visibility_load(Resource *resource, Datum shown);
/* Follows the reading of the relations. */
extern void cat_visibility_load_closed(Resource *resource, List *closed);

#endif /* CATALOGUE_REGISTRY_REGISTRY_INTERNAL_H */
