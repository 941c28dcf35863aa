/*
 * import_internal.h
 *	  An import: its document, its entries, the records made of them: used inside import/ only.
 *	  Decisions: docs/explanation/decisions.md#extensionimport
 */
#ifndef CATALOGUE_IMPORT_IMPORT_INTERNAL_H
#define CATALOGUE_IMPORT_IMPORT_INTERNAL_H

#include "catalogue.h"

#include "base/body.h"
#include "import/document_internal.h"

/* A dataset as an entry of a document describes it; NULL where it says nothing. */
typedef struct ImportEntry
{
	const Piece *piece;
	EntryAccess access;
	const char *id;
	const char *key; /* of its row of catalogue.imported */
	const struct ImportIdentity *identity;
	const char *name;
	const char *description;
	const char *publisher;
	const char *frequency;
	const char *optionals; /* JSON object */
	struct EntryTexts *texts;
	List *tags;			 /* of char * */
	List *themes;		 /* of char * */
	List *addresses;	 /* of char *: of further themes */
	List *distributions; /* of Distribution * */
	bool cut;			 /* the entry has more distributions than were taken */
	List *kept;			 /* of char *: fields that users have changed, which stay */
	List *notes;		 /* of char *: what was not taken as it is */
	size_t referred;	 /* bytes of the objects that it refers to */
} ImportEntry;

/* What becomes of records whose entries the source has no longer. */
typedef enum GoneAction
{
	GONE_KEEP,
	GONE_UNPUBLISH,
	GONE_DELETE
} GoneAction;

typedef enum ImportOutcome
{
	IMPORT_CREATED,
	IMPORT_UPDATED,
	IMPORT_UNCHANGED,
	IMPORT_REFUSED,
	IMPORT_GONE,
	IMPORT_OUTCOMES
} ImportOutcome;

typedef struct Import
{
	const char *source;
	const char *category;	  /* id or slug, for entries without theme; NULL for none */
	const char *organization; /* likewise, without publisher */
	bool dry_run;
	bool publish; /* new datasets and files */
	bool partial; /* the document is only a part of the source: no entry is gone */
	List *take;	  /* of char *: fields that are the source's also where users have changed them */
	bool accept_loss; /* entries are gone even where the document seems to be cut */
	GoneAction gone;
	Actor actor;
	Datum actor_json;
	bool no_actor;
	ImportDocument document;
	List *languages;				   /* of char *: of the catalogue, the best one first */
	struct ImportIdentity *identities; /* of the entries */
	HTAB *terms;					   /* char *: ids of records by resource and name */
	List *made_terms;	 /* of char *: keys of those that the present entry has added */
	List *refused_terms; /* of char *: keys of those that it has found not to be possible */
	HTAB *seen;			 /* numbers of entries by key, as text */
	HTAB *deleted;		 /* names of entries that the source has deleted, by key */
	HTAB *titles;		 /* titles of all entries by key; NULL: not read yet */
	HTAB *numbers;		 /* by name, the last number that was put behind it */
	bool unnamed;		 /* some entry has no id that could be read */
	ImportEntry *entry;	 /* the present one */
	const char *part;	 /* what of it is read or written, before names of fields; "" for itself */
	const char *record;	 /* id of its dataset, once that is known */
	ImportOutcome outcome;
	int number; /* of the present entry, from 1 */
	int group;	/* entries that are written together at most; 0: none have been yet */
	int alone;	/* entries to write alone next */
	int64 counts[IMPORT_OUTCOMES];
	StringInfo report; /* elements of a JSON array */
	HTAB *rest;		   /* names of properties that optionals have, since no field does */
	List *rest_names;  /* of char *: these in their order */
	List *notes;	   /* of char *: on the report as a whole */
	bool ended;		   /* all entries are done */
} Import;

/* import_entry.c */

/* The title of an entry, NULL for none. */
extern const char *cat_import_entry_title(Import *import, const Piece *piece);
/* Read a dataset.  OD400 where its JSON cannot be taken. */
extern void cat_import_entry_read(Import *import, ImportEntry *entry);
/* The first thousand values of a property, List of Member *; if there are more, a note, and *cut if not NULL. */
extern List *cat_import_first_elements(Import *import, ImportEntry *entry, const Member *value,
									   bool *cut);
/* The object that a value is or refers to, as a List of Member *; NIL for none. */
extern List *cat_import_resolve(Import *import, ImportEntry *entry, const Member *value);
/* The name of what a value is or refers to, of a term of the vocabulary its label; NULL for none, both of them. */
extern const char *cat_import_name_of(Import *import, ImportEntry *entry, const Member *value,
									  const char *vocabulary);

/* import_clean.c */

/* An object as it is read: sorted, without nulls and members that come again; owner: prefix of names in notes. */
extern const Piece *cat_import_clean(ImportDocument *document, ImportEntry *entry,
									 const Piece *piece, const char *owner);

/* import_note.c */

/* Note something on an entry. */
extern void cat_import_note(ImportEntry *entry, const char *note);
/* As much of a text as optionals have of one that is cut; *all: set to whether that is all of it. */
extern const char *cat_import_whole(const char *text, bool *all);
/* A text in at most so many characters, which ends with an ellipsis where it was longer. */
extern const char *cat_import_cut(const char *text, int characters);

/* import_term.c */

/* The label of the term of a vocabulary that a value names, NULL for none. */
extern const char *cat_import_label(Import *import, const char *vocabulary, const char *value);

/* import_rest.c */

/* Append the properties that are kept to an object, whose end is not written yet. */
extern void cat_import_copy(Import *import, ImportEntry *entry, StringInfo out, List *members,
							const DcatProperty *properties, int count);
/* Append a property that is kept, unless it says no more than a text; NULL: in any case. */
extern void cat_import_copy_more(Import *import, ImportEntry *entry, StringInfo out, List *members,
								 const DcatProperty *property, const char *text);
/* Append to an object, whose end is not written yet, the members that are none of the properties. */
extern void cat_import_copy_rest(Import *import, ImportEntry *entry, StringInfo out, List *members,
								 const DcatProperty *properties, int count);
/* A note that names these properties, NULL where there were none. */
extern char *cat_import_rest_note(const Import *import);

/* import_distribution.c */

/* Read the distributions of a dataset. */
extern void cat_import_distributions_read(Import *import, ImportEntry *entry, List *members);

#endif /* CATALOGUE_IMPORT_IMPORT_INTERNAL_H */
