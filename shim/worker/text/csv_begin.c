/*
 * csv_begin.c - the beginning of a text: skipped lines, and the delimiter.
 */
#include <string.h>
#include <strings.h>

#include "text/csv.h"

/*
 * Parse a line that names the delimiter, such as sep=; with or without quotes; return what follows
 * it, or NULL.
 */
static const char *
behind_said(Csv *csv, const char *text, size_t length)
{
	bool quoted = *text == '"';
	const char *at = text + quoted;

	if (length < 6U + 2U * quoted || strncasecmp(at, "sep=", 4) != 0)
		return NULL;
	csv->delimiter = at[4];
	at += 5;
	if (quoted && *at++ != '"')
		return NULL;
	if (*at != '\r' && *at != '\n')
		return NULL;
	return at + 1 + (*at == '\r' && at[1] == '\n');
}

/* Set the delimiter: from the parse options, from the text, or by detection. */
static void
find_delimiter(Csv *csv)
{
	const char *said = csv->parse->options.delimiter;
	const char *text = csv->at;
	size_t length = (size_t) (csv->end - csv->at);
	const char *next = behind_said(csv, text, length);

	csv->delimiter_reason = "a line of the file names it";
	if (next != NULL)
	{
		csv->lines = 1;
		csv_go_on(csv, next);
	}
	else if (said == NULL)
	{
		if (length > DECODER_BLOCK / 2)
			length = frame_cut(text, length, DECODER_BLOCK / 2);
		csv->delimiter = sniff_delimiter(text, length, csv->ended && csv->end == text + length);
		csv->delimiter_reason = csv->delimiter == '\0' ? "nothing divides the first rows alike"
													   : "it divides the first rows alike";
	}
	if (said != NULL)
	{
		csv->delimiter = *said;
		csv->delimiter_reason = "parseOptions says so";
	}
}

void
csv_begin(Csv *csv)
{
	csv_read_more(csv);
	if (!csv->ended)
		csv_read_more(csv);
	if (csv->at == csv->end)
		parse_refuse(csv->parse, "the file is empty");
	while (csv->line <= csv->parse->options.skip && csv->at < csv->end)
		csv_pass_line(csv);
	if (csv->at == csv->end)
		parse_refuse(csv->parse, "the file has no rows after the lines that are skipped");
	if (!csv->ended && csv->end - csv->at < DECODER_BLOCK / 2)
		csv_read_more(csv);
	find_delimiter(csv);
}
