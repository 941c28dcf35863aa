/*
 * batch_rows.c
 *	  SQL function create_rows: a record for each row of CSV, or of JSON by lines, or none.
 *
 * All rows are looked at before the first record is made, so that all that cannot be read are
 * reported.  Only the offset of each is kept: a row is read again when its record is made, so that no
 * more memory is needed than for one row, and the names of the heading are not repeated.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "base/byte_order_mark.h"
#include "batch/batch_internal.h"
#include "query/query.h"
#include "registry/registry.h"
#include "write/write.h"

/*
 * ---- Records of a CSV text (RFC 4180) ----
 *
 * What the RFC does not allow is a fault, since a record that was guessed would be stored.  For
 * files there is another reader in the worker, which keeps whatever a file has, and reports it.
 */

/* Begin to read a text, in which lines are counted from one on. */
static void
csv_reader_open(CsvReader *reader, const char *text, size_t length, int line)
{
	*reader = (CsvReader){.at = text, .end = text + length, .next_line = line};
	initStringInfo(&reader->cell);
}

/* Return whether the line, or the text, ends here. */
static bool
ends_line(const CsvReader *reader)
{
	return reader->at == reader->end || *reader->at == '\n' || *reader->at == '\r';
}

/* Pass the end of a line. */
static void
pass_line(CsvReader *reader)
{
	if (reader->at < reader->end && *reader->at == '\r')
		reader->at++;
	if (reader->at < reader->end && *reader->at == '\n')
		reader->at++;
	reader->next_line++;
}

/* Go on to the next record, past empty lines; false at the end. */
static bool
csv_reader_record(CsvReader *reader)
{
	CHECK_FOR_INTERRUPTS();
	while (reader->at < reader->end && ends_line(reader))
		pass_line(reader);
	reader->line = reader->next_line;
	reader->fault = NULL;
	reader->open = reader->at < reader->end;
	return reader->open;
}

/* Go on behind the line of a fault. */
static bool
give_up(CsvReader *reader, const char *fault)
{
	reader->fault = fault;
	reader->open = false;
	while (!ends_line(reader))
		reader->at++;
	pass_line(reader);
	return false;
}

/* Append the text before a position to the cell, and go on to that position. */
static void
take_until(CsvReader *reader, const char *end)
{
	const char *from = reader->at;

	for (; reader->at < end; reader->at++)
		reader->next_line += *reader->at == '\n';
	appendBinaryStringInfo(&reader->cell, from, (int) (end - from));
}

static bool
read_quoted(CsvReader *reader)
{
	for (;;)
	{
		const char *quote =
			++reader->at < reader->end ? memchr(reader->at, '"', reader->end - reader->at) : NULL;

		take_until(reader, quote ? quote : reader->end);
		if (!quote)
			return give_up(reader, "a quote is not closed");
		if (++reader->at == reader->end || *reader->at != '"')
			break;
		appendStringInfoChar(&reader->cell, '"');
	}
	return ends_line(reader) || *reader->at == ',' ||
		   give_up(reader, "a cell has text behind its closing quote");
}

static bool
read_plain(CsvReader *reader)
{
	const char *from = reader->at;

	for (; !ends_line(reader) && *reader->at != ','; reader->at++)
		if (*reader->at == '"')
			return give_up(reader, "a cell has a quote and does not begin with it");
	appendBinaryStringInfo(&reader->cell, from, (int) (reader->at - from));
	return true;
}

/* Read the next cell of the record; false behind the last one, and at a fault. */
static bool
csv_reader_cell(CsvReader *reader)
{
	if (!reader->open)
		return false;
	resetStringInfo(&reader->cell);
	if (!(reader->at < reader->end && *reader->at == '"' ? read_quoted(reader)
														 : read_plain(reader)))
		return false;
	if (reader->at < reader->end && *reader->at == ',')
	{
		reader->at++;
		return true;
	}
	pass_line(reader);
	reader->open = false;
	return true;
}

#define COLUMNS_MAX 1600 /* as a table of PostgreSQL has at most */

