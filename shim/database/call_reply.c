/*
 * call_reply.c - parse a reply of the extension in place, which is packed as one value.
 */
#include <stdlib.h>
#include <string.h>

#include "database/reply.h"

/* The members of a reply in the order of catalogue.packed(); the data follow. */
typedef enum Member
{
	MEMBER_RESOURCE,
	MEMBER_ID,
	MEMBER_RELATIONS,
	MEMBER_COUNT,
	MEMBER_LIMIT,
	MEMBER_SKIP,
	MEMBER_RETURNED,
	MEMBER_VERSION,
	MEMBER_IGNORED,
	MEMBER_ETAG,
	MEMBER_NEXT,
	MEMBER_PREVIOUS,
	MEMBER_WAYS,
	MEMBERS
} Member;

/* Split off the members: their texts, NULL if empty. */
static bool
take_members(const char **bytes, size_t *length, const char **members)
{
	for (Member member = 0; member < MEMBERS; member++)
	{
		const char *end = memchr(*bytes, '\0', *length);

		if (end == NULL)
			return false;
		members[member] = end > *bytes ? *bytes : NULL;
		*length -= (size_t) (end + 1 - *bytes);
		*bytes = end + 1;
	}
	return true;
}

static int64_t
number(const char *text)
{
	return text != NULL ? strtoll(text, NULL, 10) : 0;
}

/* Read a packed reply; false if it is malformed. */
static bool
read_packed(const CallRow *row, Reply *reply)
{
	const char *members[MEMBERS];
	const char *bytes = row->bytes;
	size_t length = row->length;

	if (!take_members(&bytes, &length, members))
		return false;
	*reply = (Reply){
		.resource = members[MEMBER_RESOURCE],
		.id = members[MEMBER_ID],
		.relations = members[MEMBER_RELATIONS],
		.data = length > 0 ? bytes : NULL,
		.data_length = length,
		.has_count = members[MEMBER_COUNT] != NULL,
		.count = number(members[MEMBER_COUNT]),
		.limit = number(members[MEMBER_LIMIT]),
		.skip = number(members[MEMBER_SKIP]),
		.returned = number(members[MEMBER_RETURNED]),
		.version = members[MEMBER_VERSION],
		.ignored = members[MEMBER_IGNORED],
		.etag = members[MEMBER_ETAG],
		.next = members[MEMBER_NEXT],
		.previous = members[MEMBER_PREVIOUS],
		.ways = members[MEMBER_WAYS],
	};
	return true;
}

bool
reply_of_result(const PGresult *result, Reply *reply)
{
	CallRow row;

	return call_value(result, &row) && read_packed(&row, reply);
}

bool
reply_of_call(const Call *call, Reply *reply)
{
	CallRow row;

	return call_row(call, &row) && row.state == NULL && read_packed(&row, reply);
}
