/*
 * records_internal.h
 *	  Records that an import finds, creates and changes: used inside import/ only.
 */
#ifndef CATALOGUE_IMPORT_RECORDS_INTERNAL_H
#define CATALOGUE_IMPORT_RECORDS_INTERNAL_H

#include "import/import_internal.h"
#include "registry/rows.h"

/* What an earlier import has made of an entry. */
typedef struct Earlier
{
	bool same;		   /* of the same text */
	char *name;		   /* of the dataset */
	char *status;	   /* of the dataset; NULL: it is deleted */
	const char *ended; /* the instants at which imports have ended it: JSON; NULL: none has */
	const char *files; /* what is known of the distributions: JSON; NULL: nothing */
	const char *base;  /* digests of the fields of the dataset: JSON */
} Earlier;

/* The body of a request that creates or changes a record. */
typedef struct RecordBody
{
	const char *resource;
	const char *id;	  /* NULL: it is created */
	const char *base; /* digests of the fields as an import has left them: JSON, NULL for none */
	List *edited;	  /* of char *: fields that users have changed since, which stay */
	StringInfoData text;
} RecordBody;

/* import_body.c */

/* The digest of a column of a record. */
extern char *cat_import_digest(const Rows *rows, const char *column);
/* Begin the body of a record. */
extern void cat_import_body_begin(const Import *import, RecordBody *body, const char *resource,
								  const char *id, const char *base);
/* Whether a field is to be written; else it is noted as kept. */
extern bool cat_import_body_takes(const Import *import, const RecordBody *body, const char *name);
/* Append a member, unless its field is kept: a text, or null for NULL; or JSON. */
extern void cat_import_body_text(const Import *, RecordBody *, const char *name, const char *text);
extern void cat_import_body_json(const Import *, RecordBody *, const char *name, const char *json);
/* Create or change the record, and set body->base; returns its id. */
extern const char *cat_import_body_write(Import *import, RecordBody *body);

/* import_file.c */

/* Write the files of the entry's distributions; returns what is known of these from now on: JSON. */
extern const char *cat_import_files(Import *import, const char *earlier);

/* import_access.c */

/* The instants at which imports have ended a record, or not published it: JSON array.  earlier: those
 * before the present one, NULL for none. */
extern const char *cat_import_ended(const char *resource, const char *id, const char *earlier);
/* Restore and publish a record that imports have ended at these instants, unless it has been changed
 * since.  Returns what was done, NULL for nothing. */
extern const char *cat_import_restore(Import *import, const char *resource, const char *id,
									  const char *ended);

/* The row of a record, with all changes of this transaction; none where it is deleted. */
extern Rows cat_import_rows(const char *resource, const char *id);
/* Read the status of the dataset. */
extern void cat_import_read_status(const Import *import, Earlier *earlier);
/* Restore the dataset of an entry that the source names again, and unpublish that of one that it
 * withholds; returns whether the dataset has changed. */
extern bool cat_import_apply_access(Import *import, Earlier *earlier);
/* Note that a new dataset is not published, if the source withholds it. */
extern void cat_import_apply_new(Import *import, Earlier *earlier);

/* import_write.c */

/* Append what only a new dataset or file gets. */
extern void cat_import_body_new(const Import *import, RecordBody *body);
/* Write what the present entry describes, and set import->outcome and record. */
extern void cat_import_write(Import *import);

/* import_gone.c */

/* Unpublish or delete a record, as the import is told to do, where state and rights allow it; returns
 * what was done: kept, unpublished or deleted.  reason: set to why it could not be done, or NULL. */
extern const char *cat_import_remove(Import *import, const char *resource, const char *id,
									 const char **reason);
extern void cat_import_gone(Import *import);

/* import_name.c */

/* A text in small letters. */
extern char *cat_import_fold(const char *text);
/* Number the name of the dataset that imports have deleted if it is taken now; false: it is not. */
extern bool cat_import_rename_deleted(Import *import, const char *ended);
/* The name that the dataset of the present entry gets; present: the one that it has, or NULL. */
extern const char *cat_import_name(Import *import, const char *present);

/* import_term.c */

/* The id of a record with a name, which is created where there is none; NULL where that is not
 * possible, which a note tells. */
extern const char *cat_import_term(Import *import, const char *resource, const char *name);
/* The id of the publisher's organization, or of the one that the user's rights on the resource are
 * limited to, which a note tells; without a publisher that of the option, or NULL. */
extern const char *cat_import_publisher(Import *import, const char *resource);
/* As that, for files, which need one: else that of config defaultOrganization, or of the user. */
extern const char *cat_import_provider(Import *import);
/* The id of the update frequency that a code or name stands for. */
extern const char *cat_import_frequency(Import *import, const char *code);
/* The id of the file type that a name, suffix or media type stands for. */
extern const char *cat_import_file_type(Import *import, const Distribution *distribution);

/* import_call.c */

/* Call the function of a single request: the id of the record.  body: NULL for none. */
extern const char *cat_import_create(Import *import, const char *resource, const char *body);
extern const char *cat_import_update(Import *import, const char *resource, const char *id,
									 const char *body);
/* Delete or restore a record, or move it to another state; action: also delete or restore. */
extern void cat_import_act(Import *import, const char *resource, const char *id,
						   const char *action);
/* A change that may be refused. */
typedef struct Attempt
{
	Import *import;
	const char *resource;
	const char *id;		/* NULL: a creation, which sets it */
	const char *action; /* NULL: an update */
	const char *body;
} Attempt;

/* Make a change; returns why the state or the caller's rights do not allow it, NULL where they do. */
extern const char *cat_import_attempt(Attempt *attempt);

/* What a statement with two texts finds, palloc'd; NULL for nothing. */
extern char *cat_import_find(const char *sql, const char *first, const char *second);

/* import_report.c */

/* Append the outcome of the present entry. */
extern void cat_import_report(Import *import);
/* Append that the present entry was refused; raises anything that is no fault of it. */
extern void cat_import_report_refused(Import *import, ErrorData *error);
/* Append a record whose entry is gone; reason: why it was kept, or NULL. */
extern void cat_import_report_gone(Import *import, const char *id, const char *record,
								   const char *name, const char *done, const char *reason);
/* The whole report as a JSON object. */
extern StringInfo cat_import_report_json(const Import *import);

#endif /* CATALOGUE_IMPORT_RECORDS_INTERNAL_H */
