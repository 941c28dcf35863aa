/*
 * parse_options.h
 *	  Options of how a file is read.
 *
 * The extension and the worker include this table.  The extension checks the members of
 * parseOptions, which the owner of a file sets (write/parse_options.c), and describes them, from which
 * the form of the page is made (shim/page/static/reading.js); the worker passes all options to the
 * process that reads (shim/worker/jobs/reading.c), which sets them by the functions in
 * shim/worker/sandbox/parse_options.c, by the names of ParseOption.
 */
#ifndef PARSE_OPTIONS_H
#define PARSE_OPTIONS_H

#include <stddef.h>

typedef enum ParseOption
{
	OPTION_ENCODING,
	OPTION_DELIMITER,
	OPTION_DECIMAL,
	OPTION_THOUSANDS,
	OPTION_HEADER,
	OPTION_SKIP,
	OPTION_DATES,
	OPTION_MISSING,
	OPTION_MERGED,
	OPTION_HEADER_ROWS,
	OPTION_CRS,
	OPTION_SHEET,
	OPTION_DATA_PATH,
	OPTION_TITLE_PATH,
} ParseOption;

static const struct
{
	const char *name;
	/* A regular expression for a letter that stands for the kind of the JSON value, and its text.
	 * NULL: not a member of parseOptions, but a field of the remote service. */
	const char *pattern;
	int elements;		  /* at most, of a list of such values; 0: a single value */
	const char *takes;	  /* for people */
	const char *argument; /* of the command line */
	/* The JSON Schema of the value, with all that it may be as "enum", or the usual ones as "examples". */
	const char *schema;
} parse_options[] = {
	/* The names of encodings have neither the characters of file names nor iconv's suffixes such
	 * as //TRANSLIT. */
	[OPTION_ENCODING] =
		{"encoding", "^s[A-Za-z0-9_.:()-]{1,40}$", 0,
		 "encoding: takes the name of an encoding, such as \"UTF-8\" or \"Windows-1250\"", "NAME",
		 "{\"type\":\"string\",\"examples\":[\"UTF-8\",\"Windows-1252\",\"ISO-8859-1\",\"UTF-"
		 "16LE\",\"UTF-16BE\"]}"},
	[OPTION_DELIMITER] =
		{"delimiter", "^s[\t !#-/:-@\\[-`{-~]?$", 0,
		 "delimiter: takes a tab, or a character of ASCII other than a letter, a digit and a "
		 "quote; \"\" for a single column",
		 "CHARACTER", "{\"type\":\"string\",\"examples\":[\",\",\";\",\"\\t\",\"|\",\"\"]}"},
	[OPTION_DECIMAL] = {"decimal", "^s[.,]$", 0, "decimal: takes \".\" or \",\"", ".|,",
						"{\"type\":\"string\",\"enum\":[\".\",\",\"]}"},
	[OPTION_THOUSANDS] = {"thousands", "^s[., ']$", 0,
						  "thousands: takes \".\", \",\", \" \" (any space) or \"'\", the sign "
						  "between thousands",
						  ".|,| |'", "{\"type\":\"string\",\"enum\":[\".\",\",\",\" \",\"'\"]}"},
	[OPTION_HEADER] = {"header", "^(b|n([1-9][0-9]{0,2}|100[01])$)", 0,
					   "header: takes true, false, or the number of a row from 1 to 1001",
					   "first|none|NUMBER",
					   "{\"type\":[\"boolean\",\"integer\"],\"minimum\":1,\"maximum\":1001}"},
	[OPTION_SKIP] = {"skip", "^n(-?0|[1-9][0-9]{0,2}|1000)$", 0,
					 "skip: takes a number of rows from 0 to 1000", "NUMBER",
					 "{\"type\":\"integer\",\"minimum\":0,\"maximum\":1000}"},
	[OPTION_DATES] = {"dates", "^s(DMY|MDY|YMD)$", 0,
					  "dates: takes DMY, MDY or YMD, the order of day, month and year",
					  "DMY|MDY|YMD", "{\"type\":\"string\",\"enum\":[\"DMY\",\"MDY\",\"YMD\"]}"},
	[OPTION_MISSING] =
		{"missing", "^s[^\\x01-\\x1F]{1,40}$", 20,
		 "missing: takes up to 20 texts of 1 to 40 characters that stand for no value",
		 "TEXT[\\nTEXT...]",
		 "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":40},\"maxItems\":20}"},
	[OPTION_MERGED] = {"merged", "^s(fill|first)$", 0,
					   "merged: takes fill or first, the rows of a merged range with its value",
					   "fill|first", "{\"type\":\"string\",\"enum\":[\"fill\",\"first\"]}"},
	[OPTION_HEADER_ROWS] = {"headerRows", "^n[123]$", 0,
							"headerRows: takes a number of rows from 1 to 3", "NUMBER",
							"{\"type\":\"integer\",\"minimum\":1,\"maximum\":3}"},
	[OPTION_CRS] =
		{"crs",
		 "(?i)^s((EPSG|ESRI|OGC):[A-Z0-9]{1,20}|urn:ogc:def:crs:(EPSG|ESRI|OGC):[0-9.]{0,10}:[A-Z0-"
		 "9]"
		 "{1,20})$",
		 0, "crs: takes the code of a system of coordinates, such as \"EPSG:22185\"", "CODE",
		 "{\"type\":\"string\",\"examples\":[\"EPSG:4326\",\"EPSG:3857\",\"EPSG:22185\",\"EPSG:"
		 "5347\",\"EPSG:25830\"]}"},
	/* of a workbook that is read whole, the sheet that is shown where none is asked for */
	[OPTION_SHEET] = {"sheet", "^s[^\\x01-\\x1F]{1,100}$", 0,
					  "sheet: takes the name of a sheet, or its number as a text such as \"2\"",
					  "NAME", "{\"type\":\"string\",\"maxLength\":100}"},
	[OPTION_DATA_PATH] = {"dataPath", NULL, 0, NULL, "PATH", NULL},
	[OPTION_TITLE_PATH] = {"titlePath", NULL, 0, NULL, "PATH", NULL},
};

#endif /* PARSE_OPTIONS_H */
