/*
 * convert.c - a job of kind convert: the contents of a file as a workbook, or as a geographic file; a picture is made
 * by picture.c.
 *
 * Rows are converted one by one, and the workbook is written to unnamed files.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <strings.h>

#include "../../extension/files/download_formats.h"
#include "../../extension/rows/sheets/date_text.h"
#include "../../extension/rows/sheets/number_form.h"
#include "jobs/contents.h"
#include "rows/cells.h"
#include "xls/xls.h"
#include "json/row.h"

/*
 * ---- Texts to typed cells ----
 *
 * A text that a workbook could not represent exactly stays a text.
 */

/* Type of a column. */
typedef struct Kind
{
	const char *type;
	const char *format;	 /* of dates, as of date_text.h; NULL: ISO 8601 */
	char point;			 /* before decimals of numbers: '.' or ',' */
	const char *unit;	 /* before or behind numbers; NULL: there is none */
	const json_t *marks; /* its keys are texts that stand for no value; NULL: there are none */
} Kind;

#define DIGITS 15 /* digits that a workbook keeps of a number */

/* Does a workbook keep all digits of the number? */
static bool
is_kept(const char *text)
{
	int digits = 0;

	for (; *text != '\0' && *text != 'e' && *text != 'E'; text++)
		digits += isdigit((unsigned char) *text) && (digits > 0 || *text != '0');
	return digits <= DIGITS;
}

/* Parse a date, and a time behind T or a space; false if it is none, or has a time zone. */
static bool
read_moment(const Kind *kind, const char *text, Typed *typed)
{
	const char *end = text + strlen(text);
	DateParts parts = DATE_TEXT_FIRST;
	const char *at = date_text_read(kind->format ? kind->format : DATE_TEXT_DAY, text, end, &parts);

	if (at != NULL && at < end)
		at = date_text_time(at, end, &parts);
	*typed = (Typed){.form = strcmp(kind->type, "date") == 0 ? TYPED_DATE : TYPED_DATETIME,
					 .time = {.tm_year = parts.year - 1900,
							  .tm_mon = parts.month - 1,
							  .tm_mday = parts.day,
							  .tm_hour = parts.hour,
							  .tm_min = parts.minute,
							  .tm_sec = parts.second},
					 .fraction = parts.micros / 1e6};
	/* the first day that a workbook can represent */
	return at == end && parts.year >= 1900;
}

/* Parse a number; false if the text is none, or digits would be lost. */
static bool
read_number(const Kind *kind, const char *text, Typed *typed)
{
	NumberPlain plain;
	char *end;

	if (number_plain(&plain, (NumberText){text, strlen(text)}, kind->point, kind->unit))
	{
		plain.text[plain.length] = '\0';
		text = plain.text;
	}
	/* others have an exponent */
	*typed = (Typed){.form = TYPED_NUMBER, .number = strtod(text, &end)};
	return is_kept(text) && end != text && *end == '\0' && isfinite(typed->number);
}

/* Convert a text to the type of its column; if that fails, it stays a text. */
static Typed
typed_read(const Kind *kind, const char *text)
{
	NumberText bare = {text, strlen(text)};
	char copy[NUMBER_BYTES];
	Typed typed = {0};
	bool done = *text == '\0';

	/* a number that stands for no value is not to be summed */
	if (json_object_get(kind->marks, text) != NULL)
		return (Typed){.form = TYPED_TEXT};
	number_trim(&bare);
	/* a longer text is none of these types */
	snprintf(copy, sizeof(copy), "%.*s", bare.length < sizeof(copy) ? (int) bare.length : 0,
			 bare.at);
	text = copy;
	if (!done && strncmp(kind->type, "date", 4) == 0)
		done = read_moment(kind, text, &typed);
	else if (!done && (strcmp(kind->type, "integer") == 0 || strcmp(kind->type, "decimal") == 0))
		done = read_number(kind, text, &typed);
	else if (!done && strcmp(kind->type, "boolean") == 0)
	{
		typed = (Typed){.form = TYPED_BOOLEAN, .truth = strcasecmp(text, "true") == 0};
		done = typed.truth || strcasecmp(text, "false") == 0;
	}
	return done ? typed : (Typed){.form = TYPED_TEXT};
}

