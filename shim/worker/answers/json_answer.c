/*
 * json_answer.c - an answer in JSON.
 */
#include "answers/answer.h"
#include "answers/answers.h"

/* Add the next value to the tree; of an array or object the beginning. */
static void
add_value(Answer *answer, Json *json)
{
	const Buffer *text = &answer->parse->cell;
	JsonType type = json_value(json);

	answer_check_cell(answer);
	if (type == JSON_OBJECT || type == JSON_ARRAY)
		tree_open(&answer->tree, type);
	else
		tree_value(&answer->tree, type, text->data, text->length);
}

/* Add the next member or element of what is open, or end that. */
static void
add_next(Answer *answer, Json *json)
{
	const Buffer *text = &answer->parse->cell;
	bool named = tree_open_type(&answer->tree) == JSON_OBJECT;

	if (!(named ? json_member(json) : json_element(json)))
	{
		tree_close(&answer->tree);
		return;
	}
	answer_check_cell(answer);
	if (named)
		tree_name(&answer->tree, text->data, text->length);
	add_value(answer, json);
}

void
json_answer_read(Parse *parse)
{
	Answer *answer = answer_begin(parse, false);
	Json *json = json_open(parse, "answer");
	const Tree *tree = &answer->tree;
	Node whole;

	add_value(answer, json);
	while (tree->reason == NULL && tree->depth > 0)
		add_next(answer, json);
	answer_check(answer);
	json_end(json);
	whole = tree_at(tree->values.data);
	if (!tree_is_outer(whole))
		parse_refuse(parse, "the answer has no rows");
	answer_write(answer, whole);
}
