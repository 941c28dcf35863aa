/*
 * dcat.c
 *	  Values of which documents of DCAT are made.
 */
#include "catalogue.h"

#include "catalog/pg_collation.h"
#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "regex/regex.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/formatting.h"
#include "utils/memutils.h"
#include "utils/varlena.h"

#include "documents/dcat_internal.h"
#include "pg/statement.h"

#define ROOM 2		 /* members of a new object: many have no more; a power of two */
#define GROUPS_MAX 8 /* parts of a regular expression */

Json *
cat_dcat_text(const char *text)
{
	Json *value = text ? palloc(sizeof(Json)) : NULL;

	if (text)
		*value =
			(Json){.type = jbvString, .val.string = {(int) strlen(text), unconstify(char *, text)}};
	return value;
}

/* Return the number of a member of an object that is being made, -1 for none. */
static int
find(const Json *object, const char *name)
{
	int length = (int) strlen(name);

	for (int i = 0; i < object->val.object.nPairs; i++)
	{
		const Json *key = &object->val.object.pairs[i].key;

		if (key->val.string.len == length && memcmp(key->val.string.val, name, length) == 0)
			return i;
	}
	return -1;
}

Json *
cat_dcat_get(const Json *object, const char *name)
{
	Json *value = NULL;
	int i;

	if (object && object->type == jbvObject)
	{
		/* a copy, since the members of an object move when it grows */
		i = find(object, name);
		if (i >= 0)
			value = memcpy(palloc(sizeof(Json)), &object->val.object.pairs[i].value, sizeof(Json));
	}
	else if (cat_dcat_is_object(object))
		value =
			getKeyJsonValueFromContainer(object->val.binary.data, name, (int) strlen(name), NULL);
	return value && value->type != jbvNull ? value : NULL;
}

char *
cat_dcat_member(const Json *object, const char *name)
{
	return cat_dcat_string(cat_dcat_get(object, name));
}

void
cat_dcat_append(Json *object, const char *name, const Json *value)
{
	int count = object->val.object.nPairs;
	JsonbPair *pairs = object->val.object.pairs;

	if (!value)
		return;
	/* the room is doubled whenever it is full */
	if (count >= ROOM && (count & (count - 1)) == 0)
		object->val.object.pairs = pairs = repalloc(pairs, sizeof(JsonbPair) * 2 * (Size) count);
	pairs[count] = (JsonbPair){.key = *cat_dcat_text(name), .value = *value};
	object->val.object.nPairs++;
}

void
cat_dcat_set(Json *object, const char *name, const Json *value)
{
	int i = find(object, name);
	JsonbPair *pairs = object->val.object.pairs;

	if (i < 0)
		cat_dcat_append(object, name, value);
	else if (value)
		pairs[i].value = *value;
	else
		pairs[i] = pairs[--object->val.object.nPairs];
}

Json *
cat_dcat_object(const char *name, ...)
{
	Json *object = palloc(sizeof(Json));
	va_list members;

	*object = (Json){.type = jbvObject, .val.object = {0, palloc(sizeof(JsonbPair) * ROOM)}};
	va_start(members, name);
	for (; name; name = va_arg(members, const char *))
		cat_dcat_set(object, name, va_arg(members, Json *));
	va_end(members);
	return object;
}

Json *
cat_dcat_texts(const char *name, ...)
{
	Json *object = cat_dcat_object(NULL);
	va_list members;

	va_start(members, name);
	for (; name; name = va_arg(members, const char *))
		cat_dcat_set(object, name, cat_dcat_text(va_arg(members, const char *)));
	va_end(members);
	return object;
}

Json *
cat_dcat_form(const Json *value, const char *form)
{
	Json *object = cat_dcat_object(NULL);

	foreach_ptr(char, name, cat_query_string_split(form, ' '))
	{
		char *end = strpbrk(name, "=:");
		bool text = *end == '=';

		*end = '\0';
		cat_dcat_set(object, name, text ? cat_dcat_text(end + 1) : cat_dcat_get(value, end + 1));
	}
	return object;
}

