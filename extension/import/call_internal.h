/*
 * call_internal.h
 *	  The calls that import a document, now or by a job: used inside import/ only.
 */
#ifndef CATALOGUE_IMPORT_CALL_INTERNAL_H
#define CATALOGUE_IMPORT_CALL_INTERNAL_H

#include "files/files.h"
#include "import/import_internal.h"

/* import_options.c */

extern const char *cat_import_option_text(List *members, const char *name, List **errors);
extern const char *cat_import_option_record(List *members, const char *name, const char *sql,
											List **errors);
/* OD403 where the source belongs to another organization; unless it is a dry run, it is the actor's
 * from now on if it was nobody's. */
extern void cat_import_require_source(const Import *import, const char *source);
/* Read the options of an import, and the errors in them. */
extern void cat_import_options_read(Import *import, List *members, List **errors);

/* harvest.c */

/* Have the worker fetch and import the address in the body; returns the id of the job.  errors:
 * those in the options. */
extern const char *cat_harvest_import(Import *import, List *members, List *errors);
/* Read the options of an import that a job does; returns those that it keeps: JSON.  OD401, OD403 for
 * a caller whose limits the job would not know. */
extern const char *cat_harvest_options(Import *import, List *members, List **errors);

/* import_upload.c */

/* Have the worker import the document of an upload, which is one of the pieces if it is JSON; returns
 * the id of the job.  errors: those in the members. */
extern const char *cat_import_later(Import *import, List *pieces, List *members, List *errors,
									const UploadedDocument *uploaded);

/* import.c */

/* Begin a call that imports for an actor, its argument of this number, who may create datasets. */
extern void cat_import_begin(FunctionCallInfo fcinfo, int actor, Import *import);
/* Import what the members of a body say, by a job if later is not NULL or they have an address, and
 * end the call; strict: number of that argument. */
extern Datum cat_import_run(FunctionCallInfo fcinfo, int strict, Import *import, List *pieces,
							const UploadedDocument *later);

#endif /* CATALOGUE_IMPORT_CALL_INTERNAL_H */