/* ---- Sheets to the workbook ---- */

typedef struct Conversion
{
	Session *session;
	Job *job;
	const BookWriter *writer;
	void *book;
	uint32_t row;				  /* of the sheet, the next one */
	Kind kinds[CONTENTS_COLUMNS]; /* of the columns of the sheet */
	size_t columns;
	Buffer text; /* of a cell */
	unsigned sheets;
	SheetName names[CONTENTS_SHEETS];
	const char *wrong;		/* why the contents do not fit into a workbook; NULL: they do */
	FeaturesFault features; /* why they do not into a geographic file */
} Conversion;

/* Write a row; false with the reason set. */
static bool
write_row(Conversion *conversion, Cells *cells)
{
	Typed typed;

	/* a sheet has no columns of cells that are all empty at the end of rows, but its chunks have */
	for (uint32_t i = 0; i < cells->count && i < conversion->columns && conversion->wrong == NULL;
		 i++)
	{
		size_t length;
		const char *cell = cells_next(cells, i, &length);

		if (cell == NULL)
			continue;
		buffer_clear(&conversion->text);
		buffer_append(&conversion->text, cell, length);
		buffer_append(&conversion->text, "", 1);
		if (conversion->text.failed)
		{
			conversion->wrong = "the contents could not be read";
			break;
		}
		typed = typed_read(&conversion->kinds[i], conversion->text.data);
		conversion->wrong = conversion->writer->cell(conversion->book, conversion->row, i, &typed,
													 conversion->text.data, length);
	}
	conversion->row++;
	return conversion->wrong == NULL;
}

