/*
 * cursor.c
 *	  Cursors of lists: the sort key of a record as base64url values separated by dots.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "common/base64.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "query/query.h"
#include "query/query_internal.h"

/* Represents null; not a character of base64. */
#define NOTHING "~"

static void
exchange(char *text, const char *from, const char *to)
{
	for (; *text; text++)
		for (int i = 0; from[i]; i++)
			if (*text == from[i])
				*text = to[i];
}

static void
append_value(StringInfo out, const char *value)
{
	int length = (int) strlen(value);
	int room = pg_b64_enc_len(length) + 1;
	char *encoded = palloc(room);
	int used = pg_b64_encode((const Base64Byte *) value, length, encoded, room);

	encoded[used] = '\0';
	exchange(encoded, "+/", "-_");
	encoded[strcspn(encoded, "=")] = '\0';
	appendStringInfoString(out, encoded);
}

char *
cat_cursor_encode(Datum values)
{
	StringInfoData out;
	Datum *texts;
	bool *nulls;
	int count;

	initStringInfo(&out);
	deconstruct_array(DatumGetArrayTypeP(values), TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls,
					  &count);
	for (int i = 0; i < count; i++)
	{
		if (i > 0)
			appendStringInfoChar(&out, '.');
		if (nulls[i])
			appendStringInfoString(&out, NOTHING);
		else
			append_value(&out, TextDatumGetCString(texts[i]));
	}
	return out.data;
}

char *
cat_cursor_of(const char *first, const char *second)
{
	Datum values[] = {CStringGetTextDatum(first), CStringGetTextDatum(second)};

	return cat_cursor_encode(cat_text_array_make(values, lengthof(values)));
}

/* Decode one part of a cursor; false if it is not the encoding of a valid text. */
static bool
decode_value(const char *part, char **value)
{
	int length = (int) strlen(part);
	char *padded = psprintf("%s%s", part, &"==="[length % 4 ? length % 4 - 1 : 3]);
	int room = pg_b64_dec_len((int) strlen(padded)) + 1;
	int used;

	*value = NULL;
	if (strcmp(part, NOTHING) == 0)
		return true;
	exchange(padded, "-_", "+/");
	*value = palloc(room);
	used = pg_b64_decode(padded, (int) strlen(padded), (Base64Byte *) *value, room);
	if (used < 0 || memchr(*value, '\0', used))
		return false;
	(*value)[used] = '\0';
	return pg_verifymbstr(*value, used, true);
}

/* Decode a cursor.  Returns a List of char *, NULL for null; NIL if the text is not a cursor. */
List *
cat_cursor_decode(const char *text)
{
	List *values = NIL;
	ListCell *cell;

	foreach(cell, cat_query_string_split(text, '.'))
	{
		char *value;

		if (!decode_value(lfirst(cell), &value))
			return NIL;
		values = lappend(values, value);
	}
	return values;
}
