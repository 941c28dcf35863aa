/*
 * content_sniff_internal.h
 *	  What bytes are: used inside files/ only.
 */
#ifndef CATALOGUE_FILES_CONTENT_SNIFF_INTERNAL_H
#define CATALOGUE_FILES_CONTENT_SNIFF_INTERNAL_H

#include "catalogue.h"

#define EXTENSION_LENGTH 15 /* characters of an extension */

/* What the bytes are, as far as they tell. */
typedef enum Content
{
	CONTENT_EMPTY,
	CONTENT_TEXT,
	CONTENT_OTHER, /* bytes of a form that is not known here */
	CONTENT_ZIP,
	CONTENT_OLE,
	CONTENT_BIFF, /* a sheet of Excel before there were workbooks */
	CONTENT_PDF,
	CONTENT_PNG,
	CONTENT_JPEG,
	CONTENT_GIF,
	CONTENT_WEBP,
	CONTENT_TIFF,
	CONTENT_RAR,
	CONTENT_GZIP,
	CONTENT_SEVENZIP,
	CONTENT_SHAPE,
	CONTENT_SQLITE,
	CONTENT_PROGRAM,
} Content;

/* Bytes by which the type of a file is found. */
typedef struct ContentSample
{
	const char *head; /* the first ones */
	size_t length;
	const char *other; /* where the directory is, of what has one */
	size_t other_length;
} ContentSample;

/* filetype.c */

extern ContentSample cat_content_sniff_read(int64 blob, int64 size);

#endif /* CATALOGUE_FILES_CONTENT_SNIFF_INTERNAL_H */
