/*
 * convert.c - a job of kind convert: the contents of a file as a workbook.
 *
 * Rows go through one by one: libxlsxwriter keeps the row at hand and a temporary file, and its
 * workbook is a file without a name.  Texts are written as texts, so none becomes a formula.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../extension/chunk.h"
#include "typed.h"

#define SHEET_NAME 31	/* characters of the name of a sheet, at most */
#define DIGITS 15		/* of a number that a workbook keeps all of */
#define CELL_XML 80		/* bytes around a text, at most */
#define CHARACTER_XML 7 /* bytes of a character, at most: _x0001_ */

typedef struct Conversion
{
	Session *session;
	Job *job;
	lxw_workbook *book;
	lxw_format *head;
	Place place;				  /* of the next cell */
	Kind kinds[CONTENTS_COLUMNS]; /* of the columns of the sheet */
	size_t columns;
	Buffer text; /* of a cell */
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

/* Write a row; false with what is wrong. */
static bool
write_row(Conversion *conversion, Cells *cells)
{
	for (uint32_t i = 0; i < cells->count && conversion->wrong == NULL; i++)
	{
		size_t length;
		const char *cell = cells_next(cells, i, &length);

		if (cell == NULL)
			continue;
		conversion->place.column = (lxw_col_t) i;
		buffer_clear(&conversion->text);
		buffer_append(&conversion->text, cell, length);
		buffer_append(&conversion->text, "", 1);
		if (conversion->text.failed || i >= conversion->columns)
			conversion->wrong = "the contents could not be read";
		else
			conversion->wrong = fault_of(
				typed_write(&conversion->place, &conversion->kinds[i], conversion->text.data));
	}
	conversion->place.row++;
	return conversion->wrong == NULL;
}

/* Write all rows of a sheet; false with a fault of the session or what is wrong. */
static bool
write_rows(Conversion *conversion, const char *sheet)
{
	for (int64_t first = 1;;)
	{
		Number number = number_text(first);
		Value values[] = {TEXT(sheet), TEXT(number.text)};
		PGresult *result = session_ask(conversion->session, ASK_ROWS, values);
		Cells cells = {0};
		bool end = result != NULL && (PQntuples(result) != 1 || PQgetisnull(result, 0, 0));
		bool good = result != NULL && !end;

		if (good &&
			!cells_open(&cells, PQgetvalue(result, 0, 0), (size_t) PQgetlength(result, 0, 0)))
			conversion->wrong = "the contents could not be read";
		good = good && conversion->wrong == NULL;
		for (uint32_t i = 0; good && i < cells.rows; i++)
			good = write_row(conversion, &cells);
		first += cells.rows;
		conversion->job->progress->done += result != NULL ? PQgetlength(result, 0, 0) : 0;
		cells_close(&cells);
		PQclear(result);
		if (!good)
			return end;
	}
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

static const char *
title_of(const json_t *column)
{
	const char *title = json_string_value(json_object_get(column, "title"));
	const char *name = json_string_value(json_object_get(column, "name"));

	return title != NULL ? title : name != NULL ? name : "";
}

/* Begin a sheet with a row of the titles. */
static bool
begin_sheet(Conversion *conversion, const char *wanted, const json_t *columns)
{
	char name[SHEET_NAME * 4 + 1];
	size_t index;
	const json_t *column;

	name_sheet(wanted, ++conversion->sheets, name, sizeof(name));
	if (workbook_validate_sheet_name(conversion->book, name) != LXW_NO_ERROR)
		name_sheet("", conversion->sheets, name, sizeof(name));
	conversion->place.sheet = workbook_add_worksheet(conversion->book, name);
	conversion->columns = json_array_size(columns);
	if (conversion->place.sheet == NULL || conversion->columns > lengthof(conversion->kinds))
	{
		conversion->wrong = "the workbook could not be written";
		return false;
	}
	json_array_foreach(columns, index, column)
	{
		conversion->kinds[index] = typed_kind(column);
		if (conversion->wrong == NULL)
			conversion->wrong = fault_of(worksheet_write_string(
				conversion->place.sheet, 0, (lxw_col_t) index, title_of(column), conversion->head));
	}
	conversion->place.row = 1;
	return conversion->wrong == NULL;
}

static bool
write_sheet(Conversion *conversion, const json_t *sheet)
{
	const char *name = json_string_value(json_object_get(sheet, "name"));
	const char *id = json_string_value(json_object_get(sheet, "sheet"));

	if (!begin_sheet(conversion, name ? name : "", json_object_get(sheet, "columns")) ||
		!write_rows(conversion, id))
		return false;
	/* the first sheet of a workbook is the one that is shown */
	if (conversion->sheets > 1 && json_is_true(json_object_get(sheet, "hidden")))
		worksheet_hide(conversion->place.sheet);
	return true;
}

static bool
write_book(Conversion *conversion, const json_t *sheets)
{
	size_t index;
	const json_t *sheet;

	conversion->head = workbook_add_format(conversion->book);
	conversion->place.date = workbook_add_format(conversion->book);
	conversion->place.datetime = workbook_add_format(conversion->book);
	format_set_bold(conversion->head);
	format_set_num_format(conversion->place.date, "yyyy-mm-dd");
	format_set_num_format(conversion->place.datetime, "yyyy-mm-dd hh:mm:ss");
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
	Number revision = job_number(job, "revision");
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

/*
 * May a part get longer than 4 GiB?  Only then is it written as ZIP64: Excel offers to repair such
 * a workbook, and some readers refuse it.
 */
static bool
may_be_huge(const json_t *sheets)
{
	size_t index;
	const json_t *sheet;
	int64_t bytes = 0;

	json_array_foreach(sheets, index, sheet)
	{
		int64_t columns = (int64_t) json_array_size(json_object_get(sheet, "columns"));

		bytes += json_integer_value(json_object_get(sheet, "rows")) * (columns + 1) * CELL_XML;
		bytes += json_integer_value(json_object_get(sheet, "bytes")) * CHARACTER_XML;
	}
	return bytes > UINT32_MAX;
}

/* Make the workbook in a file; false with a fault of the session or what is wrong. */
static bool
make(Conversion *conversion, const json_t *sheets, int file)
{
	char path[40];
	lxw_workbook_options options = {.constant_memory = LXW_TRUE, .use_zip64 = may_be_huge(sheets)};
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
	Number revision = job_number(job, "revision");
	Value values[] = {TEXT(job->resource), TEXT(revision.text)};
	char *text = session_text(session, ASK_SHEETS, values);
	json_t *sheets = text ? json_loads(text, 0, NULL) : NULL;
	int file = child_file();
	JobEnd end = JOB_DONE;

	buffer_init(&conversion.text, CONTENTS_CELL + 1);
	if (text == NULL)
		end = session_is_gone(session) ? job_stopped(job, session)
									   : job_ends(job, JOB_FINAL, "there are no contents");
	else if (file < 0)
		end = job_ends(job, JOB_FAILED, "there is no room for temporary files");
	else if (!make(&conversion, sheets, file))
		end = conversion.wrong ? job_ends(job, JOB_FINAL, "%s", conversion.wrong)
							   : job_stopped(job, session);
	else if (!store(session, job, file))
		end = job_stopped(job, session);
	if (file >= 0)
		close(file);
	buffer_free(&conversion.text);
	json_decref(sheets);
	free(text);
	return end;
}