typedef struct BodyRows
{
	Resource *resource;
	AccessLevel access;
	bool csv;
	const char *names[COLUMNS_MAX]; /* of the columns; NULL: it means nothing for the resource */
	int columns;
	List *ignored; /* of char *: names that mean nothing */
	List *errors;  /* in the heading, or in the number of rows */
} BodyRows;

static void
refuse(BodyRows *rows, const char *field, const char *message)
{
	cat_validation_error_add(&rows->errors, field, "format", NULL, message);
}

/* Whether a column before has the name. */
static bool
is_taken(const BodyRows *rows, const char *name)
{
	for (int i = 0; i < rows->columns; i++)
		if (rows->names[i] && strcmp(rows->names[i], name) == 0)
			return true;
	return false;
}

/* Add a name of the heading, or what is wrong with it. */
static void
add_name(BodyRows *rows, const Actor *actor, const char *name, List **unknown)
{
	if (rows->columns == COLUMNS_MAX)
		refuse(rows, "heading", "has too many columns");
	else if (*name == '\0')
		refuse(rows, "heading", "has a column without a name");
	else if (is_taken(rows, name))
		refuse(rows, name, "is the name of two columns");
	else if (cat_new_record_knows(rows->resource, name, actor))
		rows->names[rows->columns++] = pstrdup(name);
	else
	{
		Member *member = palloc0(sizeof(Member));

		member->name = pstrdup(name);
		*unknown = lappend(*unknown, member);
		rows->columns++;
	}
}

/* Read the names of the columns. */
static void
read_heading(BodyRows *rows, const Actor *actor, CsvReader *reader)
{
	List *unknown = NIL;

	if (!csv_reader_record(reader))
		return;
	while (rows->errors == NIL && csv_reader_cell(reader))
		add_name(rows, actor, reader->cell.data, &unknown);
	if (reader->fault)
		refuse(rows, "heading", reader->fault);
	if (rows->errors == NIL)
		rows->ignored = cat_new_record_unknown(rows->resource, actor, unknown, &rows->errors);
}

/* Return a cell as a member of a body. */
static Member *
member_of(const char *name, const StringInfoData *cell)
{
	Member *member = palloc0(sizeof(Member));
	StringInfo raw = makeStringInfo();

	cat_json_text(raw, cell->data, cell->len);
	member->name = pstrdup(name);
	member->kind = MEMBER_STRING;
	member->text = pnstrdup(cell->data, cell->len);
	member->raw = raw->data;
	return member;
}

/* Read a record, and the cells that give a value, List of Member *, unless members is NULL.  Returns
 * the fault, NULL for none. */
static const char *
read_record(const BodyRows *rows, CsvReader *reader, List **members)
{
	int column = 0;

	for (; csv_reader_cell(reader); column++)
		if (members && column < rows->columns && rows->names[column] && reader->cell.len > 0)
			*members = lappend(*members, member_of(rows->names[column], &reader->cell));
	return reader->fault			? reader->fault
		   : column > rows->columns ? "the row has more cells than the heading"
		   : column < rows->columns ? "the row has fewer cells than the heading"
									: NULL;
}

char *
cat_batch_rows_body(const BodyRows *rows, const Part *part)
{
	CsvReader reader;
	List *members = NIL;
	StringInfoData body;

	if (!rows->csv)
		return pnstrdup(part->row, part->length);
	csv_reader_open(&reader, part->row, part->length, part->line);
	(void) csv_reader_record(&reader);
	(void) read_record(rows, &reader, &members);
	cat_form_convert_cells(cat_registry_resource(part->words[0]), members, rows->access);
	initStringInfo(&body);
	appendStringInfoChar(&body, '{');
	foreach_ptr(const Member, member, members)
	{
		if (foreach_current_index(member) > 0)
			appendStringInfoChar(&body, ',');
		cat_json_text_string(&body, member->name);
		appendStringInfo(&body, ":%s", member->raw);
	}
	appendStringInfoChar(&body, '}');
	return body.data;
}

