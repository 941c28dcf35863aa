/*
 * base.h
 *	  Text, ids, literals and JSON text: what needs no database.
 */
#ifndef CATALOGUE_BASE_BASE_H
#define CATALOGUE_BASE_BASE_H

#include "catalogue.h"

/* Append bytes; of a record there are so many pieces that a call for each would be felt. */
static inline void
json_bytes(StringInfo out, const char *bytes, int length)
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

/* The text with accents taken off and special letters spelled in ASCII where that is known. */
extern char *cat_fold_ascii(const char *text, size_t length);
/* The collation that texts are put in order by, the same in every database. */
extern Oid cat_fold_collation(void);
/* Append the text folded for comparison: lower case, no accents. */
extern void cat_fold_append(StringInfo out, const char *text, size_t length);
/* The text folded for comparison.  palloc'd. */
extern char *cat_fold_text(const char *text, size_t length);

/* slug.c */

/* The slug of a name, palloc'd; empty where no character of it is kept.  Runs of white space and
 * hyphens become one hyphen, none at either end. */
extern char *cat_slug_make(const char *name);

/* json_text.c */

/* Append a JSON string; control characters are escaped. */
extern void cat_json_text(StringInfo out, const char *text, size_t length);
/* As cat_json_text(), of a C string. */
extern void cat_json_text_string(StringInfo out, const char *text);
/* Append a member with a text to an object whose end is not written yet; nothing for NULL. */
extern void cat_json_text_member(StringInfo out, const char *name, const char *text);
/* Likewise a member with a List of char *; nothing for NIL. */
extern void cat_json_text_list(StringInfo out, const char *name, List *texts);
/* Append an instant as RFC 3339 in UTC with microseconds, without quotes. */
extern void cat_json_text_timestamp(StringInfo out, TimestampTz instant);
/* An instant as JSON has it, palloc'd. */
extern char *cat_json_text_instant(TimestampTz instant);
/* Replace the line ends in the JSON text that begins at start, which are white space, by spaces. */
extern void cat_json_text_on_one_line(StringInfo out, int start);
/* JSON text without the white space between its parts; palloc'd. */
extern char *cat_json_text_compact(const char *text);

/* literal.c */

/* Whether a text is true or false, as JSON writes them. */
extern bool cat_literal_boolean(const char *text);
/* Whether a text is an integer: digits, with a sign before them or none. */
extern bool cat_literal_integer(const char *text);
/* A number of JSON, of a size that no type turns into a long text. */
extern bool cat_literal_number(const char *text);
/* Whether a text is a date as ISO 8601 writes it: YYYY-MM-DD. */
extern bool cat_literal_date(const char *text);
/* Whether a text is an instant of RFC 3339; seconds, their fraction and the zone (UTC) may be
 * absent. */
extern bool cat_literal_datetime(const char *text);
/* The text of a date or an instant as every session reads it, palloc'd: a date alone is its
 * midnight, and without a zone it is UTC. */
extern char *cat_literal_instant(const char *text);
/* Whether a text is a value of a field of this kind. */
extern bool cat_literal_fits(FieldKind kind, const char *value);
/* The value of a literal of a date or an instant, as timestamptz. */
extern Datum cat_literal_timestamp(const char *text);

/* one_line.c */

/* Whether a field is a text of one line, or an address. */
extern bool cat_one_line_is(const Field *field);
/* Whether there is white space anywhere in a text. */
extern bool cat_one_line_has_space(const char *text);
/* A text without the white space around it: palloc'd, or the text itself where there is none. */
extern const char *cat_one_line_trim(const char *text);
/* Trim the texts of one line of a row, by attribute number less one.  changed: the attributes
 * that a statement writes; NULL for all. */
extern void cat_one_line_trim_row(const Resource *resource, Datum *values, const bool *nulls,
								  const bool *changed);

/* time_pattern.c */

/* What is wrong with a cron pattern, as the end of a sentence about it; NULL if nothing is. */
extern const char *cat_time_pattern_fault(const char *text);

/* address.c */

/* Whether a field has addresses. */
extern bool cat_address_is_field(const Field *field);
/* Whether a text is an address that a client may give: an http: or https: URL with a host. */
extern bool cat_address_is_web(const char *text);
/* Whether such an address names a user before its host. */
extern bool cat_address_has_user(const char *address);

/* text_array.c */

/* An array of texts, none of them null. */
extern Datum cat_text_array_make(Datum *texts, int count);
/* The texts of an array in which none is null, palloc'd. */
extern Datum *cat_text_array_elements(Datum array, int *count);
/* A List of char * as an array. */
extern Datum cat_text_array_of_list(List *list);

/* query_string.c */

/* The parts between the separators, as a List of char *.  A part in double quotes is one part,
 * separators included; "" inside it is one quote.  An empty text has no parts. */
extern List *cat_query_string_split(const char *text, char separator);
/* The first of them: one more than most where there are more, so that they take no more memory. */
extern List *cat_query_string_first(const char *text, char separator, int most);
/* The comma-separated values of a filter; NULL stands for an unquoted null.  An empty part is no
 * value, but an empty text is the empty value, and so is "". */
extern List *cat_query_string_values(const char *text);
/* The text with percent-encoding undone and "+" read as a space, palloc'd.  OD422 where an
 * encoding is cut short, gives a NUL, or is no valid text. */
extern char *cat_query_string_decode(const char *text, size_t length);
/* OD422 for a value that a parameter does not take. */
pg_noreturn extern void cat_query_string_refuse(const char *name, const char *value,
												const char *hint);
/* A hint: "It takes", the words, a List of char *, as many as can be read, and the rest of the
 * sentence without a full stop; palloc'd. */
extern const char *cat_query_string_hint(List *words, const char *rest);
/* Whether a word is in a List of char *. */
extern bool cat_query_string_has_word(List *words, const char *word);
/* A decoded text, decoded once more where all of it is still encoded: some clients encode twice. */
extern char *cat_query_string_decode_again(const char *text);
/* Take the next word off a query, decoded; false at the end. */
extern bool cat_query_string_next(const char **query, char **name, char **value);

#endif /* CATALOGUE_BASE_BASE_H */
