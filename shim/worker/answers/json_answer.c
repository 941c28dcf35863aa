/*
 * json_answer.c - an answer in JSON.
 */
#include <string.h>

#include "answers/answers.h"

void
json_answer_read(Parse *parse)
{
	Answer *answer = answer_begin(parse);
	const char *bytes = answer->bytes.data;
	size_t length = answer->bytes.length;
	json_error_t fault;

	if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
	{
		bytes += 3;
		length -= 3;
	}
	answer->tree = json_loadb(bytes, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, &fault);
	/* jansson has no line where it has no memory */
	if (answer->tree == NULL && fault.line < 0)
		answer_without_memory(parse);
	if (answer->tree == NULL)
		parse_refuse(parse, "the answer is no JSON: fault in line %d", fault.line);
	if (!json_is_object(answer->tree) && !json_is_array(answer->tree))
		parse_refuse(parse, "the answer has no rows");
	buffer_free(&answer->bytes);
	answer_write(parse, answer->tree);
}
