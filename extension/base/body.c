/*
 * body.c
 *	  JSON body of a request, as a list of members.
 *
 * The parser is PostgreSQL's.  Values are kept as text: they are converted neither to numbers nor
 * to a tree whose size a client could inflate.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "common/jsonapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/hsearch.h"

#include "base/base.h"
#include "base/body.h"

#define BODY_HINT "It takes a JSON object, such as {\"name\": \"Water\"}."

#define DEPTH_MAX 32
#define MEMBERS_MAX 2000 /* of a body whose members are fields */

typedef struct NameKey
{
	uint64 object;
	uint64 hash;
} NameKey;

typedef struct Reader
{
	JsonLexContext *lex; /* while it parses */
	const char *fault;	 /* token at which it has stopped */
	List *members;
	Member *open;	   /* member of the outermost object that is being read */
	const char *start; /* of its JSON text */
	bool elements;	   /* the outermost value is an array, and its elements are returned */
	int most;		   /* of these; those after the first one too many are left out; 0: all */
	HTAB *names;	   /* of NameKey: names of members by object; NULL: none so far */
	List *objects;	   /* of int: numbers of the open objects */
	int count;		   /* number of objects so far */
	int depth;
} Reader;

static void
go_deeper(Reader *reader)
{
	if (++reader->depth > DEPTH_MAX)
		ereport(ERROR, (errcode(OD400), errmsg("the body is nested too deeply"),
						errhint("At most %d levels are taken.", DEPTH_MAX)));
}

static JsonActionResult
on_object_start(void *state)
{
	Reader *reader = state;

	go_deeper(reader);
	reader->objects = lappend_int(reader->objects, ++reader->count);
	JSON_ACTION_DONE;
}

static JsonActionResult
on_object_end(void *state)
{
	Reader *reader = state;

	reader->depth--;
	reader->objects = list_delete_last(reader->objects);
	JSON_ACTION_DONE;
}

static JsonActionResult
on_array_start(void *state)
{
	go_deeper(state);
	JSON_ACTION_DONE;
}

static JsonActionResult
on_array_end(void *state)
{
	((Reader *) state)->depth--;
	JSON_ACTION_DONE;
}

