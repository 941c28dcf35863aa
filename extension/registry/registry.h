/*
 * registry.h
 *	  What is exposed: resources, fields and relations, and who sees which records.
 */
#ifndef CATALOGUE_REGISTRY_REGISTRY_H
#define CATALOGUE_REGISTRY_REGISTRY_H

#include "catalogue.h"

#include "access/htup.h"

/* Columns whose values together are unique among the living. */
typedef struct UniqueKey
{
	List *fields; /* of int: index into Resource.fields */
	List *folded; /* of int: 1 where letter case does not count */
	char *index;  /* name of the index */
	bool alone;	  /* nothing but the index can tell: it is of some records, or of what is made of
					 values */
	Oid plain;	  /* the index, where it has the texts of all living records; else InvalidOid */
} UniqueKey;

/* A foreign key towards a resource: what stands in the way of deletion, or goes along. */
typedef struct Dependent
{
	char *resource;	   /* resource of the records that refer; of a join table, the other side's */
	bool is_join;	   /* the table is a join table */
	bool has_status;   /* its records have states */
	char *table;	   /* quoted, qualified */
	char *column;	   /* quoted */
	char *column_name; /* as in pg_attribute */
	char *far;		   /* join table: quoted column of the other key */
	char *far_name;
	char *far_table; /* join table: table that the other key refers to */
	char *flag;		 /* quoted column that follows what outsiders see of the record, or NULL */
	char *flag_name;
	char deletion; /* pg_constraint.confdeltype: c cascades, n does not block, else blocks */
} Dependent;

/* registry.c */

/* Create the cache of resources; called once, when the library is loaded. */
extern void cat_registry_init(void);
/* The resource of a table, NULL where it is not exposed. */
extern Resource *cat_registry_known(Oid relid);
/* As cat_registry_known(); 55000 where the table is unfit. */
extern Resource *cat_registry_table(Oid relid);
/* The resource of a path word in any letter case, NULL where there is none; 55000 as
 * cat_registry_table(). */
extern Resource *cat_registry_find(const char *name);
/* As cat_registry_find(), NULL also where the table is unfit. */
extern Resource *cat_registry_find_fit(const char *name);
/* As cat_registry_find(); an error of cat_registry_missing() where there is none. */
extern Resource *cat_registry_resource(const char *name);
/* A call of the interface begins, or one within it. */
extern void cat_registry_begin(void);
/* That call ends. */
extern void cat_registry_end(void);
/* Raise 40001 where a resource that the call may hold is defined otherwise by now, or its table
 * was rewritten.  To be called when a table is locked, before its rows are read. */
extern void cat_registry_require(void);
/* Go on with an error, behind PG_CATCH(): as 40001 where a changed definition may be its reason. */
pg_noreturn extern void cat_registry_rethrow(void);

/* registry_lookup.c */

/* The field of a name, NULL where there is none. */
extern Field *cat_registry_field(Resource *resource, const char *name);
/* The field of a column, NULL where there is none. */
extern Field *cat_registry_column(Resource *resource, const char *column);
/* The relation of a name in any letter case, NULL where there is none. */
extern CatRelation *cat_registry_relation(Resource *resource, const char *name);

/* registry_missing.c */

/* The path word of the resource whose model has this name in any letter case, palloc'd, or NULL. */
extern char *cat_registry_plural(const char *model);

/* registry_actions.c */

/* Whether a resource has the path of an action that nobody may do. */
extern bool cat_registry_actions_refuse(const Resource *resource, const char *action);
/* The names of such actions: a List of char *. */
extern List *cat_registry_actions_refused(const Resource *resource);

/* visibility.c */

/* Whether a field may be seen, and asked for, at all. */
extern bool cat_visibility_field(const Field *field, AccessLevel access);
/* Whether a relation may be seen, and asked for. */
extern bool cat_visibility_relation(const CatRelation *relation, AccessLevel access);
/* OD404 where a resource shows nothing, as if it did not exist. */
extern void cat_visibility_require(const Resource *resource, AccessLevel access);
/* Whether a record, a row of the resource's table, is to be seen; cat_visibility_write() says so
 * in SQL. */
extern bool cat_visibility_record(const Resource *resource, HeapTuple tuple, AccessLevel access);
/* Write the conditions of "shown" on the record of an alias, each with AND before it. */
extern void cat_visibility_write_conditions(StringInfo sql, const Resource *resource,
											const char *alias, AccessLevel access);
/* Write the condition that the record of an alias is to be seen. */
extern void cat_visibility_write(StringInfo sql, const Resource *resource, const char *alias,
								 AccessLevel access);
/* Write, with AND before it, that earlier states may be seen of the record whose id is in an alias:
 * an outsider sees those of records that are visible today, a user also of records deleted since. */
extern void cat_visibility_write_past(StringInfo sql, const Resource *resource, const char *alias,
									  AccessLevel access);
/* Whether an index on a key finds the visible records, and few others. */
extern bool cat_visibility_is_keyed(const Resource *resource, AccessLevel access);
/* Whether there may be records, not deleted, that a caller of that access level does not see. */
extern bool cat_visibility_is_partial(const Resource *resource, AccessLevel access);
/* Whether the number of the records that are seen is kept. */
extern bool cat_visibility_is_counted(const Resource *resource, AccessLevel access);
/* Whether a field is a flag that follows what outsiders see of another record (shown.c). */
extern bool cat_visibility_is_flag(const Field *field);

#endif /* CATALOGUE_REGISTRY_REGISTRY_H */
