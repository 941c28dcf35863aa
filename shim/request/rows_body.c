/*
 * rows_body.c - bodies with a row for each record that is to be made: CSV, and JSON by lines.
 *
 * They become the body of catalogue.batch(), which makes all records or none.  What is wrong with a
 * row as text is found here, what is wrong with its values there.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "answer/answer.h"
#include "request/request.h"

#define ROWS_ENOUGH 1001	 /* more rows than a batch takes: the others are not read */
#define COLUMNS_MAXIMUM 1600 /* as a table of PostgreSQL has at most */
#define MARK "\xEF\xBB\xBF"	 /* of the byte order, as spreadsheets write it */
#define GROWTH 16			 /* how many times as long as the limit of bodies the batch may be */

/* A body that is being converted. */
typedef struct Rows
{
	Request *request;
	Buffer parts;	  /* elements of a JSON array */
	Buffer faults;	  /* likewise */
	const char *path; /* of the parts */
	int count;
	int faulty;
	const char *names[COLUMNS_MAXIMUM]; /* of the columns */
	int columns;
	const char *wrong; /* a column at fault; NULL: none */
	const char *message;
} Rows;

typedef struct RowsType
{
	const char *type;
	void (*read)(Rows *rows, char *text, size_t length);
	const char *members;  /* of the batch, behind its parts */
	const char *handling; /* unless the client prefers another one; NULL: as usual */
} RowsType;

/* Begin the part of a row. */
static void
begin_row(Rows *rows, long line)
{
	if (rows->count++ > 0)
		buffer_text(&rows->parts, ",");
	buffer_format(&rows->parts, "{\"method\":\"POST\",\"line\":%ld,\"path\":", line);
	buffer_json(&rows->parts, rows->path, strlen(rows->path));
	buffer_text(&rows->parts, ",\"body\":");
}

static void
add_fault(Rows *rows, long line, const char *message)
{
	if (rows->faulty++ > 0)
		buffer_text(&rows->faults, ",");
	else
		rows->message = arena_format(&rows->request->arena, "line %ld: %s", line, message);
	buffer_format(&rows->faults,
				  "{\"part\":%d,\"line\":%ld,\"status\":400,\"message\":", rows->count, line);
	buffer_json(&rows->faults, message, strlen(message));
	buffer_text(&rows->faults, ",\"data\":{}}");
}

/* Is it text that PostgreSQL can store? */
static bool
is_text(const char *bytes, size_t length)
{
	return memchr(bytes, '\0', length) == NULL && text_valid_utf8(bytes, length);
}

/* Add a name of the heading; what is wrong with it ends the reading. */
static void
add_name(Rows *rows, const char *cell, size_t length)
{
	const char *name = arena_text(&rows->request->arena, cell, length);

	if (rows->wrong != NULL || name == NULL)
		return;
	rows->wrong = "heading";
	if (rows->columns == COLUMNS_MAXIMUM)
		rows->message = "has too many columns";
	else if (!is_text(cell, length))
		rows->message = "is not valid UTF-8";
	else if (length == 0)
		rows->message = "has a column without a name";
	else
		rows->wrong = NULL;
	for (int i = 0; i < rows->columns && rows->wrong == NULL; i++)
		if (strcmp(rows->names[i], name) == 0)
		{
			rows->wrong = name;
			rows->message = "is the name of two columns";
		}
	if (rows->wrong == NULL)
		rows->names[rows->columns++] = name;
}

static void
read_heading(Rows *rows, CsvReader *reader)
{
	char *cell;
	size_t length;

	if (!csv_record(reader))
		return;
	while (csv_cell(reader, &cell, &length))
		add_name(rows, cell, length);
	if (reader->fault != NULL && rows->wrong == NULL)
	{
		rows->wrong = "heading";
		rows->message = reader->fault;
	}
}

/* Append the cells of a record as members; an empty one gives no value.  Returns the fault, or NULL. */
static const char *
append_cells(Rows *rows, CsvReader *reader)
{
	const char *fault = NULL;
	const char *before = "{";
	char *cell;
	size_t length;
	int column = 0;

	for (; csv_cell(reader, &cell, &length); column++)
	{
		if (column >= rows->columns)
			fault = "the row has more cells than the heading";
		else if (!is_text(cell, length))
			fault = "a cell is not valid UTF-8";
		else if (length > 0)
		{
			buffer_text(&rows->parts, before);
			buffer_json(&rows->parts, rows->names[column], strlen(rows->names[column]));
			buffer_text(&rows->parts, ":");
			buffer_json(&rows->parts, cell, length);
			before = ",";
		}
	}
	buffer_text(&rows->parts, *before == '{' ? "{}" : "}");
	if (reader->fault == NULL && fault == NULL && column < rows->columns)
		fault = "the row has fewer cells than the heading";
	return reader->fault != NULL ? reader->fault : fault;
}

static void
read_csv(Rows *rows, char *text, size_t length)
{
	CsvReader reader;

	csv_open(&reader, text, length);
	read_heading(rows, &reader);
	while (rows->wrong == NULL && rows->count < ROWS_ENOUGH && csv_record(&reader))
	{
		const char *fault;

		begin_row(rows, reader.line);
		fault = append_cells(rows, &reader);
		buffer_text(&rows->parts, "}");
		if (fault != NULL)
			add_fault(rows, reader.line, fault);
	}
}

