/*
 * file_signatures.h
 *	  Kinds of content, and the bytes that they are recognized by.
 */
#ifndef FILE_SIGNATURES_H
#define FILE_SIGNATURES_H

#include <stddef.h>

/* Kinds of content, as far as the bytes tell. */
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
	CONTENT_FLATGEOBUF,
	CONTENT_PROGRAM,
} Content;

/* Signatures of file formats, and their media types. */
static const struct
{
	Content content;
	size_t at;
	size_t length;
	const char *bytes;
	const char *media_type;
} file_signatures[] = {
	{CONTENT_ZIP, 0, 4, "PK\x03\x04", "application/zip"},
	{CONTENT_ZIP, 0, 4, "PK\x05\x06", "application/zip"},
	{CONTENT_OLE, 0, 8, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "application/vnd.ms-excel"},
	{CONTENT_BIFF, 0, 4, "\x09\x08\x10\x00", "application/vnd.ms-excel"},
	{CONTENT_BIFF, 0, 4, "\x09\x08\x08\x00", "application/vnd.ms-excel"},
	{CONTENT_BIFF, 0, 4, "\x09\x04\x06\x00", "application/vnd.ms-excel"},
	{CONTENT_BIFF, 0, 4, "\x09\x02\x06\x00", "application/vnd.ms-excel"},
	{CONTENT_BIFF, 0, 4, "\x09\x00\x04\x00", "application/vnd.ms-excel"},
	{CONTENT_PDF, 0, 5, "%PDF-", "application/pdf"},
	{CONTENT_PNG, 0, 8, "\x89PNG\r\n\x1A\n", "image/png"},
	{CONTENT_JPEG, 0, 3, "\xFF\xD8\xFF", "image/jpeg"},
	{CONTENT_GIF, 0, 6, "GIF87a", "image/gif"},
	{CONTENT_GIF, 0, 6, "GIF89a", "image/gif"},
	{CONTENT_WEBP, 8, 4, "WEBP", "image/webp"},
	{CONTENT_TIFF, 0, 4, "II*\0", "image/tiff"},
	{CONTENT_TIFF, 0, 4, "MM\0*", "image/tiff"},
	{CONTENT_RAR, 0, 6, "Rar!\x1A\x07", "application/vnd.rar"},
	{CONTENT_GZIP, 0, 3, "\x1F\x8B\x08", "application/gzip"},
	{CONTENT_SEVENZIP, 0, 6, "7z\xBC\xAF\x27\x1C", "application/x-7z-compressed"},
	{CONTENT_SHAPE, 0, 4, "\x00\x00\x27\x0A", "application/vnd.shp"},
	{CONTENT_SQLITE, 0, 16, "SQLite format 3", "application/vnd.sqlite3"},
	{CONTENT_FLATGEOBUF, 0, 4, "fgb\x03", "application/vnd.flatgeobuf"},
	{CONTENT_PROGRAM, 0, 4,
	 "\x7F"
	 "ELF",
	 "application/x-executable"},
	{CONTENT_PROGRAM, 0, 2, "MZ", "application/x-executable"},
};

#endif /* FILE_SIGNATURES_H */
