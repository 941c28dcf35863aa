/*
 * unchanged.c - 304 for a state that was true before, where PostgreSQL says that nothing has
 * changed since.
 *
 * To find out that a record is in the state that the client has costs nearly what the record costs.
 * But with such an answer the extension says in which generation it was given: while that is the
 * present one, the same call with the same arguments would give the same again.  So each thread
 * remembers which states were true in which generation.  A request that names one of them is
 * answered by a call that asks for the generation alone, which all such requests of one turn of the
 * loop share (call_batch.c); it is sent after they have come, so none is answered by an older state.
 *
 * A generation is that of one server process: another one's is never the same.  Only processes
 * behind the shared lanes are heard, since that is where the question goes.  Where the one that a
 * state was seen in has passed, the request goes the usual way at once; where PostgreSQL says so,
 * behind that call.
 *
 * What is remembered is a SHA-256 of the call, its arguments (the actor is one of them) and the
 * state, cut to 16 bytes: who finds two texts with the same has found out nothing, since a request
 * is answered 304 only where it names the state itself.
 */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define SETS 4096
#define WAYS 8		/* states that are looked at: those with the same first bits */
#define PROCESSES 8 /* whose generations are known at once */

/* That a state was true. */
typedef struct Seen
{
	unsigned char question[QUESTION_BYTES];
	uint64_t generation; /* number that it has here; 0: no state */
} Seen;

/* The last generation that a process was heard to be in. */
typedef struct Heard
{
	char word[GENERATION_MAXIMUM + 1]; /* the process, a dot, and what only changes; empty: none */
	uint64_t generation;			   /* its number here: no other one ever has the same */
} Heard;

struct Unchanged
{
	Heard heard[PROCESSES];
	int oldest; /* of them, whose place is the next process's */
	uint64_t last;
	Seen seen[SETS][WAYS];
};

void
unchanged_close(Unchanged *unchanged)
{
	free(unchanged);
}

/* The place of the process that a word is of, as it is now; the oldest one for a new process. */
static Heard *
process_of(Unchanged *unchanged, const char *word)
{
	size_t name = strcspn(word, ".") + 1;

	for (int i = 0; i < PROCESSES; i++)
		if (strncmp(unchanged->heard[i].word, word, name) == 0)
			return &unchanged->heard[i];
	unchanged->oldest = (unchanged->oldest + 1) % PROCESSES;
	return &unchanged->heard[unchanged->oldest];
}

/* Take note of the generation that a process is in: its number, 0 where the word is none. */
static uint64_t
hear(Unchanged *unchanged, const char *word)
{
	Heard *heard;

	if (word == NULL || strlen(word) > GENERATION_MAXIMUM || strchr(word, '.') == NULL)
		return 0;
	heard = process_of(unchanged, word);
	if (strcmp(heard->word, word) != 0)
	{
		memcpy(heard->word, word, strlen(word) + 1);
		heard->generation = ++unchanged->last;
	}
	return heard->generation;
}

/* Is the generation, as far as is known, still one that a process is in? */
static bool
is_present(const Unchanged *unchanged, uint64_t generation)
{
	for (int i = 0; i < PROCESSES; i++)
		if (unchanged->heard[i].generation == generation)
			return true;
	return false;
}

static Seen *
set_of(Unchanged *unchanged, const unsigned char *question)
{
	return unchanged->seen[(question[0] << 8 | question[1]) % SETS];
}

/* The generation that what is asked was seen in, 0 for none. */
static uint64_t
generation_of(Unchanged *unchanged, const unsigned char *question)
{
	const Seen *set = set_of(unchanged, question);

	for (int i = 0; i < WAYS; i++)
		if (set[i].generation != 0 && memcmp(set[i].question, question, QUESTION_BYTES) == 0)
			return set[i].generation;
	return 0;
}

/* Remember what was asked as seen in a generation; what was seen longest ago gives way. */
static void
remember(Unchanged *unchanged, const unsigned char *question, uint64_t generation)
{
	Seen *set = set_of(unchanged, question);
	Seen *place = set;

	for (int i = 0; i < WAYS; i++)
	{
		if (set[i].generation != 0 && memcmp(set[i].question, question, QUESTION_BYTES) == 0)
		{
			place = &set[i];
			break;
		}
		if (set[i].generation < place->generation)
			place = &set[i];
	}
	memcpy(place->question, question, QUESTION_BYTES);
	place->generation = generation;
}

/* Does the request name one state, and nothing else, of an answer as JSON? */
static bool
names_one_state(const Request *request)
{
	return request->format == NULL && request->known != NULL && *request->known != '*' &&
		   strchr(request->known, ',') == NULL && request->headers[HEADER_IF_MATCH] == NULL;
}

/* Take the hash of the request's call and of the state that the client has. */
static bool
take_question(Request *request)
{
	const CallSpec *spec = &call_specs[request->route->call];
	const char *arguments[ARGUMENTS_MAXIMUM];
	Piece pieces[2 * ARGUMENTS_MAXIMUM + 2];
	size_t count = 0;

	call_arguments(request, spec, arguments);
	pieces[count++] = (Piece){spec->function, strlen(spec->function) + 1};
	/* the state that the client has is the argument "known" */
	for (int i = 0; i < spec->count; i++)
	{
		const char *text = arguments[i] ? arguments[i] : "";

		pieces[count++] = (Piece){arguments[i] ? "=" : "-", 1};
		pieces[count++] = (Piece){text, strlen(text) + 1};
	}
	request->questioned = condition_digest(request->worker, pieces, count, request->question,
										   sizeof(request->question));
	return request->questioned;
}

/* The generation has been asked for: what was true in it is true. */
static void
go_on(Request *request)
{
	Unchanged *unchanged = request->worker->unchanged;
	const Call *call = &request->call;
	Reply reply;
	uint64_t generation = 0;

	/* without an answer there is none to the usual call either, and nobody waits twice */
	if (call->outcome != RESULT_ANSWER)
	{
		error_of_call(request);
		return;
	}
	if (reply_of_call(call, &reply))
		generation = hear(unchanged, reply.generation);
	if (generation != 0 && generation == generation_of(unchanged, request->question))
		condition_unchanged(request, &(Reply){.etag = request->known});
	else
		request_call(request);
}

bool
unchanged_start(Request *request)
{
	Unchanged *unchanged = request->worker->unchanged;
	uint64_t generation;

	if (unchanged == NULL || !names_one_state(request) || !take_question(request))
		return false;
	generation = generation_of(unchanged, request->question);
	if (generation == 0 || !is_present(unchanged, generation))
		return false;
	call_start(request, CALL_GENERATION, go_on);
	return true;
}

void
unchanged_note(Request *request, const Reply *reply)
{
	Worker *worker = request->worker;
	uint64_t generation;

	if (reply->generation == NULL || request->call.queue != QUEUE_SHARED ||
		!names_one_state(request) || strcmp(reply->etag, request->known) != 0)
		return;
	/* the memory is asked for when it is needed, and used page by page */
	if (worker->unchanged == NULL)
		worker->unchanged = calloc(1, sizeof(*worker->unchanged));
	if (worker->unchanged == NULL || (!request->questioned && !take_question(request)))
		return;
	generation = hear(worker->unchanged, reply->generation);
	if (generation != 0)
		remember(worker->unchanged, request->question, generation);
}
