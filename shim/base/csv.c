/*
 * csv.c - records of a CSV text in memory (RFC 4180), decoded in place.
 *
 * What the RFC does not allow is a fault, since a record that was guessed would be stored.  The
 * worker's reader, which keeps whatever a file has, and reports it, is another one.
 */
#include "base/base.h"

void
csv_open(CsvReader *reader, char *text, size_t length)
{
	*reader = (CsvReader){.at = text, .end = text + length, .next_line = 1};
}

/* Is this the end of a line, or of the text? */
static bool
ends_line(const CsvReader *reader, const char *at)
{
	return at == reader->end || *at == '\n' || *at == '\r';
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
csv_record(CsvReader *reader)
{
	while (reader->at < reader->end && ends_line(reader, reader->at))
		pass_line(reader);
	reader->line = reader->next_line;
	reader->fault = NULL;
	reader->open = reader->at < reader->end;
	return reader->open;
}

/* Go on behind the line of a fault; a quote that is not closed reaches to the end of the text. */
static bool
give_up(CsvReader *reader, const char *fault)
{
	reader->fault = fault;
	reader->open = false;
	while (!ends_line(reader, reader->at))
		reader->at++;
	pass_line(reader);
	return false;
}

/* Decode a quoted cell, which the reader is behind then; false: a fault. */
static bool
read_quoted(CsvReader *reader, char **cell, size_t *length)
{
	char *to = ++reader->at;

	*cell = to;
	for (; reader->at < reader->end; reader->at++)
	{
		if (*reader->at == '"' && (++reader->at == reader->end || *reader->at != '"'))
		{
			*length = (size_t) (to - *cell);
			return ends_line(reader, reader->at) || *reader->at == ',' ||
				   give_up(reader, "a cell has text behind its closing quote");
		}
		reader->next_line += *reader->at == '\n';
		*to++ = *reader->at;
	}
	return give_up(reader, "a quote is not closed");
}

static bool
read_plain(CsvReader *reader, char **cell, size_t *length)
{
	*cell = reader->at;
	for (; !ends_line(reader, reader->at) && *reader->at != ','; reader->at++)
		if (*reader->at == '"')
			return give_up(reader, "a cell has a quote and does not begin with it");
	*length = (size_t) (reader->at - *cell);
	return true;
}

bool
csv_cell(CsvReader *reader, char **cell, size_t *length)
{
	bool quoted = reader->open && reader->at < reader->end && *reader->at == '"';

	if (!reader->open)
		return false;
	if (!(quoted ? read_quoted(reader, cell, length) : read_plain(reader, cell, length)))
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
