/*
 * csv_reader.c
 *	  Records of a CSV text (RFC 4180).
 *
 * What the RFC does not allow is a fault, since a record that was guessed would be stored.  The
 * worker's reader, which keeps whatever a file has, and reports it, is another one.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "batch/batch_internal.h"

void
cat_csv_reader_open(CsvReader *reader, const char *text, size_t length, int line)
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

bool
cat_csv_reader_record(CsvReader *reader)
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

/* Append the text before a place to the cell, and go on to that place. */
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

bool
cat_csv_reader_cell(CsvReader *reader)
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
