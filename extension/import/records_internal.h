/*
 * records_internal.h
 *	  Records that an import finds, creates and changes: used inside import/ only.
 */
#ifndef CATALOGUE_IMPORT_RECORDS_INTERNAL_H
#define CATALOGUE_IMPORT_RECORDS_INTERNAL_H

#include "import/import_internal.h"

/* import_term.c */

/* The id of a record with a name, which is created where there is none. */
extern const char *cat_import_term(Import *import, const char *resource, const char *name);
/* The id of the update frequency that a code or name stands for. */
extern const char *cat_import_frequency(Import *import, const char *code);
/* The id of the file type that a name, suffix or media type stands for. */
extern const char *cat_import_file_type(Import *import, const Distribution *distribution);
/* Forget the terms that the present entry has added, since it is undone. */
extern void cat_import_terms_undo(Import *import);

/* import_call.c */

/* Call the function of a single request: the id of the record.  body: NULL for none. */
extern const char *cat_import_create(Import *import, const char *resource, const char *body);
extern const char *cat_import_update(Import *import, const char *resource, const char *id,
									 const char *body);
/* Unpublish or delete a record, as the import is told to do. */
extern void cat_import_end(Import *import, const char *resource, const char *id);

#endif /* CATALOGUE_IMPORT_RECORDS_INTERNAL_H */
