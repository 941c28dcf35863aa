/*
 * dcat.h
 *	  The properties of datasets and distributions: how they are read, kept, and given on.
 */
#ifndef CATALOGUE_DOCUMENTS_DCAT_H
#define CATALOGUE_DOCUMENTS_DCAT_H

#include "catalogue.h"

/* What the values of a property are; DCAT_READ: it is read only; DCAT_COPY: any, which is given on
 * as it is. */
typedef enum DcatKind
{
	/* clang-format off */
	DCAT_READ, DCAT_COPY, DCAT_TEXT, DCAT_IRI, DCAT_TITLE, DCAT_DESCRIPTION, DCAT_KEYWORD,
	DCAT_TEXT_LANGUAGE, DCAT_TRANSLATIONS, DCAT_IDENTIFIER, DCAT_FURTHER, DCAT_ISSUED, DCAT_MODIFIED,
	DCAT_PAGE, DCAT_AGENT, DCAT_CATEGORY, DCAT_THEME, DCAT_CONTACT, DCAT_FREQUENCY, DCAT_ACCESS,
	DCAT_PLACE, DCAT_PERIOD, DCAT_SERIES, DCAT_LANGUAGE, DCAT_TAGS, DCAT_LICENSE, DCAT_TERM,
	DCAT_STANDARD, DCAT_FILE, DCAT_DOWNLOAD, DCAT_ADDRESS, DCAT_FORMAT, DCAT_MEDIA_TYPE, DCAT_SIZE,
	DCAT_DIGEST, DCAT_KINDS
	/* clang-format on */
} DcatKind;

typedef struct DcatProperty
{
	const char *names; /* under which it is looked for in what is read, with spaces between */
	const char *kept;  /* that it has in optionals, as it is; NULL: it is not kept */
	DcatKind kind;
	const char *said; /* member of what DCAT says of a dataset or file; NULL: it is not given on */
	int place;		  /* in RDF, after those with a lower one; 0: it is not in it */
	const char *predicate; /* in RDF */
	const char *class;	   /* in RDF: of the object, or the kind of a literal */
	const char *member;	   /* of DCAT-US; NULL: it is not in it */
} DcatProperty;

/* The properties of a dataset and of a file, in the order in which optionals have them. */
extern const DcatProperty cat_dcat_dataset_properties[];
extern const int cat_dcat_dataset_count;
extern const DcatProperty cat_dcat_file_properties[];
extern const int cat_dcat_file_count;

#endif /* CATALOGUE_DOCUMENTS_DCAT_H */
