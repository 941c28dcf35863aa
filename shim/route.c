/*
 * route.c - the one route table: every path, its verbs, the call behind each.
 *
 * The first pattern that matches the path is the path's pattern, whatever the verb; so a reserved
 * word stands before :id, and PATCH /tags/count is a wrong verb and not an unknown tag.
 */
#include <string.h>
#include <strings.h>

#include "shim.h"

static const Route routes[] = {
	{VERB_GET, "/health", CALL_HEALTH, NULL, ENVELOPE_PLAIN, true},
	{VERB_GET, "/roles", CALL_ROLES, NULL, ENVELOPE_PLAIN, false},
	{VERB_POST, "/users/login", CALL_LOGIN, NULL, ENVELOPE_LOGIN, true},
	{VERB_POST, "/users/logout", CALL_LOGOUT, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/users/me", CALL_ITEM, NULL, ENVELOPE_ITEM, false},
	{VERB_GET, "/users/refreshToken/:id", CALL_SESSION, NULL, ENVELOPE_LOGIN, false},

	{VERB_GET, "/search", CALL_SEARCH, NULL, ENVELOPE_SEARCH, false},
	{VERB_GET, "/metrics", CALL_NOT_IMPLEMENTED, NULL, ENVELOPE_NONE, false},
	{VERB_GET, "/metrics/categories", CALL_CATEGORY_DOWNLOADS, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/openapi.json", CALL_NOT_IMPLEMENTED, NULL, ENVELOPE_NONE, false},
	{VERB_GET, "/rss", CALL_NOT_IMPLEMENTED, NULL, ENVELOPE_NONE, false},
	{VERB_GET, "/datasets/feed/rss", CALL_NOT_IMPLEMENTED, NULL, ENVELOPE_NONE, false},
	{VERB_GET, "/datasets/:id/download", CALL_ARCHIVE, NULL, ENVELOPE_BYTES, false},
	{VERB_GET, "/datasets/:id/filetypes", CALL_NOT_IMPLEMENTED, NULL, ENVELOPE_NONE, false},
	{VERB_GET, "/files/:id/contents", CALL_CONTENTS, NULL, ENVELOPE_ROWS, false},
	{VERB_GET, "/files/:id/columns", CALL_COLUMNS, NULL, ENVELOPE_ROWS, false},
	{VERB_GET, "/files/:id/schema", CALL_SCHEMA, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/files/:id/issues", CALL_ISSUES, NULL, ENVELOPE_ROWS, false},
	{VERB_GET, "/files/:id/sheets", CALL_SHEETS, NULL, ENVELOPE_ROWS, false},
	{VERB_GET, "/files/:id/resources", CALL_FILE_RESOURCES, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/files/:id/view", CALL_DOWNLOAD, NULL, ENVELOPE_BYTES, false},
	{VERB_GET, "/files/:id/download", CALL_DOWNLOAD, NULL, ENVELOPE_BYTES, false},
	{VERB_GET, "/files/:id/download/:format", CALL_DOWNLOAD, NULL, ENVELOPE_BYTES, false},
	{VERB_GET, "/categories/:id/image", CALL_IMAGE, NULL, ENVELOPE_BYTES, false},
	{VERB_GET, "/uploads/:id", CALL_UPLOAD_STATE, NULL, ENVELOPE_UPLOAD, false},
	{VERB_PATCH, "/uploads/:id", CALL_UPLOAD_FINISH, NULL, ENVELOPE_WRITTEN, false},
	{VERB_DELETE, "/uploads/:id", CALL_UPLOAD_DROP, NULL, ENVELOPE_UPLOAD, false},
	{VERB_POST, "/jobs/:id/cancel", CALL_CANCEL_JOB, NULL, ENVELOPE_WRITTEN, false},
	{VERB_POST, "/clients/tokens", CALL_CLIENT_TOKEN, NULL, ENVELOPE_TOKEN, true},
	{VERB_POST, "/email/send", CALL_NOT_IMPLEMENTED, NULL, ENVELOPE_NONE, false},

	{VERB_GET, "/:resource/first", CALL_FIRST, "first", ENVELOPE_ITEM, false},
	{VERB_GET, "/:resource/last", CALL_LAST, "last", ENVELOPE_ITEM, false},
	{VERB_GET, "/:resource/search", CALL_LIST, "list", ENVELOPE_LIST, false},
	{VERB_GET, "/:resource/count", CALL_COUNT, "count", ENVELOPE_COUNT, false},
	{VERB_GET, "/:resource/statistics", CALL_USAGE, "usage", ENVELOPE_RELATED, false},

	{VERB_PATCH, "/:resource/:id/review", CALL_ACT, "review", ENVELOPE_WRITTEN, false},
	{VERB_PATCH, "/:resource/:id/cancel", CALL_ACT, "cancel", ENVELOPE_WRITTEN, false},
	{VERB_PATCH, "/:resource/:id/reject", CALL_ACT, "reject", ENVELOPE_WRITTEN, false},
	{VERB_PATCH, "/:resource/:id/publish", CALL_ACT, "publish", ENVELOPE_WRITTEN, false},
	{VERB_PATCH, "/:resource/:id/unpublish", CALL_ACT, "unpublish", ENVELOPE_WRITTEN, false},
	{VERB_POST, "/:resource/:id/restore", CALL_RESTORE, "restore", ENVELOPE_WRITTEN, false},
	{VERB_POST, "/:resource/:id/deactivate", CALL_DEACTIVATE, "deactivate", ENVELOPE_WRITTEN,
	 false},

	{VERB_GET, "/:resource", CALL_LIST, "list", ENVELOPE_LIST, false},
	{VERB_POST, "/:resource", CALL_CREATE, "create", ENVELOPE_CREATED, false},
	{VERB_GET, "/:resource/:id", CALL_ITEM, "item", ENVELOPE_ITEM, false},
	{VERB_PATCH, "/:resource/:id", CALL_UPDATE, "update", ENVELOPE_WRITTEN, false},
	{VERB_PUT, "/:resource/:id", CALL_UPDATE, "update", ENVELOPE_WRITTEN, false},
	{VERB_DELETE, "/:resource/:id", CALL_DELETE, "delete", ENVELOPE_DELETED, false},
	{VERB_GET, "/:resource/:id/versions", CALL_VERSIONS, "item", ENVELOPE_RELATED, false},
	{VERB_GET, "/:resource/:id/:relation", CALL_RELATED, "item", ENVELOPE_RELATED, false},
};

/* Does the path consist of the words of the pattern? */
static bool
matches(const Request *request, const char *pattern)
{
	int word = 0;

	for (const char *c = pattern; *c == '/'; word++)
	{
		const char *given = request->path[word];
		size_t length;

		c++;
		if (word >= request->words || given[0] == '\0')
			return false;
		/* a letter tells nearly all of them apart */
		if (*c != ':' && ((*c ^ given[0]) & ~0x20) != 0)
			return false;
		length = (size_t) (strchrnul(c, '/') - c);
		if (*c != ':' && (strncasecmp(c, given, length) != 0 || given[length] != '\0'))
			return false;
		c += length;
	}
	return word == request->words;
}

void
route_find(Request *request)
{
	request->pattern = NULL;
	if (request->words > SEGMENTS_MAXIMUM)
		return;
	for (size_t i = 0; i < lengthof(routes) && request->pattern == NULL; i++)
		if (matches(request, routes[i].pattern))
			request->pattern = routes[i].pattern;
	request->route = route_for(request, request->verb);
}

const Route *
route_for(const Request *request, Verb verb)
{
	for (size_t i = 0; i < lengthof(routes) && request->pattern != NULL; i++)
		if (routes[i].verb == (verb == VERB_HEAD ? VERB_GET : verb) &&
			strcmp(routes[i].pattern, request->pattern) == 0)
			return &routes[i];
	return NULL;
}

const char *
route_word(const Request *request, const char *name)
{
	const char *c = request->pattern;

	for (int word = 0; c != NULL && *c == '/'; word++)
	{
		size_t length = strcspn(++c, "/");

		if (*c == ':' && strlen(name) == length - 1 && strncmp(c + 1, name, length - 1) == 0)
			return request->path[word];
		c += length;
	}
	return NULL;
}