/* Is the text one JSON object?  PostgreSQL reads it again, within the text of the batch. */
static bool
is_object(const char *text, size_t length)
{
	json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	bool object = json_is_object(value);

	json_decref(value);
	return object;
}

static void
read_ndjson(Rows *rows, char *text, size_t length)
{
	static const char blanks[] = " \t\r";
	const char *end = text + length;
	const char *next;
	long line = 1;

	for (const char *at = text; at < end && rows->count < ROWS_ENOUGH; at = next, line++)
	{
		const char *feed = memchr(at, '\n', (size_t) (end - at));
		size_t bytes = (size_t) ((feed ? feed : end) - at);

		next = feed ? feed + 1 : end;
		if (strspn(at, blanks) >= bytes)
			continue;
		begin_row(rows, line);
		if (is_object(at, bytes))
			buffer_append(&rows->parts, at, bytes);
		else
		{
			buffer_text(&rows->parts, "{}");
			add_fault(rows, line, "the line is not a JSON object");
		}
		buffer_text(&rows->parts, "}");
	}
}

/* Strings of rows are data: none is a reference to another row. */
static const RowsType types[] = {
	{"text/csv", read_csv, ",\"references\":false,\"texts\":true}", "strict"},
	{"application/x-ndjson", read_ndjson, ",\"references\":false}", NULL},
};

/* In place of the route that makes one record. */
static const Route route = {.verb = VERB_POST,
							.pattern = "/:resource",
							.call = CALL_BATCH,
							.action = "create",
							.envelope = ENVELOPE_PLAIN};

const char *
rows_body_types(const Route *made)
{
	return made->call == CALL_CREATE ? "text/csv, application/x-ndjson" : NULL;
}

void
rows_body_choose(Request *request)
{
	const char *list = request->headers[HEADER_CONTENT_TYPE];
	const char *charset = list ? strcasestr(list, "charset=") : NULL;
	Element type;

	if (request->route == NULL || request->route->call != CALL_CREATE || list == NULL ||
		!element_next(&list, &type) || *list != '\0')
		return;
	if (charset != NULL && strncasecmp(charset + strlen("charset="), "utf-8", strlen("utf-8")) != 0)
		return;
	for (size_t i = 0; i < lengthof(types); i++)
		if (element_equals(type.text, type.length, types[i].type))
		{
			request->rows = &types[i];
			request->route = &route;
			request->usual_handling = types[i].handling;
		}
}

/* Answer with the faults that were found. */
static StageResult
refuse(Rows *rows)
{
	Buffer faults;
	StageResult progress;

	buffer_init(&faults, rows->faults.maximum + HEADERS_MAXIMUM);
	if (rows->wrong != NULL)
	{
		buffer_text(&faults, "{");
		buffer_json(&faults, rows->wrong, strlen(rows->wrong));
		buffer_text(&faults, ":[{\"rule\":\"format\",\"message\":");
		buffer_json(&faults, rows->message, strlen(rows->message));
		buffer_text(&faults, "}]}");
		rows->message = "the heading is not valid";
	}
	else
	{
		buffer_text(&faults, "{\"faults\":[");
		buffer_append(&faults, rows->faults.data, rows->faults.length);
		buffer_text(&faults, "]}");
	}
	if (rows->faulty > 1)
		rows->message = arena_format(&rows->request->arena, "%d of %d rows are at fault",
									 rows->faulty, rows->count);
	buffer_append(&faults, "", 1);
	rows->request->arena.failed |= faults.failed;
	progress = error_faults(rows->request, rows->message, faults.failed ? "{}" : faults.data);
	buffer_free(&faults);
	return progress;
}

/* Replace the body by the batch. */
static StageResult
replace_body(Rows *rows)
{
	Request *request = rows->request;
	Buffer batch;

	buffer_init(&batch, rows->parts.maximum + 128);
	buffer_text(&batch, "{\"parts\":[");
	buffer_append(&batch, rows->parts.data, rows->parts.length);
	buffer_text(&batch, "]");
	buffer_text(&batch, request->rows->members);
	buffer_append(&batch, "", 1);
	if (rows->parts.failed || batch.failed)
	{
		buffer_free(&batch);
		return error_set(request, 413, NULL);
	}
	batch.length--;
	buffer_free(&request->body);
	request->body = batch;
	return NEXT;
}

StageResult
rows_body_convert(Request *request)
{
	size_t maximum = (size_t) request->worker->settings->body_limit * GROWTH;
	Rows rows = {.request = request,
				 .path = arena_format(&request->arena, "/%s", request->resource)};
	size_t mark = request->body.length >= 3 && memcmp(request->body.data, MARK, 3) == 0 ? 3 : 0;
	StageResult progress;

	buffer_init(&rows.parts, maximum);
	buffer_init(&rows.faults, maximum);
	if (request->rows == NULL || request->body.failed || rows.path == NULL)
		return NEXT; /* where there is no memory, the call is not made */
	request->rows->read(&rows, request->body.data + mark, request->body.length - mark);
	progress = rows.faulty > 0 || rows.wrong != NULL ? refuse(&rows) : replace_body(&rows);
	buffer_free(&rows.parts);
	buffer_free(&rows.faults);
	return progress;
}
