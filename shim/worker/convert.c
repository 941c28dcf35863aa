/*
 * convert.c - a job of kind convert: the contents of a file as a workbook.
 *
 * Rows go through one by one: libxlsxwriter keeps the row at hand and a temporary file, and its
 * workbook is a file without a name.  Texts are written as texts, so none becomes a formula.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xlsxwriter.h>

#include "worker.h"

#define LINE_MAXIMUM (64 << 20) /* bytes of a row as JSON */
#define SHEET_NAME 31			/* characters of the name of a sheet, at most */
#define DIGITS 15				/* of a number that a workbook keeps all of */

typedef struct Conversion
{
	Session *session;
	Job *job;
	lxw_workbook *book;
	lxw_format *head;
	lxw_format *date;
	lxw_format *datetime;
	lxw_worksheet *sheet;
	const json_t *columns; /* of the sheet */
	lxw_row_t row;		   /* the next one */
	int sheets;
	const char *wrong; /* why it cannot be a workbook; NULL: it can */
} Conversion;

/* What a library's fault means to the owner of the file; NULL for none. */
static const char *
fault_of(lxw_error error)
{
	if (error == LXW_NO_ERROR)
		return NULL;
	if (error == LXW_ERROR_WORKSHEET_INDEX_OUT_OF_RANGE)
		return "there are more rows or columns than a workbook can have";
	if (error == LXW_ERROR_MAX_STRING_LENGTH_EXCEEDED)
		return "a text is longer than a workbook can keep";
	return "the workbook could not be written";
}

/* Read a date, with a time behind it or not. */
static bool
read_moment(const char *text, lxw_datetime *moment)
{
	int end = 0;

	*moment = (lxw_datetime){0};
	if (sscanf(text, "%4d-%2d-%2d%n", &moment->year, &moment->month, &moment->day, &end) == 3 &&
		end == 10 && text[end] == '\0')
		return moment->year >= 1900;
	if (end != 10 || (text[10] != 'T' && text[10] != ' '))
		return false;
	end = 0;
	return sscanf(text + 11, "%2d:%2d:%lf%n", &moment->hour, &moment->min, &moment->sec, &end) ==
			   3 &&
		   end > 0 && text[11 + end] == '\0' && moment->year >= 1900;
}

/* Is the number one that a workbook keeps all digits of? */
static bool
is_kept(const char *text)
{
	int digits = 0;

	for (; *text != '\0' && *text != 'e' && *text != 'E'; text++)
		digits += isdigit((unsigned char) *text) && (digits > 0 || *text != '0');
	return digits <= DIGITS;
}

static lxw_error
write_text(Conversion *conversion, lxw_col_t column, const char *text)
{
	const json_t *type = json_object_get(json_array_get(conversion->columns, column), "type");
	const char *name = json_is_string(type) ? json_string_value(type) : "";
	lxw_datetime moment;

	if (strncmp(name, "date", 4) == 0 && read_moment(text, &moment))
		return worksheet_write_datetime(conversion->sheet, conversion->row, column, &moment,
										strcmp(name, "date") == 0 ? conversion->date
																  : conversion->datetime);
	if (*text == '\0')
		return LXW_NO_ERROR;
	return worksheet_write_string(conversion->sheet, conversion->row, column, text, NULL);
}

static lxw_error
write_number(Conversion *conversion, lxw_col_t column, const json_t *value)
{
	char text[40];

	if (json_is_integer(value))
		snprintf(text, sizeof(text), "%lld", (long long) json_integer_value(value));
	else
		snprintf(text, sizeof(text), "%.17g", json_real_value(value));
	if (json_is_integer(value) && !is_kept(text))
		return worksheet_write_string(conversion->sheet, conversion->row, column, text, NULL);
	return worksheet_write_number(conversion->sheet, conversion->row, column,
								  json_number_value(value), NULL);
}

static lxw_error
write_cell(Conversion *conversion, lxw_col_t column, const json_t *value)
{
	switch (json_typeof(value))
	{
		case JSON_STRING:
			return write_text(conversion, column, json_string_value(value));
		case JSON_INTEGER:
		case JSON_REAL:
			return write_number(conversion, column, value);
		case JSON_TRUE:
		case JSON_FALSE:
			return worksheet_write_boolean(conversion->sheet, conversion->row, column,
										   json_is_true(value), NULL);
		default:
			return LXW_NO_ERROR;
	}
}

