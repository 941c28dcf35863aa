/*
 * json.h - JSON read from its beginning to its end, value by value, within limits.
 *
 * The reader of a file asks for the values in the order in which they are written.  Whatever is no
 * JSON ends the reading by parse_refuse().
 */
#ifndef WORKER_JSON_JSON_H
#define WORKER_JSON_JSON_H

#include "sandbox/sandbox.h"

#define JSON_DEPTH 64 /* arrays and objects in one another, at most */

/* What a value is, by its first character; numbers have one of their own. */
typedef enum JsonType
{
	JSON_NULL = 'n',
	JSON_TRUE = 't',
	JSON_FALSE = 'f',
	JSON_NUMBER = '0',
	JSON_STRING = '"',
	JSON_OBJECT = '{',
	JSON_ARRAY = '['
} JsonType;

typedef struct Json Json;

/* Begin to read what reasons call so: a file, an answer.  Nothing there is refused. */
extern Json *json_open(Parse *parse, const char *what);
/* At the beginning: refuse what has the signature of another format. */
extern void json_check_magic(const Json *json);
/*
 * Read a value.  Of an object or an array only the beginning is read: json_member() or
 * json_element() follow until they return false, or json_skip() or json_text().  The text of other
 * values is in parse->cell.
 */
extern JsonType json_value(Json *json);
/* Read the name of the next member into parse->cell; its value follows.  False at the end. */
extern bool json_member(Json *json);
/* Is there another element?  It follows. */
extern bool json_element(Json *json);
/* Read over the rest of a value that has begun. */
extern void json_skip(Json *json, JsonType type);
/* Read a value that has begun into parse->cell, objects and arrays as JSON text. */
extern void json_text(Json *json, JsonType type);
/* Is the text in parse->cell this word? */
extern bool json_is(const Json *json, const char *word);
/* Refuse anything but white space behind the value of the file. */
extern void json_end(Json *json);

#endif
