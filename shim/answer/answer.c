/*
 * answer.c - the answer of a request, until it becomes a response.
 */
#include <sys/socket.h>

#include "answer/answer.h"
#include "database/clients.h"
#include "log/log.h"
#include "metrics/metrics.h"

/* Bytes of a Link field; a longer one is not sent, since the body has the same links. */
#define LINK_MAXIMUM 2048

void
answer_init(Answer *answer)
{
	*answer = (Answer){0};
	buffer_init(&answer->head, ANSWER_MAXIMUM);
	buffer_init(&answer->tail, ANSWER_MAXIMUM);
	buffer_init(&answer->link, LINK_MAXIMUM);
}

void
answer_free(Answer *answer)
{
	buffer_free(&answer->head);
	buffer_free(&answer->tail);
	buffer_free(&answer->link);
}

void
answer_clear(Answer *answer)
{
	Answer kept = {.head = answer->head, .tail = answer->tail, .link = answer->link};

	buffer_clear(&kept.head);
	buffer_clear(&kept.tail);
	buffer_clear(&kept.link);
	*answer = kept;
}

void
answer_status(Request *request, int status)
{
	request->answer.status = status;
	request->answer.code = error_code_of(status);
}

void
answer_field(Request *request, const char *name, const char *value)
{
	AnswerFields *fields = request->answer.fields;

	if (fields == NULL)
		fields = request->answer.fields = arena_zeroed(&request->arena, sizeof(AnswerFields));
	if (fields == NULL || value == NULL || fields->count == ANSWER_FIELDS)
	{
		request->arena.failed = true;
		return;
	}
	fields->field[fields->count].name = name;
	fields->field[fields->count++].value = value;
}