/* Write a row, which is a JSON object with the columns by name. */
static bool
write_row(Conversion *conversion, const char *line, size_t length)
{
	json_t *object = json_loadb(line, length, 0, NULL);
	size_t count = json_array_size(conversion->columns);

	for (size_t i = 0; i < count && conversion->wrong == NULL; i++)
	{
		const char *name =
			json_string_value(json_object_get(json_array_get(conversion->columns, i), "name"));
		const json_t *value = name ? json_object_get(object, name) : NULL;

		if (value != NULL)
			conversion->wrong = fault_of(write_cell(conversion, (lxw_col_t) i, value));
	}
	if (!json_is_object(object))
		conversion->wrong = "the contents could not be read";
	json_decref(object);
	conversion->row++;
	return conversion->wrong == NULL;
}

/* Take a piece of the export: whole lines are rows, and the rest waits for the next piece. */
static bool
take_piece(Conversion *conversion, Buffer *lines, const char *piece, size_t length)
{
	char *start;
	char *end;

	buffer_append(lines, piece, length);
	if (lines->failed)
	{
		conversion->wrong = "a row is too long";
		return false;
	}
	start = lines->data;
	while (start != NULL &&
		   (end = memchr(start, '\n', (size_t) (lines->data + lines->length - start))) != NULL)
	{
		if (!write_row(conversion, start, (size_t) (end - start)))
			return false;
		start = end + 1;
	}
	if (start == NULL)
		return true;
	lines->length -= (size_t) (start - lines->data);
	memmove(lines->data, start, lines->length);
	return true;
}

/* Write all rows of a sheet as they come; false with a fault of the session or what is wrong. */
static bool
write_rows(Conversion *conversion, const char *query)
{
	Session *session = conversion->session;
	Value values[] = {TEXT(conversion->job->resource), TEXT(query)};
	PGresult *result;
	Buffer lines;
	bool good = session_prepare(session, ASK_EXPORT) && session_send(session, ASK_EXPORT, values) &&
				PQsetSingleRowMode(session->pg);

	buffer_init(&lines, LINE_MAXIMUM);
	while (good && (result = session_receive(session)) != NULL)
	{
		good = session_check(session, result);
		if (good && PQntuples(result) == 1 && !PQgetisnull(result, 0, 0))
			good = take_piece(conversion, &lines, PQgetvalue(result, 0, 0),
							  (size_t) PQgetlength(result, 0, 0));
		PQclear(result);
		conversion->job->progress->done = conversion->row;
	}
	if (good && lines.length > 0)
		good = write_row(conversion, lines.data, lines.length);
	buffer_free(&lines);
	return good && PQstatus(session->pg) == CONNECTION_OK;
}

/* A name that a workbook can have: at most 31 characters, and none that means something. */
static void
name_sheet(const char *wanted, int number, char *name, size_t size)
{
	size_t length = 0;
	int characters = 0;

	snprintf(name, size, "Sheet%d", number);
	while (*wanted != '\0' && *wanted != '\'' && characters < SHEET_NAME)
	{
		size_t step = text_character(wanted, strlen(wanted));

		if (step == 0 || length + step >= size)
			break;
		memcpy(name + length, wanted, step);
		if (step == 1 && strchr("[]:*?/\\", *wanted) != NULL)
			name[length] = '_';
		wanted += step;
		length += step;
		characters++;
		name[length] = '\0';
	}
}

/* Begin a sheet with a row of the titles. */
static bool
begin_sheet(Conversion *conversion, const char *wanted)
{
	char name[SHEET_NAME * 4 + 1];
	size_t index;
	const json_t *column;

	name_sheet(wanted, ++conversion->sheets, name, sizeof(name));
	if (workbook_validate_sheet_name(conversion->book, name) != LXW_NO_ERROR)
		name_sheet("", conversion->sheets, name, sizeof(name));
	conversion->sheet = workbook_add_worksheet(conversion->book, name);
	if (conversion->sheet == NULL)
		conversion->wrong = "the workbook could not be written";
	conversion->row = 0;
	json_array_foreach(conversion->columns, index, column)
	{
		const char *title = json_string_value(json_object_get(column, "title"));

		if (title == NULL)
			title = json_string_value(json_object_get(column, "name"));
		if (conversion->wrong == NULL)
			conversion->wrong = fault_of(worksheet_write_string(
				conversion->sheet, 0, (lxw_col_t) index, title ? title : "", conversion->head));
	}
	conversion->row = 1;
	return conversion->wrong == NULL;
}