/* Write all rows of a sheet; false with the fault of the session or the reason set. */
static bool
write_rows(Conversion *conversion, const char *sheet)
{
	for (int64_t first = 1;;)
	{
		Value values[] = {TEXT(sheet), session_number(first)};
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

/* Write the value of a column of a row that a query has selected. */
static void
write_value(Conversion *conversion, uint32_t column, const json_t *value)
{
	const char *text = json_string_value(value);
	Typed typed = {0};

	if (text != NULL)
		typed = typed_read(&conversion->kinds[column], text);
	else if (json_is_number(value))
		typed = (Typed){.form = TYPED_NUMBER, .number = json_number_value(value)};
	else if (json_is_boolean(value))
		typed = (Typed){.form = TYPED_BOOLEAN, .truth = json_is_true(value)};
	if (typed.form != TYPED_EMPTY)
		conversion->wrong =
			conversion->writer->cell(conversion->book, conversion->row, column, &typed,
									 text ? text : "", json_string_length(value));
}

/* Write a row that a query has selected, an object. */
static void
write_object(Conversion *conversion, const json_t *columns, const json_t *row)
{
	size_t index;
	const json_t *column;

	if (row == NULL)
		conversion->wrong = "the contents could not be read";
	json_array_foreach(columns, index, column)
	{
		const char *name = json_string_value(json_object_get(column, "name"));

		if (conversion->wrong == NULL && name != NULL)
			write_value(conversion, (uint32_t) index, json_object_get(row, name));
	}
	conversion->row++;
}

/* Rows that a query has selected, to the workbook. */
typedef struct SelectedRows
{
	Conversion *conversion;
	const json_t *columns;
} SelectedRows;

/* Write rows of JSON, each with a line break behind it; false with the reason set. */
static bool
write_lines(void *target, const char *lines, size_t length)
{
	const SelectedRows *rows = target;
	const char *stop = lines + length;
	const char *end;

	for (; rows->conversion->wrong == NULL && lines < stop &&
		   (end = memchr(lines, '\n', (size_t) (stop - lines))) != NULL;
		 lines = end + 1)
	{
		json_t *row = row_load(lines, (size_t) (end - lines));

		write_object(rows->conversion, rows->columns, row);
		json_decref(row);
	}
	return rows->conversion->wrong == NULL;
}

/* Write the rows that the query of the job selects; false with the fault of the session or the reason set. */
static bool
write_selected(Conversion *conversion, const json_t *columns)
{
	SelectedRows rows = {conversion, columns};

	return selection_read(conversion->session, conversion->job, "ndjson", write_lines, &rows);
}

/* The heading of a column: its title, or else its name. */
static const char *
title_of(const json_t *column)
{
	const char *title = json_string_value(json_object_get(column, "title"));
	const char *name = json_string_value(json_object_get(column, "name"));

	return title != NULL && *title != '\0' ? title : name != NULL ? name : "";
}

static bool
write_titles(Conversion *conversion, const json_t *columns)
{
	static const Typed text = {.form = TYPED_TEXT};
	size_t index;
	const json_t *column;

	conversion->columns = json_array_size(columns);
	if (conversion->columns > lengthof(conversion->kinds))
		conversion->wrong = "the contents could not be read";
	json_array_foreach(columns, index, column)
	{
		const char *title = title_of(column);
		const char *type = json_string_value(json_object_get(column, "type"));

		if (conversion->wrong != NULL)
			return false;
		conversion->kinds[index] =
			(Kind){.type = type ? type : "text",
				   .format = json_string_value(json_object_get(column, "format")),
				   .point = json_is_true(json_object_get(column, "decimalComma")) ? ',' : '.',
				   .unit = json_string_value(json_object_get(column, "unit")),
				   .marks = json_object_get(column, "marks")};
		conversion->wrong = conversion->writer->cell(conversion->book, 0, (uint32_t) index, &text,
													 title, strlen(title));
	}
	conversion->row = 1;
	return conversion->wrong == NULL;
}

static bool
write_sheet(Conversion *conversion, const json_t *sheet)
{
	const char *name = json_string_value(json_object_get(sheet, "name"));
	const char *id = json_string_value(json_object_get(sheet, "sheet"));
	const json_t *columns = json_object_get(sheet, "columns");
	SheetHead head = {.hidden = json_is_true(json_object_get(sheet, "hidden")),
					  .rows = (uint32_t) json_integer_value(json_object_get(sheet, "rows")) + 1,
					  .columns = (uint32_t) json_array_size(columns)};

	if (conversion->sheets == CONTENTS_SHEETS)
		conversion->wrong = "the contents could not be read";
	else
	{
		head.name = sheet_name_make(conversion->names, conversion->sheets++, name ? name : "");
		conversion->wrong = conversion->writer->begin_sheet(conversion->book, &head);
	}
	if (conversion->wrong != NULL || !write_titles(conversion, columns) ||
		!(id != NULL ? write_rows(conversion, id) : write_selected(conversion, columns)))
		return false;
	if (conversion->writer->end_sheet != NULL)
		conversion->writer->end_sheet(conversion->book);
	return true;
}

/* Write all sheets, or the one with the given number. */
static bool
write_book(Conversion *conversion, const json_t *sheets, long number)
{
	size_t index;
	const json_t *sheet;

	json_array_foreach(sheets, index, sheet)
	{
		if (number > 0 && json_integer_value(json_object_get(sheet, "number")) != number)
			continue;
		if (!write_sheet(conversion, sheet))
			return false;
	}
	if (conversion->sheets == 0)
		conversion->wrong = "it has no sheets";
	return conversion->wrong == NULL;
}

/* ---- The job ---- */

/* Is a form that of a format: its name, with a sheet or a digest behind it? */
static bool
is_form(const char *form, size_t format)
{
	size_t length = strlen(download_formats[format].name);

	return strncmp(download_formats[format].name, form, length) == 0 &&
		   strchr("/?", form[length]) != NULL;
}

/* The one who makes a geographic file of the form, as its name with ? and a digest; READER_NONE: it is none. */
static FileReader
features_maker(const char *form)
{
	static const FileReader makers[] = {[DOWNLOAD_KML] = READER_TO_KML,
										[DOWNLOAD_GPKG] = READER_TO_GPKG,
										[DOWNLOAD_SHP] = READER_TO_SHAPE};

	for (size_t i = 0; form != NULL && i < lengthof(makers); i++)
		if (makers[i] != READER_NONE && is_form(form, i))
			return makers[i];
	return READER_NONE;
}

/* The writer of a format such as xls, xls/2 for the second sheet only, or xls?digest for selected rows; NULL if there is
 * none. */
static const BookWriter *
writer_of(const char *form, long *number)
{
	static const BookWriter *const writers[] = {
		[DOWNLOAD_XLSX] = &xlsx_writer, [DOWNLOAD_XLS] = &xls_writer};

	for (size_t i = 0; form != NULL && i < lengthof(writers); i++)
	{
		const char *slash = strchr(form, '/');

		if (writers[i] == NULL || !is_form(form, i))
			continue;
		*number = slash != NULL ? strtol(slash + 1, NULL, 10) : 0;
		return writers[i];
	}
	return NULL;
}

static bool
make_features(Conversion *conversion, FileReader maker, const json_t *sheet, FILE *file)
{
	FeaturesFault *fault = &conversion->features;

	if (convert_features(conversion->session, conversion->job, maker, sheet, file, fault))
		return true;
	conversion->wrong = fault->reason[0] != '\0' ? fault->reason : NULL;
	return false;
}

/* Write the workbook, or another file, to a file; false with the fault of the session or the reason set. */
static bool
make(Conversion *conversion, const json_t *sheets, FILE *file)
{
	const char *form = job_detail(conversion->job, "form");
	FileReader maker = features_maker(form);
	long number = 0;
	const char *wrong;
	bool good;

	if (maker != READER_NONE)
		return make_features(conversion, maker, json_array_get(sheets, 0), file);
	conversion->writer = writer_of(form, &number);
	if (conversion->writer == NULL)
		conversion->wrong = "workbooks of this form are not made";
	else
		conversion->book = conversion->writer->open(file, sheets);
	if (conversion->book == NULL)
	{
		conversion->wrong = conversion->wrong ? conversion->wrong : BOOK_FAILED;
		return false;
	}
	good = write_book(conversion, sheets, number);
	wrong = conversion->writer->close(conversion->book, good);
	if (good)
		conversion->wrong = wrong;
	return good && wrong == NULL;
}

/* End the job without a workbook; a permanent reason is stored as the fourth value. */
static JobEnd
end_without(Conversion *conversion, Value *values)
{
	const char *wrong = conversion->wrong;
	Job *job = conversion->job;
	bool lasting;

	if (wrong == NULL)
		return job_stopped(job, conversion->session);
	values[3] = TEXT(wrong);
	lasting = conversion->features.lasting || strcmp(wrong, BOOK_LARGE) == 0 ||
			  strcmp(wrong, BOOK_LONG) == 0;
	if (lasting && !session_do(conversion->session, ASK_REFUSED, values))
		return job_stopped(job, conversion->session);
	return job_ends(job,
					conversion->features.passing || strcmp(wrong, BOOK_FAILED) == 0 ? JOB_FAILED
																					: JOB_FINAL,
					"%s", wrong);
}

/* Write the workbook and store it; the transaction stays open. */
static JobEnd
convert(Conversion *conversion, const json_t *sheets)
{
	Job *job = conversion->job;
	Value values[] = {TEXT(job->resource), TEXT(job_detail(job, "form")),
					  job_number(job, "revision"), TEXT(NULL)};
	FILE *file = unnamed_file_stream();
	JobEnd end = JOB_DONE;

	if (file == NULL)
		return job_without_file(job, errno);
	if (!make(conversion, sheets, file))
		end = end_without(conversion, values);
	else if (!blob_store(conversion->session, file, ASK_CONVERTED, values))
		end = job_stopped(job, conversion->session);
	fclose(file);
	return end;
}

static JobEnd
run(Session *session, Job *job)
{
	Conversion *conversion = calloc(1, sizeof(Conversion));
	char *text = selection_sheets(session, job);
	json_t *sheets = text ? json_loads(text, 0, NULL) : NULL;
	JobEnd end;

	if (text == NULL)
		end = session_is_gone(session) ? job_stopped(job, session)
									   : job_ends(job, JOB_FINAL, "there are no contents");
	else if (conversion == NULL)
		end = job_ends(job, JOB_FAILED, "there is no memory");
	else
	{
		conversion->session = session;
		conversion->job = job;
		buffer_init(&conversion->text, CONTENTS_CELL + 1);
		end = convert(conversion, sheets);
		buffer_free(&conversion->text);
	}
	free(conversion);
	json_decref(sheets);
	free(text);
	return end;
}

JobEnd
convert_run(Session *session, Job *job)
{
	return picture_is(job) ? picture_run(session, job) : run(session, job);
}
