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

extern char *cat_convert_id(const char *field, const Member *member, List **errors);
extern void cat_convert_member(const Field *field, const Member *member, Datum *value, bool *isnull,
							   List **errors);
extern char *cat_convert_elements(const Field *field, const Member *member, List **errors);

/* new_record.c */

extern void cat_parse_options_check(const char *field, const Member *member, List **errors);

/* validate.c */

extern char *cat_validate_text(const Field *field, const Datum *values, const bool *nulls);
extern void cat_validate_references(const char *name, Resource *target, const char *condition,
									const char *referrer, List *ids, List **errors);
extern void cat_validate_record(Resource *resource, Datum *values, const bool *nulls,
								const bool *changed, List **errors);
extern List *cat_validate_caught(Resource *resource);

/* reference_lock.c */

extern bool cat_reference_lock_take(Resource *resource, const char *id, bool *found);
extern bool cat_reference_lock_name_taken(Resource *resource, const UniqueKey *key, List *values,
										  const char *id, bool *taken);
/* Lock the records that a record belongs to, which is not locked itself yet.  A change of a
 * record follows it down to the records that belong to it, and waits for their locks while it
 * holds its own.  So a writer that needs both takes that of the upper one first; the triggers,
 * which take it later, then have it already.  contents: against new contents of a file as well. */
extern void cat_reference_lock_parents(const Resource *resource, const char *id, bool contents);

/* setting.c */

extern void cat_setting_check(Resource *resource, const char *id, const Datum *values,
							  const bool *nulls, const bool *changed, List **errors);
extern int64 cat_setting_count(const Resource *resource, const char *id);
extern char *cat_setting_rows(const Resource *resource, const char *id);

/* derived.c */

extern void cat_embed_code_fill(Resource *resource, const Datum *old_values, const bool *old_nulls,
								Datum *values, bool *nulls, const bool *changed);

#endif /* CATALOGUE_WRITE_VALIDATION_INTERNAL_H */
