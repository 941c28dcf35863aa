/*
 * redact.c - fuzzing target: targets and bodies in the log contain no secrets.
 *
 * The first line is a target, the rest a body.
 */
#include "../../shim/log/log_redact.c"

#include "fuzz.h"

/* A text that has been redacted once must not change when it is redacted again. */
static void
check_target(const char *target)
{
	Buffer once;
	Buffer twice;

	buffer_init(&once, 1 << 20);
	buffer_init(&twice, 1 << 20);
	log_redact_query(&once, target);
	buffer_append(&once, "", 1);
	if (!once.failed)
	{
		log_redact_query(&twice, once.data);
		MUST_HOLD(twice.length == once.length - 1);
		MUST_HOLD(twice.length == 0 || memcmp(once.data, twice.data, twice.length) == 0);
	}
	buffer_free(&once);
	buffer_free(&twice);
}

/* Whether every secret member, at any depth, is hidden. */
static void
check_hidden(const json_t *value)
{
	const char *name;
	json_t *member;

	for (size_t i = 0; i < json_array_size(value); i++)
		check_hidden(json_array_get(value, i));
	json_object_foreach((json_t *) value, name, member)
	{
		if (is_secret(name, strlen(name)) && !json_is_object(member))
			MUST_HOLD(json_is_null(member) || strcmp(json_string_value(member), HIDDEN) == 0);
		check_hidden(member);
	}
}

void
fuzz_one(char *text, size_t length)
{
	char *body = fuzz_line(text);
	json_t *shown;
	Buffer line;

	check_target(text);
	buffer_init(&line, 1 << 22);
	log_redact_target(&line, text);
	buffer_text(&line, " ");
	line.length = 0;
	append_json(&line, body, (size_t) (text + length - body));
	shown = json_loadb(line.data, line.length, JSON_DECODE_ANY, NULL);
	MUST_HOLD(line.failed || shown != NULL);
	check_hidden(shown);
	json_decref(shown);
	buffer_free(&line);
}
