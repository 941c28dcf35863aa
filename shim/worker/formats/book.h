/*
 * book.h - what the readers of XLSX and OpenDocument share.
 *
 *   unzip.c          a ZIP archive and its parts, within limits
 *   xml.c            a part of XML, within limits; also a file that is XML itself (KML)
 *   relations.c      which part is which (XLSX)
 *   number_format.c  styles of cells: which numbers are dates (XLSX)
 *   strings.c        texts that cells share (XLSX)
 *   xlsx.c           a workbook; xlsx_sheet.c one of its sheets
 *   ods.c            the same of OpenDocument; ods_cell.c one of its cells
 */
#ifndef WORKER_FORMATS_BOOK_H
#define WORKER_FORMATS_BOOK_H

#include <expat.h>
#include <zip.h>

#include "formats/formats.h"
#include "rows/rows.h"

#define BOOK_PARTS 2000			 /* of an archive, at most */
#define BOOK_RATIO 200			 /* a part may be so many times longer than it is packed, */
#define BOOK_SMALL (1 << 20)	 /* or up to so long */
#define BOOK_DEPTH 64			 /* elements in elements, at most */
#define BOOK_STRINGS (112 << 20) /* bytes of shared texts, at most */

typedef struct Unzip
{
	Parse *parse;
	zip_t *zip;
	zip_file_t *part;		 /* that is being read */
	const char *name;		 /* of it */
	uint64_t left;			 /* bytes that it may still have */
	uint64_t total;			 /* bytes of all parts so far */
	XML_Parser xml;			 /* of the part */
	uint64_t place;			 /* where libzip reads */
	struct UnzipName *names; /* of all parts, in order */
	size_t count;
} Unzip;

/* unzip.c */
/* An archive that is none, for xml_read_bytes(). */
extern Unzip *unzip_new(Parse *parse);
/* Open the archive that the file is; what it opens dies with the reading. */
extern Unzip *unzip_open(Parse *parse);
/* The number of a part, -1 if there is none; neither letter case nor the kind of slash matters. */
extern int64_t unzip_find(Unzip *unzip, const char *name);
extern void unzip_begin(Unzip *unzip, int64_t part);
/* Read up to so many bytes of the part: 0 at its end. */
extern size_t unzip_read(Unzip *unzip, char *bytes, size_t size);
extern void unzip_end(Unzip *unzip);
/* Close a part whose reading was refused. */
extern void unzip_abandon(Unzip *unzip);
/* xml.c */
typedef struct XmlHandlers
{
	/* names without prefix, what is in it is told to data */
	void (*start)(void *data, const char *name, const char **attributes);
	void (*end)(void *data, const char *name);
	void (*text)(void *data, const char *text, size_t length); /* NULL: not wanted */
} XmlHandlers;

/* Read a part as XML. */
extern void xml_read(Unzip *unzip, int64_t part, const XmlHandlers *handlers, void *data);
/* Read the file as XML. */
extern void xml_read_file(Parse *parse, const XmlHandlers *handlers, void *data);
/* Read bytes in memory as XML, for a fuzzing target. */
extern void xml_read_bytes(Unzip *unzip, const char *bytes, size_t length,
						   const XmlHandlers *handlers, void *data);
/* The value of an attribute by its name without prefix; NULL if there is none. */
extern const char *xml_attribute(const char **attributes, const char *name);
/* A number of digits alone up to a maximum; otherwise if there is none. */
extern uint64_t xml_number(const char *text, uint64_t maximum, uint64_t otherwise);

/* relations.c */
typedef struct Relation
{
	char *id;
	char *kind;	  /* last word of the type, or of the type of its content */
	char *target; /* name of the part */
	struct Relation *next;
} Relation;

/* The relations of a part ("" is the archive), in their order; NULL when it has none. */
extern Relation *relations_read(Unzip *unzip, const char *part);
/* What [Content_Types].xml says of parts by name, as relations without ids. */
extern Relation *relations_of_contents(Unzip *unzip);
extern const Relation *relations_by_id(const Relation *relations, const char *id);
extern const Relation *relations_by_kind(const Relation *relations, const char *kind);
extern char *book_text(Parse *parse, const char *text);

/* number_format.c */
extern const XmlHandlers formats_handlers;

/* strings.c */
typedef struct Strings
{
	Parse *parse;
	char *bytes;
	size_t length;
	size_t capacity;
	uint32_t *ends; /* of each text */
	size_t count;
	size_t room;
	bool in_text;
	bool in_phonetic;
	char missing[REASON_MAXIMUM]; /* why there are none */
} Strings;

extern const XmlHandlers strings_handlers;
extern const char *strings_text(const Strings *strings, uint64_t number, size_t *length);
/* Undo what OOXML writes for characters that XML cannot have, _x000D_; the new length. */
extern size_t strings_unescape(char *text, size_t length);

/* xlsx_sheet.c */
typedef struct BookSheet
{
	Parse *parse;
	Sheet *sheet;
	const Strings *strings;
	const Formats *formats;
	bool since_1904;
	uint64_t row;	 /* number of the open one */
	unsigned column; /* of the open cell */
	char type;		 /* of the open cell: its attribute t, in short */
	NumberFormat format;
	bool in_value;
	bool in_phonetic;
	bool valued;
	bool formula;
	uint64_t merged;
	uint64_t bare;	  /* formulas without a value */
	uint64_t written; /* bytes of cells, of all sheets */
} BookSheet;

extern const XmlHandlers xlsx_sheet_handlers;
/* The sheet has been read: tell what was found besides rows. */
extern void xlsx_sheet_end(BookSheet *book);

/* ods.c: one part: the handlers, and what they work on */
extern const XmlHandlers ods_handlers;
extern void *ods_new(Parse *parse);

#endif