Json *
cat_dcat_copy(const Json *object)
{
	Json *copy = cat_dcat_object(NULL);
	JsonbIterator *iterator;
	Json name;
	Json value;

	if (object && object->type == jbvObject)
		for (int i = 0; i < object->val.object.nPairs; i++)
			cat_dcat_append(copy, cat_dcat_string(&object->val.object.pairs[i].key),
							&object->val.object.pairs[i].value);
	if (!cat_dcat_is_object(object) || object->type == jbvObject)
		return copy;
	iterator = JsonbIteratorInit(object->val.binary.data);
	while (JsonbIteratorNext(&iterator, &name, true) != WJB_DONE)
		if (name.type == jbvString && JsonbIteratorNext(&iterator, &value, true) == WJB_VALUE)
			cat_dcat_append(copy, cat_dcat_string(&name), &value);
	return copy;
}

Json *
cat_dcat_add(Json *array, const Json *element)
{
	int count;

	if (!element)
		return array;
	if (!array)
	{
		array = palloc(sizeof(Json));
		*array = (Json){.type = jbvArray, .val.array = {0, palloc(sizeof(Json) * ROOM), false}};
	}
	count = array->val.array.nElems++;
	if (count >= ROOM && (count & (count - 1)) == 0)
		array->val.array.elems = repalloc(array->val.array.elems, sizeof(Json) * 2 * (Size) count);
	array->val.array.elems[count] = *element;
	return array;
}

static int
compare_texts(const ListCell *left, const ListCell *right)
{
	const char *a = lfirst(left);
	const char *b = lfirst(right);

	return varstr_cmp(a, (int) strlen(a), b, (int) strlen(b), DEFAULT_COLLATION_OID);
}

Json *
cat_dcat_distinct(List *texts)
{
	Json *array = NULL;
	const char *last = NULL;

	list_sort(texts, compare_texts);
	foreach_ptr(const char, text, texts)
	{
		if (!last || strcmp(last, text) != 0)
			array = cat_dcat_add(array, cat_dcat_text(text));
		last = text;
	}
	return array;
}

static uint32
hash_text(const void *key, Size size)
{
	const char *text = *(const char *const *) key;

	return string_hash(text, strlen(text) + 1);
}

static int
differ(const void *left, const void *right, Size size)
{
	return strcmp(*(const char *const *) left, *(const char *const *) right);
}

