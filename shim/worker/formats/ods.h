/*
 * ods.h - a cell of an OpenDocument spreadsheet.
 */
#ifndef ODS_H
#define ODS_H

#include "formats/book.h"

typedef struct OdsCell
{
	Buffer *text; /* its value, or its displayed text */
	unsigned repeated;
	unsigned skipped; /* open elements whose text is not that of the cell: notes, drawings */
	unsigned paragraphs;
	char type;	 /* first letter of the type; 'l': boolean */
	bool there;	 /* not empty */
	bool valued; /* the value is in the attributes */
	bool merged;
	bool open;	 /* in a paragraph */
	bool spaced; /* the last character is a space: more spaces are collapsed */
} OdsCell;

#endif
