/*
 * unzip.h - a ZIP archive and its parts, within limits.
 */
#ifndef WORKER_FORMATS_UNZIP_H
#define WORKER_FORMATS_UNZIP_H

#include <expat.h>
#include <zip.h>

#include "formats/formats.h"
#include "formats/xml.h"

#define BOOK_PARTS 2000		 /* maximum parts of an archive */
#define BOOK_RATIO 200		 /* maximum compression ratio of a part, */
#define BOOK_SMALL (1 << 20) /* unless it is at most this long */

/* What an archive is called in reasons, and how long its parts may be. */
typedef struct UnzipForm
{
	const char *archive;
	const char *whole;
	uint64_t bytes; /* unpacked, of all parts that are read */
	const char *limit;
} UnzipForm;

/* A part by its name, with slashes. */
typedef struct UnzipName
{
	char *name;
	int64_t part;
} UnzipName;

struct Unzip
{
	Parse *parse;
	const UnzipForm *form;
	zip_t *zip;
	zip_file_t *part; /* the open part */
	const char *name; /* of the open part */
	uint64_t left;	  /* bytes that the part may still have */
	uint64_t total;	  /* unpacked bytes of all parts so far */
	XML_Parser xml;	  /* of the open part */
	uint64_t offset;  /* offset at which libzip reads */
	UnzipName *names; /* of all parts, sorted */
	size_t count;
};

/* unzip.c */
/* An Unzip without an archive. */
extern Unzip *unzip_new(Parse *parse);
extern const UnzipForm unzip_workbook;
/* Open the file as an archive.  It is closed when the file has been read. */
extern Unzip *unzip_open(Parse *parse, const UnzipForm *form);
/* The number of a part, -1 if absent; letter case and the kind of slash are ignored. */
extern int64_t unzip_find(Unzip *unzip, const char *name);
extern void unzip_begin(Unzip *unzip, int64_t part);
/* Read up to size bytes of the open part; 0 at its end. */
extern size_t unzip_read(Unzip *unzip, char *bytes, size_t size);
extern void unzip_end(Unzip *unzip);
/* Close the open part after parse_refuse(). */
extern void unzip_abandon(Unzip *unzip);

#endif