bool
cat_dcat_is_new(HTAB **known, const char *text)
{
	HASHCTL control = {.keysize = sizeof(char *),
					   .entrysize = sizeof(char *),
					   .hash = hash_text,
					   .match = differ,
					   .hcxt = CurrentMemoryContext};
	bool found;

	CHECK_FOR_INTERRUPTS();
	if (!*known)
		*known = hash_create("catalogue texts", 16, &control,
							 HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
	hash_search(*known, &text, HASH_ENTER, &found);
	return !found;
}

bool
cat_dcat_is_object(const Json *value)
{
	return value && (value->type == jbvObject ||
					 (value->type == jbvBinary && JsonContainerIsObject(value->val.binary.data)));
}

Json *
cat_dcat_each(const Json *value, const char *name)
{
	Json *members = NULL;

	foreach_ptr(const Json, one, cat_dcat_elements(value))
		members = cat_dcat_add(members, strpbrk(name, "=:") ? cat_dcat_form(one, name)
															: cat_dcat_get(one, name));
	return members;
}

List *
cat_dcat_elements(const Json *value)
{
	List *elements = NIL;
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	Json element;

	if (!value)
		return NIL;
	if (value->type == jbvArray)
		for (int i = 0; i < value->val.array.nElems; i++)
			elements = lappend(elements, &value->val.array.elems[i]);
	else if (value->type != jbvBinary || cat_dcat_is_object(value))
		elements = list_make1(unconstify(Json *, value));
	else
	{
		iterator = JsonbIteratorInit(value->val.binary.data);
		while ((token = JsonbIteratorNext(&iterator, &element, true)) != WJB_DONE)
			if (token == WJB_ELEM)
				elements = lappend(elements, memcpy(palloc(sizeof(Json)), &element, sizeof(Json)));
	}
	return elements;
}

Json *
cat_dcat_first(const Json *value)
{
	List *elements = cat_dcat_elements(value);

	return elements ? linitial(elements) : NULL;
}

char *
cat_dcat_string(const Json *value)
{
	if (!value || value->type == jbvNull)
		return NULL;
	if (value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	if (value->type == jbvBool)
		return value->val.boolean ? "true" : "false";
	if (value->type == jbvNumeric)
		return DatumGetCString(
			DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	if (value->type == jbvBinary)
		return JsonbToCString(NULL, value->val.binary.data, value->val.binary.len);
	return JsonbToCString(NULL, &cat_dcat_jsonb(unconstify(Json *, value))->root, 0);
}

Json *
cat_dcat_of_jsonb(Jsonb *value)
{
	Json *json = palloc(sizeof(Json));

	if (!JB_ROOT_IS_SCALAR(value) || !JsonbExtractScalar(&value->root, json))
		*json =
			(Json){.type = jbvBinary, .val.binary = {(int) VARSIZE_ANY_EXHDR(value), &value->root}};
	return json;
}

Jsonb *
cat_dcat_jsonb(Json *value)
{
	JsonbParseState *state = NULL;

	if (value->type == jbvObject || value->type == jbvArray)
		value = pushJsonbValue(&state, WJB_VALUE, value);
	return JsonbValueToJsonb(value);
}

bool
cat_dcat_matches(const char *text, const char *pattern, char **groups, int count)
{
	regmatch_t found[GROUPS_MAX + 1];
	int length = (int) strlen(text);

	if (!RE_compile_and_execute(cstring_to_text(pattern), unconstify(char *, text), length,
								REG_ADVANCED | (count == 0 ? REG_NOSUB : 0), DEFAULT_COLLATION_OID,
								count == 0 ? 0 : count + 1, found))
		return false;
	for (int i = 1; i <= count; i++)
	{
		int begin = found[i].rm_so < 0 ? 0 : pg_mbcharcliplen(text, length, (int) found[i].rm_so);
		int end = found[i].rm_so < 0 ? 0 : pg_mbcharcliplen(text, length, (int) found[i].rm_eo);

		groups[i - 1] = found[i].rm_so < 0 ? NULL : pnstrdup(text + begin, (Size) (end - begin));
	}
	return true;
}

Json *
cat_dcat_ask(const char *sql, const char *first, const char *second)
{
	MemoryContext context = CurrentMemoryContext;
	Json *answer = NULL;
	Datum value;
	bool isnull;

	SPI_connect();
	cat_statement_read(sql, text_param(first), text_param(second));
	value = cat_result_datum(1, &isnull);
	if (!isnull)
	{
		MemoryContext former = MemoryContextSwitchTo(context);

		answer = cat_dcat_of_jsonb(DatumGetJsonbPCopy(value));
		MemoryContextSwitchTo(former);
	}
	SPI_finish();
	return answer;
}

Json *
cat_dcat_term(Dcat *dcat, bool labels, const char *vocabulary, const char *word)
{
	MemoryContext former = MemoryContextSwitchTo(GetMemoryChunkContext(dcat));

	if (!dcat->terms[labels])
		dcat->terms[labels] = cat_dcat_ask(
			labels ? "SELECT catalogue.vocabulary_terms(true) WHERE $1 IS NULL AND $2 IS NULL"
				   : "SELECT catalogue.vocabulary_terms(false) WHERE $1 IS NULL AND $2 IS NULL",
			NULL, NULL);
	MemoryContextSwitchTo(former);
	return word ? cat_dcat_get(cat_dcat_get(dcat->terms[labels], vocabulary),
							   str_tolower(word, strlen(word), DEFAULT_COLLATION_OID))
				: NULL;
}

Json *
cat_dcat_term_of(Dcat *dcat, const char *vocabulary, const char *value)
{
	char *rest = cat_dcat_text_trimmed(value, (int) strlen(value));

	if (strncmp(rest, "http", 4) == 0)
		cat_dcat_matches(rest, "^(?:https?://.*[/#](?=.))?(.*)$", &rest, 1);
	return cat_dcat_term(dcat, false, vocabulary, rest);
}
