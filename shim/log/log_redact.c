/*
 * log_redact.c - what the log shows of requests and answers, without their secrets.
 *
 * A body is written only if it is JSON, because only then is it known which parts are secret.
 */

#include <stdarg.h>

#include <jansson.h>

#include "log/log.h"
#include "net/header.h"

#define HIDDEN "***"
#define SHOWN_MAXIMUM (2 << 20)
#define PARSED_MAXIMUM 65536 /* bytes of a body that is shown: the event loop parses it */

/* What the names of secrets contain. */
static const char *const secrets[] = {"password", "token",		   "secret", "jwt",
									  "apikey",	  "authorization", "cookie", "consumerid"};

static bool
is_secret(const char *name, size_t length)
{
	char copy[64];

	if (length >= sizeof(copy))
		return true;
	memcpy(copy, name, length);
	copy[length] = '\0';
	/* of a config, which may be secret */
	if (strcmp(copy, "value") == 0)
		return true;
	for (size_t i = 0; i < lengthof(secrets); i++)
		if (strcasestr(copy, secrets[i]) != NULL)
			return true;
	return false;
}

/* Is the name of a parameter, which may be percent-coded, that of a secret? */
static bool
is_secret_parameter(const char *name, size_t length)
{
	char copy[192];

	if (length >= sizeof(copy))
		return true;
	length = text_percent_bytes(name, length, copy);
	copy[length] = '\0';
	return is_secret(copy, length) || strcasestr(copy, "key") != NULL;
}

void
log_redact_query(Buffer *text, const char *target)
{
	bool hide = false;

	for (const char *c = target; *c != '\0'; c++)
	{
		if (*c == '&' || (*c == '?' && !hide))
		{
			size_t name = strcspn(c + 1, "=&?");

			hide = is_secret_parameter(c + 1, name);
			buffer_append(text, c, name + 1);
			c += name;
			if (hide)
				buffer_text(text, "=" HIDDEN);
		}
		else if (!hide)
			buffer_append(text, c, 1);
	}
}

void
log_redact_target(Buffer *line, const char *target)
{
	Buffer text;

	buffer_init(&text, SHOWN_MAXIMUM);
	log_redact_query(&text, target);
	if (text.length > 0 && text_valid_utf8(text.data, text.length))
		buffer_json(line, text.data, text.length);
	else
		buffer_text(line, "null");
	buffer_free(&text);
}

/* A text without the secrets of the addresses in it. */
static json_t *
redacted_text(const char *value)
{
	Buffer text;
	json_t *copy;

	buffer_init(&text, SHOWN_MAXIMUM);
	log_redact_query(&text, value);
	copy = json_stringn(text.data ? text.data : "", text.length);
	buffer_free(&text);
	return copy;
}

/* Does the text look like a token?  It begins with an object in base64url. */
static bool
is_token(const char *text)
{
	return text != NULL && strncmp(text, "eyJ", 3) == 0 && strchr(text, '.') != NULL;
}

/* Hide the secret members of an object and of all objects in it. */
static void
hide_members(json_t *value)
{
	const char *name;
	json_t *member;
	void *next;

	for (size_t i = 0; i < json_array_size(value); i++)
		hide_members(json_array_get(value, i));
	json_object_foreach_safe(value, next, name, member)
	{
		if (is_token(json_string_value(member)) ||
			(is_secret(name, strlen(name)) && !json_is_null(member)))
			json_object_set_new(value, name, json_string(HIDDEN));
		else if (json_is_string(member) && strchr(json_string_value(member), '?') != NULL)
			json_object_set_new(value, name, redacted_text(json_string_value(member)));
		else
			hide_members(member);
	}
}

/* Append bytes that are JSON, without secrets; for anything else, and for many bytes, their length. */
static void
append_json(Buffer *text, const char *bytes, size_t length)
{
	json_t *value =
		length > 0 && length <= PARSED_MAXIMUM ? json_loadb(bytes, length, 0, NULL) : NULL;
	char *shown = NULL;

	if (value != NULL)
	{
		hide_members(value);
		shown = json_dumps(value, JSON_COMPACT);
	}
	if (shown != NULL)
		buffer_text(text, shown);
	else
		buffer_format(text, "%zu", length);
	free(shown);
	json_decref(value);
}

void
log_redact_header(void *headers, const char *name, const char *value)
{
	json_object_set_new(headers, name,
						is_secret(name, strlen(name)) || !value ? json_string(HIDDEN)
																: redacted_text(value));
}

void
log_redact_message(Request *request, const char *event, json_t *headers, const char *body,
				   size_t length)
{
	char *shown = json_dumps(headers, JSON_COMPACT);
	Buffer text;

	buffer_init(&text, SHOWN_MAXIMUM);
	buffer_text(&text, "{\"headers\":");
	buffer_text(&text, shown ? shown : "{}");
	buffer_text(&text, ",\"body\":");
	append_json(&text, body, length);
	buffer_text(&text, "}");
	free(shown);
	json_decref(headers);
	log_redact_request(request, LOG_SILLY, event, "%.*s", (int) text.length, text.data);
	buffer_free(&text);
}

void
log_redact_request(Request *request, LogLevel level, const char *event, const char *format, ...)
{
	Log *log = request->thread->settings->log;
	Buffer members;
	va_list arguments;

	request->logged |= level == LOG_ERROR;
	if (!log_wants(log, level))
		return;
	buffer_init(&members, 1 << 20);
	log_member(&members, "ip", proxy_client(request));
	if (request->caller.user != NULL)
		log_member(&members, "user", request->caller.user);
	log_member(&members, "request", request->id);
	log_member(&members, "method", verb_names[request->verb]);
	buffer_text(&members, ",\"target\":");
	log_redact_target(&members, request->target);
	if (request->answer.status != 0)
		buffer_format(&members, ",\"status\":%d,\"code\":\"%s\"", request->answer.status,
					  request->answer.code);
	va_start(arguments, format);
	log_write(log, level, event, &members, format, arguments);
	va_end(arguments);
	buffer_free(&members);
}
