/*
 * identity_internal.h
 *	  What entries are known by, and the table of what was made of them: used inside import/ only.
 */
#ifndef CATALOGUE_IMPORT_IDENTITY_INTERNAL_H
#define CATALOGUE_IMPORT_IDENTITY_INTERNAL_H

#include "import/import_internal.h"
#include "pg/pg.h"

/* Column numbers of catalogue.imported. */
#define IMPORTED_RECORD 3
#define IMPORTED_DIGEST 4
#define IMPORTED_FILES 5
#define IMPORTED_ENDED 6
#define IMPORTED_BASE 7

/* What an entry is known by. */
typedef struct ImportIdentity
{
	const char *id;	 /* as the source writes it; NULL: none that can be read */
	const char *key; /* of its row of catalogue.imported; NULL: all its keys are of other entries */
	bool known;		 /* an earlier import has made the row */
	int rival;		 /* number of the first of these; 0: none */
	List *added;	 /* of char *: further keys, which are not stored yet */
	List *others;	 /* of char *: ids of rows that its keys lead to besides */
	List *notes;	 /* of char * */
	List *keys;		 /* all of its keys */
} ImportIdentity;

/* import_identity.c */

/* Find what earlier imports have made of the entries: set import->identities. */
extern void cat_import_identify(Import *import);

/* import_identifier.c */

#define IDENTIFIERS_MAX 100 /* identifiers of an entry that are looked at */

/* Return whether a property is adms:identifier: an identifier that the entry has besides its own. */
extern bool cat_import_identifier_is_further(const char *name);
/* Return the identifiers that a value is: List of char *. */
extern List *cat_import_identifier_texts(ImportDocument *document, const Member *value);
/* Take the further ones out of the members of an entry; return them, sorted: List of char *. */
extern List *cat_import_identifier_take(ImportDocument *document, List **members);

/* import_write.c */

/* Open catalogue.imported by its index: a plan that is made while it is empty would read all of it. */
extern void cat_import_open_imported(CatScan *scan);

#endif /* CATALOGUE_IMPORT_IDENTITY_INTERNAL_H */
