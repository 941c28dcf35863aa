/*
 * dcat_internal.h
 *	  What DCAT says of datasets, as trees of values: used inside documents/ only.
 */
#ifndef CATALOGUE_DOCUMENTS_DCAT_INTERNAL_H
#define CATALOGUE_DOCUMENTS_DCAT_INTERNAL_H

#include "catalogue.h"

#include "documents/dcat.h"
#include "documents/json_internal.h"

/* What documents are made with. */
typedef struct Dcat
{
	const char *base; /* address of the service */
	Json *settings;	  /* of catalogue.dcat_settings(), and what catalogue.dcat_write_part() adds */
	const char *profile;
	bool us;		   /* that is one of DCAT-US */
	Json *terms[2];	   /* of vocabularies by code, and by label; NULL: not looked up yet */
	const char *texts; /* kind of the texts of a dataset in RDF, */
	const char *names; /* and of those of the catalogue */
	List *triples;	   /* of RdfTriple * */
} Dcat;

/* A dataset or file. */
typedef struct DcatPart
{
	Dcat *dcat;
	const struct DcatPart *dataset; /* of a file; NULL for a dataset */
	Json *record;
	Json *given; /* optionals; NULL: they are no object */
	const char *iri;
	Json *said; /* object, which gets the properties in the order of the table */
} DcatPart;

/* dcat.c */

/* The term of a vocabulary that a word in any letters names; labels: by its labels, else by code or
 * name. */
extern Json *cat_dcat_term(Dcat *dcat, bool labels, const char *vocabulary, const char *word);
/* The term of a vocabulary that a text names: an address that ends with its code or a name, or one
 * of these. */
extern Json *cat_dcat_term_of(Dcat *dcat, const char *vocabulary, const char *value);

/* dcat_text.c */

/* A text without spaces around it. */
extern char *cat_dcat_text_trimmed(const char *text, int length);
/* The texts of an optional value: a text or a list of texts, of which each may be an object of
 * JSON-LD with its value or address; List of char *.  The first of them, NULL for none. */
extern List *cat_dcat_text_list(const Json *value);
extern char *cat_dcat_text_first(const Json *value);
/* The name in an optional value: a name, or an object that has it as one of some members, with
 * spaces between. */
extern char *cat_dcat_text_name(const Json *value, const char *members);
/* An e-mail address as an IRI; NULL if it is none. */
extern const char *cat_dcat_text_email(const char *address);
/* A text as its source has it: one that an import has cut ends with an ellipsis, and an optional
 * value has all of it. */
extern const char *cat_dcat_text_whole(const char *cut, const Json *whole);
/* What a text names: an object of iri, or of label where it is no address; NULL for NULL. */
extern Json *cat_dcat_text_term(const char *text);
/* The address or name of a license, as cat_dcat_text_term(). */
extern Json *cat_dcat_text_license(Dcat *dcat, const Json *value);
/* The part of an address behind its last slash or hash; another text as it is. */
extern const char *cat_dcat_text_last(const char *text);

/* dcat_time.c */

/* A date, or a date and time of XML Schema; NULL for another text.  And also a year or month. */
extern const char *cat_dcat_time(const char *text);
extern const char *cat_dcat_time_instant(const char *text);
/* The data type of a time. */
extern const char *cat_dcat_time_kind(const char *instant);
/* Periods of an optional value, an array of objects of start and end; NULL for none. */
extern Json *cat_dcat_time_periods(Dcat *dcat, const Json *value);

/* dcat_language.c */

/* The tags of languages of an optional value (BCP 47), of which a text may be an address: an array.
 * texts: that of the texts, whose region a language has; NULL for none. */
extern Json *cat_dcat_language_tags(Dcat *dcat, const Json *value, const Json *texts);
/* The languages of the texts that have one: an object of name, description and tags. */
extern Json *cat_dcat_language_texts(Dcat *dcat, const Json *value);
/* Texts in other languages: an object of name, description and tags by tag; und for texts without
 * one. */
extern Json *cat_dcat_language_translations(Dcat *dcat, const Json *value);
extern const char *cat_dcat_language_iri(Dcat *dcat, const char *tag);

/* dcat_place.c */

/* Places of an optional value: an array of objects of iri, label, bbox, centroid and geometry; NULL
 * for none. */
extern Json *cat_dcat_place_list(Dcat *dcat, const Json *value);
/* How data.json has a place: a name, an address, a box or a shape; what is more is an object. */
extern Json *cat_dcat_place_us(const Json *place);
/* The edges of a box that cat_dcat_place_box() has written, with commas between; NULL of another
 * text. */
extern char *cat_dcat_place_edges(const char *box);

/* dcat_say.c */

/* What DCAT says of a dataset. */
extern DcatPart *cat_dcat_say(Dcat *dcat, Json *record);
/* The organization that another one, an IRI, is a part of; NULL: it is a part of none. */
extern Json *cat_dcat_say_larger(const char *part, const Json *within);

/* Whom to ask, as an optional value says, else the catalogue; an array, NULL for none. */
extern Json *cat_dcat_say_contacts(Dcat *dcat, const Json *points);

/* dcat_us.c */

/* A dataset of DCAT-US. */
extern Json *cat_dcat_us(const DcatPart *dataset);
/* The texts of a field in further languages; NULL for none. */
extern Json *cat_dcat_us_map(const Json *translations, const char *field);

/* dcat_rdf.c */

/* Add the triples of a dataset; and of a page of the catalogue with datasets, List of Json *. */
extern void cat_dcat_rdf(const DcatPart *dataset);
extern void cat_dcat_rdf_page(Dcat *dcat, const Json *page, List *records);

/* rdf_write.c */

/* A statement, as type catalogue.triple has it. */
typedef struct RdfTriple
{
	const char *subject;
	const char *predicate;
	const char *object;
	const char *kind;
} RdfTriple;

/* Triples, a List of RdfTriple *, as a document in a format; NULL: there is no such format. */
extern text *cat_rdf_write(List *triples, const char *format);

/* rdf_iri.c */

/* Return an address as an IRI: http:, https:, ftp:, mailto:, tel: or urn:; NULL if it is none. */
extern const char *cat_rdf_iri(const char *address);

#endif /* CATALOGUE_DOCUMENTS_DCAT_INTERNAL_H */
