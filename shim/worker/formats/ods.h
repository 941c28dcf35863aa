/*
 * ods.h - what ods.c and ods_cell.c share.
 */
#ifndef ODS_H
#define ODS_H

#include "formats/book.h"

typedef struct OdsCell
{
	Buffer *text; /* its value, or what stands in it */
	unsigned repeated;
	unsigned skipped; /* elements that are open and no text of the cell: notes, drawings */
	unsigned paragraphs;
	char type;	 /* first letter of the type; 'l': boolean */
	bool there;	 /* it has a value or a text */
	bool valued; /* the value is in the attributes */
	bool merged;
	bool open;	 /* in a paragraph */
	bool spaced; /* a space here counts for nothing */
} OdsCell;

extern void ods_cell_start(OdsCell *cell, const char **attributes, Buffer *text);
extern void ods_cell_element(OdsCell *cell, const char *name, const char **attributes);
extern void ods_cell_element_end(OdsCell *cell, const char *name);
extern void ods_cell_text(OdsCell *cell, const char *text, size_t length);
/* The cell is whole: its text is as rows have it. */
extern void ods_cell_end(OdsCell *cell);

#endif
