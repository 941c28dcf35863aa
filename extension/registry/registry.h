/*
 * registry.h
 *	  What is exposed: resources, fields and relations, and who sees which records.
 *	  Decisions: docs/explanation/decisions.md#extensionregistry
 */
#ifndef CATALOGUE_REGISTRY_REGISTRY_H
#define CATALOGUE_REGISTRY_REGISTRY_H

#include "catalogue.h"

#include "access/htup.h"

#include "pg/pg.h"

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
/* Return the resource of a table, NULL if it is not exposed. */
extern Resource *cat_registry_known(Oid relid);
/* Like cat_registry_known(), but raises 55000 if the table is unfit. */
extern Resource *cat_registry_table(Oid relid);
/* Return the resource of a path segment, ignoring case; NULL if there is none.  Raises 55000 if
 * its table is unfit. */
extern Resource *cat_registry_find(const char *name);
/* Like cat_registry_find(), but NULL if the table is unfit: one table ends no read of all. */
extern Resource *cat_registry_find_fit(const char *name);
/* Like cat_registry_find(), but raises the error of cat_registry_missing() if there is no
 * resource. */
extern Resource *cat_registry_resource(const char *name);
/* Begin an API call, possibly inside another one. */
extern void cat_registry_begin(void);
/* End an API call. */
extern void cat_registry_end(void);
/* Raise 40001 if a resource that the running call may hold has been redefined, or if its table
 * was rewritten, which makes it empty to older snapshots.  Call this after locking a table and
 * before reading its rows. */
extern void cat_registry_require(void);
/* Go on with an error, behind PG_CATCH(): as 40001 where a changed definition may be its reason. */
pg_noreturn extern void cat_registry_rethrow(void);
/* Return the path segment of the resource whose model has this name, ignoring case; palloc'd, or
 * NULL. */
extern char *cat_registry_plural(const char *model);

/* registry_lookup.c */

/* Return the field of a name, or NULL. */
extern Field *cat_registry_field(Resource *resource, const char *name);
/* Return whether a field is a text that is short enough to count records by its values. */
extern bool cat_registry_field_is_short(const Field *field);
/* Return the field of a column, or NULL. */
extern Field *cat_registry_column(Resource *resource, const char *column);
/* Return the relation of a name, ignoring case; or NULL. */
extern CatRelation *cat_registry_relation(Resource *resource, const char *name);
/* Return whether a resource has the path of an action that nobody may perform. */
extern bool cat_registry_actions_refuse(const Resource *resource, const char *action);
/* Return the names of the actions for which cat_registry_actions_refuse() holds: List of char *. */
extern List *cat_registry_actions_refused(const Resource *resource);

/* belonging.c */

/* Return SQL for the condition that the record of an alias is a user's own; user: SQL of the user's
 * id.  NULL if records of the resource have no owner. */
extern const char *cat_belonging_own(const Resource *resource, const char *alias, const char *user);
/* Return SQL for the organization of the record of an alias; NULL if the records have none. */
extern const char *cat_belonging_organization(const Resource *resource, const char *alias);
/* Return SQL for the condition that the record of an alias is of a user's organization. */
extern const char *cat_belonging_near(const Resource *resource, const char *alias,
									  const char *user);

/* visibility.c */

/* Return whether a field is visible. */
extern bool cat_visibility_field(const Field *field, AccessLevel access);
/* Return the fields that are visible, and the relations that are visible as lists of ids: indexes into
 * Resource.fields and Resource.relations. */
extern Bitmapset *cat_visibility_fields(const Resource *resource, AccessLevel access);
extern Bitmapset *cat_visibility_lists(const Resource *resource, AccessLevel access);
/* Return whether a relation is visible. */
extern bool cat_visibility_relation(const CatRelation *relation, AccessLevel access);
/* Return the right to read what is closed of a resource.  It is a bit of an access level, the same
 * while the backend lives. */
extern uint32 cat_visibility_right(const char *resource, CatReach reach);
/* Return those rights to a resource that an access level has: what is shown of it depends on them. */
extern uint32 cat_visibility_rights(const Resource *resource, AccessLevel access);
/* Return whether no record of a resource is visible. */
extern bool cat_visibility_is_private(const Resource *resource, AccessLevel access);
/* Return whether only records of the user of the call, or of its organization, are visible. */
extern bool cat_visibility_is_limited(const Resource *resource, AccessLevel access);
/* Return whether records must meet a condition besides not being deleted or deactivated. */
extern bool cat_visibility_restricts(const Resource *resource, AccessLevel access);
/* Raise OD404, as for an unknown resource, if a resource is private at the level; OD403 if its
 * records are closed to the caller. */
extern void cat_visibility_require(const Resource *resource, AccessLevel access);
/* Return whether a condition is on a key with an index in the order of creation. */
extern bool cat_visibility_is_keyed(const Resource *resource, AccessLevel access);
/* Whether there may be records, not deleted, that a caller of that access level does not see. */
extern bool cat_visibility_is_partial(const Resource *resource, AccessLevel access);
/* Return whether a field is a flag that stores whether outsiders see another record (after_change.c). */
extern bool cat_visibility_is_flag(const Field *field);

/* seen.c */

/* Return whether a record, given as a row of the resource's table, is visible.
 * cat_seen_write() is the same condition in SQL. */
extern bool cat_seen_record(const Resource *resource, HeapTuple tuple, AccessLevel access);
/* Write the conditions of "shown" on the record of an alias, each with AND before it. */
extern void cat_seen_write_conditions(StringInfo sql, const Resource *resource, const char *alias,
									  AccessLevel access);
/* Append the condition that the record of an alias is visible. */
extern void cat_seen_write(StringInfo sql, const Resource *resource, const char *alias,
						   AccessLevel access);
/* Write, with AND before it, that earlier states may be seen of the record whose id is in an alias:
 * an outsider sees those of records that are visible today, a user also of records deleted since. */
extern void cat_seen_write_past(StringInfo sql, const Resource *resource, const char *alias,
								AccessLevel access);

#endif /* CATALOGUE_REGISTRY_REGISTRY_H */
