/*
 * book.h - functions shared by the readers of XLSX and OpenDocument.
 *
 *   xml.c      an XML part, within limits; also a file that is XML itself (KML); relations of parts
 *   value.c    number formats of cell styles: which numbers are dates (XLSX)
 *   strings.c  shared strings, and rows in order (XLSX)
 *   xlsx.c     a workbook and its sheets
 *   merged_cells.c   merged cells of a sheet (XLSX)
 *   ods.c      an OpenDocument spreadsheet
 */
#ifndef WORKER_FORMATS_BOOK_H
#define WORKER_FORMATS_BOOK_H

#include "formats/formats.h"
#include "formats/unzip.h"
#include "formats/xml.h"
#include "rows/rows.h"

#define BOOK_DEPTH 64			 /* maximum depth of nested elements */
#define BOOK_STRINGS (112 << 20) /* maximum bytes of shared strings */

/* xml.c */
typedef struct Relation
{
	char *id;
	char *kind;	  /* last word of the type, or of the content type */
	char *target; /* name of the part */
	struct Relation *next;
} Relation;

/* value.c */
extern const XmlHandlers formats_handlers;

/* strings.c */
typedef struct Strings
{
	Parse *parse;
	char *bytes;
	size_t length;
	size_t capacity;
	uint32_t *ends; /* end of each string in bytes */
	size_t count;
	size_t room;
	bool in_text;
	bool in_phonetic;
	char missing[REASON_MAXIMUM]; /* why there are no strings; empty: there are */
} Strings;

extern const XmlHandlers strings_handlers;
extern const char *strings_text(const Strings *strings, uint64_t number, size_t *length);
/* Decode escapes such as _x000D_, which OOXML uses for characters that XML does not permit; return
 * the new length. */
extern size_t strings_unescape(char *text, size_t length);

/*
 * Rows of a sheet in the order of their numbers.  The rows of a workbook may come in any order.  The
 * first 16 MiB of a sheet are held and sorted; rows after them are passed on as they come.
 */
typedef struct RowOrder RowOrder;

/* xlsx.c */
typedef struct BookSheet
{
	Parse *parse;
	Sheet *sheet;
	RowOrder *order;
	const Strings *strings;
	const Formats *formats;
	bool since_1904;
	uint64_t row;	 /* number of the open row */
	unsigned column; /* of the open cell */
	char type;		 /* of the open cell: abbreviation of its attribute t */
	uint64_t style;	 /* of the open cell */
	bool in_value;
	bool in_phonetic;
	bool valued;
	bool formula;
	uint64_t bare; /* formulas without a cached value */
} BookSheet;

extern const XmlHandlers xlsx_sheet_handlers;
/* End of the sheet: report formulas without value. */
extern void xlsx_sheet_end(BookSheet *book);

/* merged_cells.c */
extern const XmlHandlers merged_cells_handlers;
/* Add the merged cells of the part with a sheet, which stand behind its rows, to the sheet.  An error is
 * not reported, since the rows have it as well. */
extern void merged_cells_read(Unzip *unzip, const char *name, Sheet *sheet);

/* ods.c: handlers of the part with the sheets, and their data */
extern const XmlHandlers ods_handlers;
extern void *ods_new(Parse *parse);

/* relations.c */

/* The relations of a part ("" is the archive), in their order; NULL when it has none. */
extern Relation *relations_read(Unzip *unzip, const char *part);
/* The parts named in [Content_Types].xml, as relations without ids. */
extern Relation *relations_of_contents(Unzip *unzip);
extern const Relation *relations_by_id(const Relation *relations, const char *id);
extern const Relation *relations_by_kind(const Relation *relations, const char *kind);

/* order.c */

extern RowOrder *order_begin(Sheet *sheet);
/* Pass on the rows that are held, in order, and from now on each row as it comes. */
extern void order_pass(RowOrder *order);
/* Set a cell of the open row, as sheet_cell() does. */
extern void order_cell(RowOrder *order, unsigned column, const char *text, size_t length);
/* End of the open row; one without cells is discarded. */
extern void order_row(RowOrder *order, uint64_t number);

#endif
