/*
 * language_internal.h
 *	  Texts of entries in several languages: used inside import/ only.
 */
#ifndef CATALOGUE_IMPORT_LANGUAGE_INTERNAL_H
#define CATALOGUE_IMPORT_LANGUAGE_INTERNAL_H

#include "import/import_internal.h"

/* What may have texts in several languages. */
typedef enum TextOf
{
	TEXT_NAME,
	TEXT_DESCRIPTION,
	TEXT_TAGS,
	TEXT_FIELDS
} TextOf;

/* The texts of an entry or of a distribution, and their languages. */
typedef struct EntryTexts
{
	List *preferred;	   /* of char *: languages of the catalogue, the best one first */
	const char *usual;	   /* the language of those of which the source says none, "" for none */
	List *counts;		   /* of LanguageCount *: the languages of the entry */
	List *of[TEXT_FIELDS]; /* of LanguageText * */
	const char *languages[TEXT_FIELDS]; /* of what is taken, "" for none; NULL: nothing is */
	List *translations;					/* of Translation *: what is in other languages */
} EntryTexts;

/* import_language.c */

/* The languages of the catalogue, the best one first: List of char *, tags in small letters. */
extern List *cat_import_languages(void);
/* Read the texts of an entry. */
extern EntryTexts *cat_import_texts_read(Import *import, List *members);
/* Read the texts of a distribution, whose languages are chosen as those of its entry. */
extern EntryTexts *cat_import_texts_of_part(const EntryTexts *whole, List *members);
/* The text of one of some properties, in the best language; NULL for none. */
extern const char *cat_import_texts_label(const EntryTexts *texts, List *members,
										  const char *names);
/* The text of a name or description in the best language, NULL for none; the others become
 * translations. */
extern const char *cat_import_texts_take(EntryTexts *texts, ImportEntry *entry, TextOf of,
										 List *members);
/* Set the tags of an entry: those in the best language, and those in none. */
extern void cat_import_texts_tags(Import *import, ImportEntry *entry, List *members);
/* Append the language of the texts, and translations, to optionals. */
extern void cat_import_texts_append(ImportEntry *entry, EntryTexts *texts, StringInfo optionals);

#endif /* CATALOGUE_IMPORT_LANGUAGE_INTERNAL_H */
