/*
 * record_internal.h
 *	  Records and links that are written: used inside write/ only.
 */
#ifndef CATALOGUE_WRITE_RECORD_INTERNAL_H
#define CATALOGUE_WRITE_RECORD_INTERNAL_H

#include "write/write.h"

/* write_call.c */

/* As cat_write_call_open(), for an actor that has been read. */
extern void cat_write_call_open_as(WriteCall *call, const Actor *actor, const char *resource,
								   const char *action);

/* new_record.c */

/* The field that a member is for, by its name of now or an earlier one; NULL for none. */
extern const Field *cat_new_record_field(Resource *resource, const char *name);
/* The resource whose ids a member takes, one or a list of them; NULL for none. */
extern Resource *cat_new_record_target(Resource *resource, const char *name);
extern void cat_new_record_refuse(NewRecord *record, const char *id);
/* Add the errors that the trigger would find.  id: as above. */
extern void cat_new_record_check(NewRecord *record, const char *id);
/* The value of a field as a parameter of a statement. */
extern StatementParam cat_new_record_param(const NewRecord *record, const Field *field);
/* Insert records of one resource and their links, by a statement for each table; sets their ids. */
extern void cat_new_record_insert(NewRecord *records, int count);
extern void cat_new_record_fill_defaults(Resource *resource, Datum *values, bool *nulls);

/* link.c */

extern List *cat_link_ids(const CatRelation *relation, const Member *member, List **errors);
/* Ids that a record is linked to, in this order. */
typedef struct Links
{
	const char *id;
	List *ids;
} Links;

/* Link records, a List of Links *, to what they name; their own lists have already been written. */
extern void cat_link_write(const CatRelation *relation, List *links);
/* As that, for new records, which have no links yet. */
extern void cat_link_insert(const CatRelation *relation, List *links);
extern void cat_link_replace(const CatRelation *relation, const char *id, List *ids);
extern void cat_link_relist(const Resource *resource, List *owners);

#endif /* CATALOGUE_WRITE_RECORD_INTERNAL_H */
