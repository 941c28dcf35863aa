/*
 * base.h
 *	  Text, ids, literals and JSON text: what needs no database.
 *	  Decisions: docs/explanation/decisions.md#extensionbase
 */
#ifndef CATALOGUE_BASE_BASE_H
#define CATALOGUE_BASE_BASE_H

#include "catalogue.h"

/* Append bytes; of a record there are so many pieces that a call for each would be felt. */
static inline void
cat_json_text_bytes(StringInfo out, const char *bytes, int length)
{
	if (length >= out->maxlen - out->len)
		enlargeStringInfo(out, length);
	memcpy(out->data + out->len, bytes, length);
	out->len += length;
	out->data[out->len] = '\0';
}

/* id.c */

/* Write a new identifier and its terminating zero into id (ID_LENGTH + 1 bytes). */
extern void cat_id_generate(char *id);

/* fold.c */

/* Return the collation for sorting text, which is the same in every database. */
extern Oid cat_fold_collation(void);
/* Append a text folded for comparison: lower case, no accents. */
extern void cat_fold_append(StringInfo out, const char *text, size_t length);
/* Return a text folded for comparison, palloc'd. */
extern char *cat_fold_text(const char *text, size_t length);
/* Return the slug of a name, palloc'd; empty if no character remains. */
extern char *cat_fold_slug(const char *name);

/* compose.c */

/* Return a text in Unicode's normalization form C: palloc'd, or the text itself. */
extern const char *cat_compose_text(const char *text);

/* json_text.c */

/* Append a JSON string; control characters are escaped. */
extern void cat_json_text(StringInfo out, const char *text, size_t length);
/* As cat_json_text(), of a C string. */
extern void cat_json_text_string(StringInfo out, const char *text);
/* Return a JSON string, null for NULL; palloc'd. */
extern char *cat_json_quoted(const char *text);
/* Return a JSON array of the strings in a List of char *, palloc'd. */
extern char *cat_json_array(List *texts);
/* Append a member with a text to an object whose end is not written yet; nothing for NULL. */
extern void cat_json_text_member(StringInfo out, const char *name, const char *text);
/* Likewise a member with a List of char *; nothing for NIL. */
extern void cat_json_text_list(StringInfo out, const char *name, List *texts);
/* Append a timestamp in RFC 3339 format, UTC with microseconds, without quotes. */
extern void cat_json_text_timestamp(StringInfo out, TimestampTz instant);
/* Return a timestamp in the format of JSON, palloc'd. */
extern char *cat_json_text_instant(TimestampTz instant);
/* Return JSON text without insignificant white space, palloc'd. */
extern char *cat_json_text_compact(const char *text);

/* time_pattern.c */

/* What is wrong with a cron pattern, as the end of a sentence about it; NULL if nothing is. */
extern const char *cat_time_pattern_fault(const char *text);

/* query_string.c */

/* Return the parts of a text between separators: List of char *.  A part in double quotes may
 * contain separators; "" inside it stands for one quote.  An empty text has no parts. */
extern List *cat_query_string_split(const char *text, char separator);
/* Return the first parts of a text: one more than the maximum where it has more. */
extern List *cat_query_string_first(const char *text, char separator, int most);
/* Return the comma-separated values of a filter: List of char *, NULL for an unquoted null.  An
 * empty part is skipped unless it is quoted; an empty text is one empty value. */
extern List *cat_query_string_values(const char *text);
/* Decode percent-encoding, and "+" as a space; palloc'd.  Raises OD422 for an incomplete
 * encoding, an encoded NUL, or invalid text. */
extern char *cat_query_string_decode(const char *text, size_t length);
/* OD422 for a value that a parameter does not take. */
pg_noreturn extern void cat_query_string_refuse(const char *name, const char *value,
												const char *hint);
/* Return a hint with the words that a parameter takes, palloc'd: "It takes a, b, c" and the rest
 * of the sentence; not more words than can be read. */
extern const char *cat_query_string_hint(List *words, const char *rest);
/* Return whether a List of char * contains a word. */
extern bool cat_query_string_has_word(List *words, const char *word);
/* Return whether a word is in an array that ends with NULL. */
extern bool cat_query_string_is_among(const char *word, const char *const *words);
/* Return the words of an array that ends with NULL: List of char *. */
extern List *cat_query_string_words(const char *const *words);
/* Return whether a query string has a parameter of that name. */
extern bool cat_query_string_has(const char *query, const char *parameter);
/* Decode a text a second time if possible, since some clients encode twice; palloc'd. "+" is
 * unchanged.  A text with an invalid encoding, or whose decoding is not valid text, is returned
 * unchanged. */
extern char *cat_query_string_decode_again(const char *text);
/* Read the next parameter of a query string, decoded; false at the end. */
extern bool cat_query_string_next(const char **query, char **name, char **value);

/* one_line.c */

/* Return whether the texts of a field are trimmed; passwords and secrets are not. */
extern bool cat_one_line_is(const Field *field);
extern bool cat_one_line_has_space(const char *text);
/* Return a text without leading and trailing white space: palloc'd, or a pointer into the text. */
extern const char *cat_one_line_trim(const char *text);
/* Return a text as a field stores it: names composed, single lines trimmed. */
extern const char *cat_one_line_stored(const Field *field, const char *text);

/* web_address.c */

/* Return whether a text is an address that clients may store: http: or https: with a host. */
extern bool cat_web_address_is(const char *text);
/* Return whether an address for which cat_web_address_is() is true names a user before its host. */
extern bool cat_web_address_has_user(const char *address);

/* literal.c */

/* Whether a text is true or false, as JSON writes them. */
extern bool cat_literal_boolean(const char *text);
/* Whether a text is an integer: digits, with a sign before them or none. */
extern bool cat_literal_integer(const char *text);
/* Return whether a text is a JSON number, of a magnitude that no type converts to a long text. */
extern bool cat_literal_number(const char *text);
/* Whether a text is a date as ISO 8601 writes it: YYYY-MM-DD. */
extern bool cat_literal_date(const char *text);
/* Return whether a text is a timestamp of RFC 3339; seconds, fraction and time zone are optional. */
extern bool cat_literal_datetime(const char *text);
/* Return a date or timestamp as text that does not depend on session settings, palloc'd.  A date
 * stands for midnight; without a time zone it is UTC. */
extern char *cat_literal_instant(const char *text);
/* Return whether a text has the syntax of a field kind. */
extern bool cat_literal_fits(FieldKind kind, const char *value);
/* Convert a date or timestamp literal to timestamptz. */
extern Datum cat_literal_timestamp(const char *text);

/* text_array.c */
/* Return an array of texts, none of which is null. */
extern Datum cat_text_array_make(Datum *texts, int count);
/* Return the texts of an array without nulls, palloc'd. */
extern Datum *cat_text_array_elements(Datum array, int *count);
/* Return the texts of an array without nulls as a List of char *. */
extern List *cat_text_array_list(Datum array);
/* Return a List of char * as an array. */
extern Datum cat_text_array_of_list(List *list);

#endif /* CATALOGUE_BASE_BASE_H */
