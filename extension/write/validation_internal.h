/*
 * validation_internal.h
 *	  Conversion and validation of values: used inside write/ only.
 */
#ifndef CATALOGUE_WRITE_VALIDATION_INTERNAL_H
#define CATALOGUE_WRITE_VALIDATION_INTERNAL_H

#include "catalogue.h"

#include "base/body.h"
#include "registry/registry.h"

/* convert.c */

/* The text of a member as input of the field's type; NULL where an error was added. */
extern const char *cat_convert_text(const Field *field, const Member *member, List **errors);
/* The id that a member names: text, or an embedded object's member "id".  NULL for an empty one,
 * and where an error was added. */
extern char *cat_convert_id(const char *field, const Member *member, List **errors);
/* Convert the value of a member for a field, in the current memory context; on an error *isnull
 * stays true. */
extern void cat_convert_member(const Field *field, const Member *member, Datum *value, bool *isnull,
							   List **errors);

/* convert_elements.c */

/* The text of an array for a list field, of a JSON array or of a text with commas; NULL where an
 * error was added. */
extern char *cat_convert_elements(const Field *field, const Member *member, List **errors);

/* parse_options.c */

/* Add an error for each option that is not valid. */
extern void cat_parse_options_check(const char *field, const Member *member, List **errors);

/* validate.c */

/* The value of a field as text, NULL where it is null. */
extern char *cat_validate_text(const Field *field, const Datum *values, const bool *nulls);
/* Add an error for each id that names no record of the target, and lock the records against
 * deletion.  condition: SQL on the record t besides, NULL for none; $2 in it is the referrer's
 * id. */
extern void cat_validate_references(const char *name, Resource *target, const char *condition,
									const char *referrer, List *ids, List **errors);
/* Check required, unique and reference of a record, and the value of a setting; a slug that is taken
 * gets a number.  changed: the attributes with new values, NULL for all. */
extern void cat_validate_record(Resource *resource, Datum *values, const bool *nulls,
								const bool *changed, List **errors);
/* The error that is being handled as a List, where it is a violated unique index of the
 * resource; NIL, and the error still to be thrown again, where it is not. */
extern List *cat_validate_caught(Resource *resource);

/* reference_lock.c */

/* Lock a record against deletion until the end of the transaction.  found: whether it exists and
 * is not deleted.  25006 where nothing may be written. */
extern bool cat_reference_lock_take(Resource *resource, const char *id, bool *found);
/* Look for another record with the values of a unique key, a List of char *.  taken: whether
 * there is one with another id than this. */
extern bool cat_reference_lock_name_taken(Resource *resource, const UniqueKey *key, List *values,
										  const char *id, bool *taken);
/* Lock the records that a record belongs to, before the record itself: in this order a change of
 * one of them goes on to the record.  contents: against new contents of a file as well. */
extern void cat_reference_lock_parents(const Resource *resource, const char *id, bool contents);

/* setting.c */

/* Add the errors in the value of a setting, and lock the records that it names; other resources
 * have none.  changed: the attributes with new values, NULL for all. */
extern void cat_setting_check(Resource *resource, const char *id, const Datum *values,
							  const bool *nulls, const bool *changed, List **errors);
/* How many settings name a record, as of now. */
extern int64 cat_setting_count(const Resource *resource, const char *id);
/* The settings that name a record, as the active snapshot sees them. */
extern char *cat_setting_rows(const Resource *resource, const char *id);

/* embed_code.c */

/* Set embed_code of a chart or map that has none, and make it again where it is the service's own.
 * old_values, old_nulls: the row before, NULL for a new record; changed: by attribute number less
 * one. */
extern void cat_embed_code_fill(Resource *resource, const Datum *old_values, const bool *old_nulls,
								Datum *values, bool *nulls, const bool *changed);

#endif /* CATALOGUE_WRITE_VALIDATION_INTERNAL_H */
