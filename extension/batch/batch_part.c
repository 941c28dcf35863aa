/*
 * batch_part.c
 *	  A part of a batch: its operation, its body, and its references to other parts.
 */
#include "catalogue.h"

#include <ctype.h>

#include "utils/jsonfuncs.h"

#include "base/state_action.h"
#include "batch/batch_internal.h"
#include "query/query.h"

int
cat_batch_part_reference(const char *text, size_t length)
{
	int number = 0;

	if (length < 2 || text[0] != '$')
		return -1;
	for (size_t i = 1; i < length; i++)
	{
		if (!isdigit((unsigned char) text[i]))
			return -1;
		number = Min(number * 10 + (text[i] - '0'), BATCH_PARTS_MAX + 1);
	}
	return number;
}

bool
cat_batch_part_is_doubled(const char *text)
{
	return strncmp(text, "$$", 2) == 0;
}

/* Note what a string in the body of a part refers to. */
static void
note_string(void *state, char *text, int length)
{
	Part *part = state;
	int number = cat_batch_part_reference(text, (size_t) length);

	part->filled |= number >= 0 || cat_batch_part_is_doubled(text);
	if (number >= 0)
		part->named = list_append_unique_int(part->named, number);
}

#define CALL "SELECT r.resource, r.id, r.data, r.ignored, r.meta FROM catalogue."

/* The same calls that single requests make. */
static const Operation operations[] = {
	{"POST", 1, NULL, "create", true, 201, CALL "create($1, $3, $4, $5, $6, $8) r"},
	{"PATCH", 2, NULL, "update", true, 200, CALL "update($1, $2, $3, $4, $5, $6, $7) r"},
	{"PUT", 2, NULL, "update", true, 200, CALL "update($1, $2, $3, $4, $5, $6, $7) r"},
	{"DELETE", 2, NULL, "delete", false, 200, CALL "delete($1, $2, $6, $7, $4, $5) r"},
	{"POST", 3, "restore", NULL, false, 200, CALL "restore($1, $2, $4, $5, $6, $7) r"},
	{"POST", 3, "deactivate", NULL, false, 200, CALL "deactivate($1, $2, $4, $5, $6, $7) r"},
	{"PATCH", 3, NULL, NULL, false, 200, CALL "act($1, $2, $9, $4, $5, $6, $7) r"},
};

static const char *const names[] = {"method", "path", "body", "ifMatch", NULL};

/* Split a path into at most three words; returns their number, 0 if it is not valid. */
static int
split_path(Part *part, const char *path)
{
	int count = 0;

	while (*path == '/' && count < (int) lengthof(part->words))
	{
		size_t length = strcspn(path + 1, "/");

		if (length == 0 || strcspn(path + 1, "%?#") < length)
			return 0;
		part->words[count++] = pnstrdup(path + 1, length);
		path += length + 1;
	}
	return *path == '\0' ? count : 0;
}

static const Operation *
find_operation(const Part *part, const char *method, int words)
{
	for (size_t i = 0; i < lengthof(operations); i++)
	{
		const Operation *operation = &operations[i];

		if (strcmp(operation->method, method) != 0 || operation->words != words)
			continue;
		if (words < 3 || (operation->last ? strcmp(operation->last, part->words[2]) == 0
										  : cat_state_action_is(part->words[2])))
			return operation;
	}
	return NULL;
}

static void
read_operation(Part *part, List *members, List **errors)
{
	const char *method = cat_body_text(members, "method", errors);
	const char *path = cat_body_text(members, "path", errors);

	if (!method || !path)
		return;
	part->operation = find_operation(part, method, split_path(part, path));
	if (!part->operation)
		cat_validation_error_add(errors, "path", "enum", cat_body_member(members, "path"),
								 "is not the path of a creation, change, deletion or action with "
								 "this method");
}

/* A user's own password is changed by a request that counts wrong ones. */
static void
refuse_password(const Member *body, List **errors)
{
	List *members = cat_body_record(body->raw, strlen(body->raw));

	if (cat_body_member(members, "currentPassword"))
		cat_validation_error_add(errors, "currentPassword", "permitted", NULL,
								 "must be sent in a request of its own");
}

static void
read_body(Part *part, List *members, List **errors)
{
	const Member *body = cat_body_member(members, "body");
	bool given = body && body->kind != MEMBER_NULL;

	if (!part->operation)
		return;
	if (given && !part->operation->takes_body)
		cat_validation_error_add(errors, "body", "unknown", NULL, "is not taken by this operation");
	else if (!given && part->operation->takes_body)
		cat_validation_error_add(errors, "body", "required", NULL, "is required");
	else if (given && body->kind != MEMBER_OBJECT)
		cat_validation_error_add(errors, "body", "type", body, "takes an object");
	else if (given)
	{
		refuse_password(body, errors);
		part->body = body->raw;
	}
}

/* Return the state that an entity tag begins with; NULL if it is none. */
static const char *
state_of(const char *tag)
{
	size_t length = 0;

	if (strcmp(tag, "*") == 0)
		return tag;
	if (*tag++ != '"' || *tag == '\0' || tag[strlen(tag) - 1] != '"')
		return NULL;
	while (isalnum((unsigned char) tag[length]))
		length++;
	return length > 0 ? pnstrdup(tag, length) : NULL;
}

static void
read_match(Part *part, List *members, List **errors)
{
	const Member *match = cat_body_member(members, "ifMatch");

	if (!match || match->kind == MEMBER_NULL || !part->operation)
		return;
	if (match->kind == MEMBER_STRING && match->text)
		part->match = state_of(match->text);
	if (!part->match)
		cat_validation_error_add(errors, "ifMatch", "format", match,
								 "takes an entity tag in quotes, or *");
	else if (part->operation->words == 1)
		cat_validation_error_add(errors, "ifMatch", "unknown", NULL, "is not taken by a creation");
}

/* Note references to other parts; add an error for each that is not to an earlier one. */
static void
check_references(Part *part, const char *field, List *numbers, int number, List **errors)
{
	foreach_int(earlier, numbers)
		if (earlier < 1 || earlier >= number)
			cat_validation_error_add(
				errors, field, "reference", NULL,
				psprintf("refers to part %d, which is not an earlier one", earlier));
	part->references = list_concat(part->references, numbers);
}

void
cat_batch_part_read(Part *part, int number, const Member *member, List **errors)
{
	List *members;
	int earlier = -1; /* of the part that the path refers to */

	if (member->kind != MEMBER_OBJECT)
	{
		cat_validation_error_add(errors, "parts", "type", member, "takes objects");
		return;
	}
	members = cat_body_record(member->raw, strlen(member->raw));
	foreach_ptr(const Member, entry, members)
		if (!cat_query_string_is_among(entry->name, names))
			cat_validation_error_add(errors, entry->name, "unknown", NULL, "is not known");
	read_operation(part, members, errors);
	read_body(part, members, errors);
	read_match(part, members, errors);
	if (part->words[1])
		earlier = cat_batch_part_reference(part->words[1], strlen(part->words[1]));
	if (earlier >= 0)
		check_references(part, "path", list_make1_int(earlier), number, errors);
	if (!part->body)
		return;
	iterate_json_values(cstring_to_text(part->body), jtiString, part, note_string);
	check_references(part, "body", part->named, number, errors);
}

void
cat_batch_part_create(Part *part, const char *resource)
{
	part->operation = &operations[0];
	part->words[0] = pstrdup(resource);
}