static HTAB *
names_table(void)
{
	HASHCTL control = {
		.keysize = sizeof(NameKey), .entrysize = sizeof(NameKey), .hcxt = CurrentMemoryContext};

	return hash_create("catalogue body", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
refuse_duplicate(Reader *reader, const char *name)
{
	NameKey key;
	bool found;

	if (!reader->names)
		reader->names = names_table();
	memset(&key, 0, sizeof(key));
	key.object = llast_int(reader->objects);
	key.hash = hash_bytes_extended((const unsigned char *) name, (int) strlen(name), 0);
	hash_search(reader->names, &key, HASH_ENTER, &found);
	if (found)
		ereport(ERROR, (errcode(OD400), errmsg("the body has the member \"%s\" twice", name)));
}

static MemberKind
kind_of(JsonTokenType token)
{
	switch (token)
	{
		case JSON_TOKEN_STRING:
			return MEMBER_STRING;
		case JSON_TOKEN_NUMBER:
			return MEMBER_NUMBER;
		case JSON_TOKEN_TRUE:
		case JSON_TOKEN_FALSE:
			return MEMBER_BOOLEAN;
		case JSON_TOKEN_ARRAY_START:
			return MEMBER_ARRAY;
		case JSON_TOKEN_OBJECT_START:
			return MEMBER_OBJECT;
		default:
			return MEMBER_NULL;
	}
}

static void
open_member(Reader *reader, char *name)
{
	if (reader->most > 0 && list_length(reader->members) > reader->most)
		return;
	reader->open = palloc0(sizeof(Member));
	reader->open->name = name;
	reader->open->kind = kind_of(reader->lex->token_type);
	reader->start = reader->lex->token_start;
}

static void
close_member(Reader *reader)
{
	if (!reader->open)
		return;
	reader->open->raw = pnstrdup(reader->start, reader->lex->prev_token_terminator - reader->start);
	reader->members = lappend(reader->members, reader->open);
	reader->open = NULL;
}

static JsonActionResult
on_field_start(void *state, char *name, bool isnull)
{
	Reader *reader = state;

	CHECK_FOR_INTERRUPTS();
	refuse_duplicate(reader, name);
	if (reader->depth == 1 && !reader->elements)
		open_member(reader, name);
	JSON_ACTION_DONE;
}

static JsonActionResult
on_field_end(void *state, char *name, bool isnull)
{
	Reader *reader = state;

	if (reader->depth == 1 && !reader->elements)
		close_member(reader);
	JSON_ACTION_DONE;
}

static JsonActionResult
on_element_start(void *state, bool isnull)
{
	Reader *reader = state;

	CHECK_FOR_INTERRUPTS();
	if (reader->depth == 1 && reader->elements)
		open_member(reader, NULL);
	JSON_ACTION_DONE;
}

static JsonActionResult
on_element_end(void *state, bool isnull)
{
	Reader *reader = state;

	if (reader->depth == 1 && reader->elements)
		close_member(reader);
	JSON_ACTION_DONE;
}

static JsonActionResult
on_scalar(void *state, char *token, JsonTokenType type)
{
	Reader *reader = state;

	if (reader->depth == 1 && reader->open)
		reader->open->text = token;
	JSON_ACTION_DONE;
}

/* Return the name before a value of the outermost object, NULL if it has escapes. */
static char *
name_before(const char *json, const char *value)
{
	const char *end;
	const char *p = value;

	while (p > json && strchr(" \t\r\n:", p[-1]))
		p--;
	if (p == value || p == json || *--p != '"')
		return NULL;
	for (end = p; p > json && p[-1] != '"'; p--)
		if (p[-1] == '\\')
			return NULL;
	return pnstrdup(p, end - p);
}

/* Raise OD400 for a string that cannot be decoded: it contains NUL or half of a surrogate pair. */
pg_noreturn static void
refuse_text(const Reader *reader, const char *json)
{
	List *errors = NIL;
	const char *name =
		reader->open && reader->open->name ? reader->open->name : name_before(json, reader->fault);

	if (!name)
		ereport(ERROR, (errcode(OD400), errmsg("the body has a character that cannot be stored")));
	cat_validation_error_add(&errors, name, "format", NULL,
							 "has a character that cannot be stored");
	cat_validation_error_raise(errors, OD400, NULL);
}

/* What the parser has for itself takes more memory than a short text, and is freed. */
static JsonParseErrorType
parse(Reader *reader, const char *json, size_t length)
{
	JsonParseErrorType volatile result = JSON_SUCCESS;
	JsonSemAction actions = {.semstate = reader,
							 .object_start = on_object_start,
							 .object_end = on_object_end,
							 .array_start = on_array_start,
							 .array_end = on_array_end,
							 .object_field_start = on_field_start,
							 .object_field_end = on_field_end,
							 .array_element_start = on_element_start,
							 .array_element_end = on_element_end,
							 .scalar = on_scalar};

	reader->lex = compat_json_lexer(json, length);
	PG_TRY();
	{
		result = pg_parse_json(reader->lex, &actions);
	}
	PG_FINALLY();
	{
		reader->fault = reader->lex->token_start;
		compat_json_lexer_free(reader->lex);
		if (reader->names)
			hash_destroy(reader->names);
	}
	PG_END_TRY();
	return result;
}

static void
read_all(Reader *reader, const char *json, size_t length)
{
	switch (parse(reader, json, length))
	{
		case JSON_SUCCESS:
			return;
		case JSON_UNICODE_CODE_POINT_ZERO:
		case JSON_UNICODE_HIGH_SURROGATE:
		case JSON_UNICODE_LOW_SURROGATE:
			CASE_JSON_UNTRANSLATABLE
		case JSON_UNICODE_HIGH_ESCAPE:
			refuse_text(reader, json);
		default:
			ereport(ERROR, (errcode(OD400), errmsg("malformed JSON")));
	}
}

static char
first_character(const char *json, size_t length)
{
	size_t i = 0;

	while (i < length && strchr(" \t\r\n", json[i]))
		i++;
	return i < length ? json[i] : '\0';
}

List *
cat_body_members(const char *json, size_t length)
{
	Reader reader = {0};

	if (first_character(json, length) != '{')
		ereport(ERROR,
				(errcode(OD400), errmsg("the body is not a JSON object"), errhint(BODY_HINT)));
	read_all(&reader, json, length);
	return reader.members;
}

List *
cat_body_record(const char *json, size_t length)
{
	List *members = cat_body_members(json, length);

	cat_body_limit(list_length(members));
	return members;
}

void
cat_body_limit(int members)
{
	if (members > MEMBERS_MAX)
		ereport(ERROR, (errcode(OD400), errmsg("the body has %d members", members),
						errhint("At most %d members are taken.", MEMBERS_MAX)));
}

List *
cat_body_argument(FunctionCallInfo fcinfo, int number)
{
	text *body;

	if (PG_ARGISNULL(number))
		ereport(ERROR, (errcode(OD400), errmsg("a body is needed"), errhint(BODY_HINT)));
	body = PG_GETARG_TEXT_PP(number);
	return cat_body_record(VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body));
}

List *
cat_body_optional(FunctionCallInfo fcinfo, int number)
{
	text *object;

	if (PG_ARGISNULL(number))
		return NIL;
	object = PG_GETARG_TEXT_PP(number);
	return cat_body_members(VARDATA_ANY(object), VARSIZE_ANY_EXHDR(object));
}

char *
cat_body_text(List *members, const char *name, List **errors)
{
	Member *member = cat_body_member(members, name);

	if (!member || member->kind == MEMBER_NULL || (member->text && member->text[0] == '\0'))
		cat_validation_error_add(errors, name, "required", NULL, "is required");
	else if (member->kind != MEMBER_STRING)
		cat_validation_error_add(errors, name, "type", NULL, "takes a string");
	else
		return member->text;
	return NULL;
}

List *
cat_body_first_elements(const char *json, int most)
{
	Reader reader = {.elements = true, .most = most};

	read_all(&reader, json, strlen(json));
	return reader.members;
}

Member *
cat_body_value(const char *text)
{
	Reader reader = {.elements = true};
	char *json = psprintf("[%s]", text);

	if (parse(&reader, json, strlen(json)) != JSON_SUCCESS || list_length(reader.members) != 1)
		return NULL;
	return linitial(reader.members);
}

Member *
cat_body_member(List *members, const char *name)
{
	foreach_ptr(Member, member, members)
		if (strcmp(member->name, name) == 0)
			return member;
	return NULL;
}

Member *
cat_body_value_if(const char *text, size_t length)
{
	Member *volatile value = NULL;
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		value = cat_body_value(pnstrdup(text, length));
	}
	PG_CATCH();
	{
		int code;

		MemoryContextSwitchTo(context);
		code = geterrcode();
		if (code != OD400)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	return value;
}