/* Add the part of a row; returns false if there are as many as are taken. */
static bool
add_part(Batch *batch, const char *row, size_t length, int line, const char *fault)
{
	Part *part = &batch->parts[batch->count];

	if (batch->count == BATCH_PARTS_MAX)
		return false;
	batch->count++;
	cat_batch_part_create(part, batch->rows->resource->name);
	part->row = row;
	part->length = length;
	part->line = line;
	part->failed = fault != NULL;
	if (fault)
		cat_batch_add_fault(batch, batch->count, OD400, fault, NULL);
	return true;
}

/* Look at the rows of CSV; returns false if there are too many. */
static bool
read_csv(Batch *batch, BodyRows *rows, const Actor *actor, const char *text, size_t length)
{
	CsvReader reader;

	csv_reader_open(&reader, text, length, 1);
	read_heading(rows, actor, &reader);
	while (rows->errors == NIL && csv_reader_record(&reader))
	{
		const char *row = reader.at;
		const char *fault = read_record(rows, &reader, NULL);

		if (!add_part(batch, row, reader.at - row, reader.line, fault))
			return false;
	}
	return true;
}

/* Look at the lines of JSON; returns false if there are too many. */
static bool
read_ndjson(Batch *batch, const char *text, size_t length)
{
	const char *end = text + length;
	const char *next;
	int line = 1;

	for (const char *at = text; at < end; at = next, line++)
	{
		const char *feed = memchr(at, '\n', end - at);
		size_t bytes = (feed ? feed : end) - at;
		const Member *value;

		CHECK_FOR_INTERRUPTS();
		next = feed ? feed + 1 : end;
		if (strspn(at, " \t\r") >= bytes)
			continue;
		value = cat_body_value_if(at, bytes);
		if (!add_part(batch, at, bytes, line,
					  value && value->kind == MEMBER_OBJECT ? NULL
															: "the line is not a JSON object"))
			return false;
	}
	return true;
}

/* Look at all rows; raises OD400 for a heading at fault, for no row, and for too many. */
static void
read_rows(Batch *batch, BodyRows *rows, const Actor *actor, const char *text)
{
	const char *begin = text + byte_order_mark_length(text);
	size_t length = strlen(begin);
	bool complete;

	complete =
		rows->csv ? read_csv(batch, rows, actor, begin, length) : read_ndjson(batch, begin, length);
	if (rows->errors == NIL && (!complete || batch->count == 0))
		cat_validation_error_add(&rows->errors, "rows", "maxLength", NULL,
								 psprintf("must be 1 to %d rows", BATCH_PARTS_MAX));
	if (rows->errors)
		cat_validation_error_raise(rows->errors, OD400, NULL);
}

/* Return whether the rows are CSV; they are JSON by lines otherwise. */
static bool
is_csv(const char *format)
{
	if (strcmp(format, "csv") != 0 && strcmp(format, "ndjson") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("format \"%s\" is neither csv nor ndjson", format)));
	return strcmp(format, "csv") == 0;
}

/* Read the rows, in the caller's memory context, if the actor may create such records. */
static void
read_call(FunctionCallInfo fcinfo, Batch *batch, BodyRows *rows)
{
	MemoryContext outer = CurrentMemoryContext;
	WriteCall call;

	cat_write_call_begin(&call, fcinfo, "create", &args_create_rows);
	cat_consumer_require_method(&call.actor, "POST");
	MemoryContextSwitchTo(outer);
	rows->resource = call.resource;
	rows->access = call.actor.access;
	rows->csv = is_csv(cat_call_reply_required(fcinfo, ARG_CREATE_ROWS_FORMAT));
	read_rows(batch, rows, &call.actor, cat_call_reply_required(fcinfo, ARG_CREATE_ROWS_ROWS));
	cat_call_reply_close();
}

CAT_FUNCTION(catalogue_create_rows)
{
	CallReply reply = {0};
	BodyRows *rows = palloc0(sizeof(BodyRows));
	Batch batch = cat_batch_begin(fcinfo, &args_create_rows);

	batch.parts = palloc0(BATCH_PARTS_MAX * sizeof(Part));
	batch.rows = rows;
	read_call(fcinfo, &batch, rows);
	reply.ignored = cat_ignored_json(rows->ignored);
	return cat_batch_run(&batch, fcinfo, &reply);
}
