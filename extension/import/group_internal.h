/*
 * group_internal.h
 *	  New datasets that are written together: used inside import/ only.
 */
#ifndef CATALOGUE_IMPORT_GROUP_INTERNAL_H
#define CATALOGUE_IMPORT_GROUP_INTERNAL_H

#include "import/records_internal.h"

/* import.c */

/* The entry of an index, which is not read yet. */
extern ImportEntry *cat_import_begin_entry(const Import *import, int index);
/* Read the present entry, whose keys are its own. */
extern void cat_import_take(Import *import);

/* import_group.c */

/* Write the datasets of the next entries together, and report them; false where the next one has to be
 * written alone. */
extern bool cat_import_group(Import *import);

/* import_body.c */

/* End the text of the body, for who writes the record otherwise: NULL if nothing is to be written. */
extern const char *cat_import_body_complete(const Import *import, RecordBody *body);
/* Set body->id and body->base after that. */
extern void cat_import_body_written(RecordBody *body, const char *id);

/* import_write.c */

/* Set the body of a dataset that is new. */
extern void cat_import_write_begin(Import *import, RecordBody *body);
/* Note what the import knows of a new entry, whose dataset and files have been written by these bodies. */
extern void cat_import_write_end(Import *import, const RecordBody *body, List *files);

/* import_file.c */

/* The bodies of the files of a new dataset, which is import->record, in the order of its distributions: List
 * of RecordBody *. */
extern List *cat_import_files_begin(Import *import);
/* What is known from now on of the distributions whose files have been written: JSON. */
extern const char *cat_import_files_end(const Import *import, List *bodies);

/* import_term.c */

/* Forget the terms that the present entry has added, since it is undone. */
extern void cat_import_terms_undo(Import *import);
/* Forget also those that it has found not to be possible, since it is taken again. */
extern void cat_import_terms_forget(Import *import);
/* Keep them beyond the present entry. */
extern void cat_import_terms_keep(Import *import);

#endif /* CATALOGUE_IMPORT_GROUP_INTERNAL_H */