static bool
write_sheet(Conversion *conversion, const json_t *sheet)
{
	const char *name = json_string_value(json_object_get(sheet, "name"));
	json_int_t number = json_integer_value(json_object_get(sheet, "number"));
	char query[80];

	conversion->columns = json_object_get(sheet, "columns");
	snprintf(query, sizeof(query), "types=true&sheet=%lld", (long long) number);
	if (!begin_sheet(conversion, name ? name : "") || !write_rows(conversion, query))
		return false;
	if (json_is_true(json_object_get(sheet, "hidden")))
		worksheet_hide(conversion->sheet);
	return true;
}

static bool
write_book(Conversion *conversion, const json_t *sheets)
{
	size_t index;
	const json_t *sheet;

	conversion->head = workbook_add_format(conversion->book);
	conversion->date = workbook_add_format(conversion->book);
	conversion->datetime = workbook_add_format(conversion->book);
	format_set_bold(conversion->head);
	format_set_num_format(conversion->date, "yyyy-mm-dd");
	format_set_num_format(conversion->datetime, "yyyy-mm-dd hh:mm:ss");
	json_array_foreach(sheets, index, sheet)
	{
		if (!write_sheet(conversion, sheet))
			return false;
	}
	if (conversion->sheets == 0)
		conversion->wrong = "it has no sheets";
	return conversion->wrong == NULL;
}

/* Store what was made; the transaction stays open. */
static bool
store(Session *session, const Job *job, int file)
{
	ByteWriter writer;
	Number revision = number_text(json_integer_value(json_object_get(job->details, "revision")));
	char bytes[16384];
	ssize_t length = 0;
	char *blob = NULL;
	bool good = lseek(file, 0, SEEK_SET) == 0 && writer_open(&writer, session);

	while (good && (length = read(file, bytes, sizeof(bytes))) > 0)
		good = writer_put(&writer, bytes, (size_t) length);
	if (good && length == 0 && session_do(session, ASK_BEGIN, NULL))
		blob = writer_seal(&writer);
	if (blob != NULL)
	{
		Value values[] = {TEXT(job->resource), TEXT(job_detail(job, "form")), TEXT(revision.text),
						  TEXT(blob)};

		good = session_do(session, ASK_CONVERTED, values);
	}
	writer_close(&writer);
	good = good && blob != NULL;
	free(blob);
	return good;
}

/* Make the workbook in a file; false with a fault of the session or what is wrong. */
static bool
make(Conversion *conversion, const json_t *sheets, int file)
{
	char path[40];
	lxw_workbook_options options = {.constant_memory = LXW_TRUE, .use_zip64 = LXW_TRUE};
	lxw_error error;
	bool good;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	conversion->book = workbook_new_opt(path, &options);
	if (conversion->book == NULL)
	{
		conversion->wrong = "the workbook could not be written";
		return false;
	}
	good = write_book(conversion, sheets);
	error = workbook_close(conversion->book);
	if (good)
		conversion->wrong = fault_of(error);
	return good && error == LXW_NO_ERROR;
}

JobEnd
convert_run(Session *session, Job *job)
{
	Conversion conversion = {.session = session, .job = job};
	Value values[] = {TEXT(job->resource)};
	char *text = session_text(session, ASK_SHEETS, values);
	json_t *sheets = text ? json_loads(text, 0, NULL) : NULL;
	int file = child_file();
	JobEnd end = JOB_DONE;

	if (text == NULL)
		end = job_stopped(job, session);
	else if (file < 0)
		end = job_ends(job, JOB_FAILED, "there is no room for temporary files");
	else if (!make(&conversion, sheets, file))
		end = conversion.wrong ? job_ends(job, JOB_FINAL, "%s", conversion.wrong)
							   : job_stopped(job, session);
	else if (!store(session, job, file))
		end = job_stopped(job, session);
	if (file >= 0)
		close(file);
	json_decref(sheets);
	free(text);
	return end;
}
