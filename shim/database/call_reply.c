/*
 * call_reply.c - parse a reply of the extension in place, which is packed as one value.
 */
#include <stdlib.h>
#include <string.h>

#include "../../extension/call/reply_columns.h"
#include "database/reply.h"

/* Split off the members, except the data: their texts, NULL if empty. */
static bool
take_members(const char **bytes, size_t *length, const char **members)
{
	for (ReplyColumn column = 0; column < REPLY_COLUMNS; column++)
	{
		const char *end;

		if (column == REPLY_DATA)
			continue;
		end = memchr(*bytes, '\0', *length);
		if (end == NULL)
			return false;
		members[column] = end > *bytes ? *bytes : NULL;
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
	const char *members[REPLY_COLUMNS];
	const char *bytes = row->bytes;
	size_t length = row->length;

	if (!take_members(&bytes, &length, members))
		return false;
	*reply = (Reply){
		.resource = members[REPLY_RESOURCE],
		.id = members[REPLY_ID],
		.relations = members[REPLY_RELATIONS],
		.data = length > 0 ? bytes : NULL,
		.data_length = length,
		.has_count = members[REPLY_COUNT] != NULL,
		.count = number(members[REPLY_COUNT]),
		.limit = number(members[REPLY_LIMIT]),
		.skip = number(members[REPLY_SKIP]),
		.returned = number(members[REPLY_RETURNED]),
		.version = members[REPLY_VERSION],
		.ignored = members[REPLY_IGNORED],
		.etag = members[REPLY_ETAG],
		.next = members[REPLY_NEXT],
		.previous = members[REPLY_PREVIOUS],
		.links = members[REPLY_LINKS],
		.meta = members[REPLY_META],
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
