/*
 * csv.c - rows of a delimited text: RFC 4180 and its common variants, and their delimiter.
 *
 * A row is parsed in place in a window of the text; an incomplete row is parsed again from its
 * beginning after the window was filled.  So each cell is scanned once, with vector instructions,
 * and copied once, into its column.
 *
 * Malformed input is kept if possible, and reported with its line:
 *
 *   - rows with more or fewer cells than there are names;
 *   - text after a closing quote: the cell is kept unchanged, with its quotes; spaces before the
 *     opening quote do not belong to the cell;
 *   - a quote that is not closed within the longest row: its line is kept unchanged.
 *
 * Only rows that are too long are lost, and counted.  Empty lines are rows if there is one column;
 * otherwise they are skipped and counted.
 */
#include <ctype.h>
#include <strings.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "rows/rows.h"
#include "text/decode.h"

#define WINDOW (ROW_MAXIMUM + 2 * DECODER_ROOM)
#define SPARE 16 /* readable bytes after the window */

typedef struct Csv
{
	Parse *parse;
	Sheet *sheet;
	Decoder *decoder;
	char delimiter; /* '\0': one column */
	const char *delimiter_reason;
	bool ended;		/* the window holds the end of the text */
	bool literal;	/* quotes of the open row are ordinary characters */
	const char *at; /* beginning of the open row */
	const char *end;
	uint64_t offset; /* offset of at in the decoded text, in bytes */
	uint64_t line;	 /* line number of at */
	uint64_t lines;	 /* lines of the open row so far */
	uint64_t blank;
	char window[WINDOW + SPARE];
} Csv;

/* Result of parsing a row. */
typedef enum RowState
{
	ROW_WHOLE,
	ROW_OPEN,	 /* the window ends before the end of the row */
	ROW_UNCLOSED /* the text ends inside a quoted cell */
} RowState;

/* Find the end of an unquoted cell. */
static inline const char *
find_end(const char *at, const char *end, char delimiter)
{
#if defined(__SSE2__)
	const __m128i delimiters = _mm_set1_epi8(delimiter);
	const __m128i feeds = _mm_set1_epi8('\n');
	const __m128i returns = _mm_set1_epi8('\r');

	for (; at < end; at += 16)
	{
		__m128i bytes = _mm_loadu_si128((const __m128i *) at);
		__m128i found =
			_mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, feeds), _mm_cmpeq_epi8(bytes, returns)),
						 _mm_cmpeq_epi8(bytes, delimiters));
		unsigned mask = (unsigned) _mm_movemask_epi8(found);

		if (mask != 0)
		{
			at += __builtin_ctz(mask);
			break;
		}
	}
	return at < end ? at : end;
#else
	while (at < end && *at != delimiter && *at != '\n' && *at != '\r')
		at++;
	return at;
#endif
}

static uint64_t
count_lines(const char *at, const char *end)
{
	uint64_t lines = 0;

	while ((at = memchr(at, '\n', (size_t) (end - at))) != NULL)
	{
		at++;
		lines++;
	}
	return lines;
}

/* Find the closing quote of a cell whose text begins at "at"; NULL if it is not in the window. */
static const char *
closing_quote(Csv *csv, const char *at, bool *doubled)
{
	*doubled = false;
	while ((at = memchr(at, '"', (size_t) (csv->end - at))) != NULL)
	{
		if (at + 1 == csv->end)
			return csv->ended ? at : NULL;
		if (at[1] != '"')
			return at;
		*doubled = true;
		at += 2;
	}
	return NULL;
}

/* Add a cell that contains doubled quotes to the row, with single quotes instead. */
static void
cell_of_doubled(Csv *csv, unsigned index, const char *at, const char *end)
{
	Buffer *cell = &csv->parse->cell;
	const char *quote;

	cell->length = 0;
	while (at < end && (quote = memchr(at, '"', (size_t) (end - at))) != NULL)
	{
		buffer_append(cell, at, (size_t) (quote + 1 - at));
		at = quote + 2;
	}
	if (at < end)
		buffer_append(cell, at, (size_t) (end - at));
	if (cell->failed)
		parse_refuse_memory(csv->parse);
	sheet_cell(csv->sheet, index, cell->data, cell->length);
}

/*
 * Parse a cell whose opening quote is at "at", maybe after spaces; return what follows it, or NULL
 * with the state if it is incomplete.
 */
static const char *
read_quoted(Csv *csv, unsigned index, const char *start, const char *at, RowState *state)
{
	bool doubled;
	const char *close = closing_quote(csv, at + 1, &doubled);
	const char *next;

	*state = csv->ended ? ROW_UNCLOSED : ROW_OPEN;
	if (close == NULL)
		return NULL;
	next = close + 1;
	while (next < csv->end && (*next == ' ' || *next == '\t') && *next != csv->delimiter)
		next++;
	if (next == csv->end && !csv->ended)
		return NULL;
	csv->lines += count_lines(at, close);
	if (next == csv->end || *next == csv->delimiter || *next == '\n' || *next == '\r')
	{
		if (doubled)
			cell_of_doubled(csv, index, at + 1, close);
		else
			sheet_cell(csv->sheet, index, at + 1, (size_t) (close - at - 1));
		return next;
	}
	next = find_end(next, csv->end, csv->delimiter);
	if (next == csv->end && !csv->ended)
		return NULL;
	csv->sheet->flaw = "a cell has text after its closing quote and was kept unchanged";
	sheet_cell(csv->sheet, index, start, (size_t) (next - start));
	return next;
}

/* Pass over the spaces before the opening quote of a cell, if it has one. */
static inline const char *
find_quote(const char *at, const char *end, char delimiter)
{
	const char *quote = at;

	while (quote < end && *quote == ' ' && delimiter != ' ')
		quote++;
	return quote < end && *quote == '"' ? quote : at;
}

/* Parse the row at csv->at into the sheet; *next is the beginning of the next row. */
static RowState
read_row(Csv *csv, const char **next)
{
	const char *at = csv->at;
	RowState state = ROW_OPEN;

	csv->lines = 1;
	for (unsigned index = 0;; index++)
	{
		const char *start = at;

		at = csv->literal ? at : find_quote(at, csv->end, csv->delimiter);
		if (at < csv->end && *at == '"' && !csv->literal)
		{
			at = read_quoted(csv, index, start, at, &state);
			if (at == NULL)
				return state;
		}
		else
		{
			at = find_end(at, csv->end, csv->delimiter);
			if (at == csv->end && !csv->ended)
				return ROW_OPEN;
			sheet_cell(csv->sheet, index, start, (size_t) (at - start));
		}
		if (at == csv->end || *at != csv->delimiter)
			break;
		at++;
	}
	if (at < csv->end && *at == '\r')
	{
		at++;
		if (at == csv->end && !csv->ended)
			return ROW_OPEN;
	}
	if (at < csv->end && *at == '\n')
		at++;
	*next = at;
	return ROW_WHOLE;
}

/* Move the open row to the beginning of the window, and fill the rest. */
static void
csv_read_more(Csv *csv)
{
	size_t length = (size_t) (csv->end - csv->at);
	size_t got;

	memmove(csv->window, csv->at, length);
	csv->at = csv->window;
	got = decode_read(csv->decoder, csv->window + length);
	csv->ended = got == 0;
	csv->end = csv->window + length + got;
	memset(csv->window + length + got, 0, SPARE);
}

/* End the open row; the next one begins at next. */
static void
csv_go_on(Csv *csv, const char *next)
{
	csv->offset += (uint64_t) (next - csv->at);
	csv->line += csv->lines;
	csv->at = next;
	csv->literal = false;
}

/* Report the bytes of the open row that were replaced. */
static void
take_faults(Csv *csv, const char *next)
{
	const char *what;

	while (decode_fault(csv->decoder, csv->offset + (uint64_t) (next - csv->at), &what))
		if (csv->sheet != NULL && csv->sheet->flaw == NULL)
			csv->sheet->flaw = what;
}

/* Skip a line; quotes in it are ordinary characters. */
static void
csv_pass_line(Csv *csv)
{
	const char *end;

	while ((end = find_end(csv->at, csv->end, '\n')) == csv->end && !csv->ended)
	{
		csv->offset += (uint64_t) (csv->end - csv->at);
		csv->at = csv->end;
		csv_read_more(csv);
	}
	if (!csv->ended && *end == '\r' && end + 1 == csv->end)
	{
		csv->offset += (uint64_t) (end - csv->at);
		csv->at = end;
		csv_read_more(csv);
		end = csv->at;
	}
	csv->lines = 1;
	end += end < csv->end && *end == '\r';
	end += end < csv->end && *end == '\n';
	take_faults(csv, end);
	if (csv->sheet != NULL)
		csv->sheet->flaw = NULL;
	csv_go_on(csv, end);
}

/* Handle a row that is too long, or has a quote that is not closed. */
static void
break_row(Csv *csv)
{
	sheet_undo(csv->sheet);
	if (csv->literal || memchr(csv->at, '"', (size_t) (csv->end - csv->at)) == NULL)
	{
		if (!csv->sheet->headed && csv->sheet->rows == 0)
			parse_refuse(csv->parse, "the first line, of the column names, is longer than 2 MB");
		sheet_bad(csv->sheet, csv->line, "the row is longer than 2 MB");
		csv_pass_line(csv);
		return;
	}
	csv->literal = true;
}

/* Is the open row empty? */
static bool
is_blank(const Csv *csv, const char *next)
{
	const char *at = csv->at;

	while (at < next && (*at == '\r' || *at == '\n'))
		at++;
	if (at < next)
		return false;
	/* in a single column it is an empty cell, except above the table */
	return csv->sheet->headed ? csv->sheet->titles != 1
							  : csv->delimiter != '\0' || csv->sheet->rows == 0;
}

static void
end_row(Csv *csv, const char *next)
{
	Sheet *sheet = csv->sheet;

	if (is_blank(csv, next))
	{
		csv->blank++;
		sheet_undo(sheet);
		csv_go_on(csv, next);
		return;
	}
	if (csv->literal)
		sheet->flaw = "a quote is not closed and the line was kept unchanged";
	take_faults(csv, next);
	sheet_row(sheet, csv->line);
	csv_go_on(csv, next);
}

static void
read_rows(Csv *csv)
{
	const char *next = csv->at;

	while ((!csv->ended || csv->at < csv->end) && !csv->sheet->lost)
	{
		RowState state = csv->at == csv->end ? ROW_OPEN : read_row(csv, &next);

		if (state == ROW_WHOLE)
			end_row(csv, next);
		else if (state == ROW_UNCLOSED || csv->end - csv->at > ROW_MAXIMUM)
			break_row(csv);
		else
		{
			sheet_undo(csv->sheet);
			csv_read_more(csv);
		}
	}
}

/*
 * ---- The delimiter of a text, found from its first rows ----
 *
 * For each delimiter, count the rows that have the most frequent number of cells.  The delimiter
 * with most such rows is chosen.  Of several, commas that stand only within numbers and before
 * spaces, as in texts, come last; then one that divides the first row as well is chosen, the one
 * with more cells, and the one that is rarer in texts.  So neither a row of titles that lacks a cell
 * nor lines above the table decide.
 *
 * Where the first row has one cell, it may be a caption, or the title of the only column; then a
 * delimiter is accepted only if nearly all later rows have the same number of cells, and commas as
 * in numbers and texts only if they make more than two.
 */

#define ROWS_MAXIMUM 200

typedef struct Guess
{
	unsigned rows;
	unsigned titles; /* leading rows of one cell */
	bool sole;		 /* some comma is none of a number or text */
	unsigned cells;	 /* most frequent number of cells above one; 0: there is none */
	unsigned alike;	 /* rows with so many cells */
	unsigned widths[ROWS_MAXIMUM];
} Guess;

/* Find the end of a cell. */
static const char *
cell_end(const char *at, const char *end, char delimiter)
{
	while (at < end && *at == ' ')
		at++;
	if (at < end && *at == '"')
	{
		for (at++; at < end && !(*at == '"' && (at + 1 == end || at[1] != '"')); at++)
			if (*at == '"')
				at++;
		if (at > end)
			at = end;
	}
	return find_end(at, end, delimiter);
}

/* Is a delimiter one that texts and numbers have in it? */
static bool
is_natural(const char *start, const char *at, const char *end)
{
	return *at == ',' && at + 1 < end &&
		   (at[1] == ' ' ||
			(at > start && isdigit((unsigned char) at[-1]) && isdigit((unsigned char) at[1])));
}

static void
find_usual(Guess *guess)
{
	for (unsigned i = 0; i < guess->rows; i++)
	{
		unsigned alike = 0;

		for (unsigned j = 0; j < guess->rows; j++)
			alike += guess->widths[j] == guess->widths[i];
		if (guess->widths[i] > 1 && alike > guess->alike)
		{
			guess->alike = alike;
			guess->cells = guess->widths[i];
		}
	}
}

/* Score of a delimiter, from 1 to 11; 0 if it does not divide the rows. */
static unsigned
score_of(const Guess *guess)
{
	if (guess->cells == 0 ||
		(guess->titles > 0 &&
		 (guess->alike < 2 || guess->alike * 10 < (guess->rows - guess->titles) * 8 ||
		  (guess->cells == 2 && !guess->sole))))
		return 0;
	return 1 + guess->alike * 10 / guess->rows;
}

static void
try_delimiter(Guess *guess, const char *text, size_t length, bool whole, char delimiter)
{
	const char *end = text + length;
	const char *at = text;
	unsigned cells = 0;

	memset(guess, 0, sizeof(*guess));
	while (at < end && guess->rows < ROWS_MAXIMUM)
	{
		const char *start = at;

		at = cell_end(at, end, delimiter);
		cells++;
		if (at == end && !whole && guess->rows > 0)
			break;
		if (at < end && *at == delimiter)
		{
			guess->sole |= !is_natural(text, at, end);
			at++;
			continue;
		}
		if (cells > 1 || at > start)
		{
			if (cells == 1 && guess->titles == guess->rows)
				guess->titles++;
			guess->widths[guess->rows++] = cells;
		}
		cells = 0;
		at += at < end;
	}
	find_usual(guess);
}

/* Is a guess better than another one with the same score? */
static bool
is_better(const Guess *guess, const Guess *other)
{
	bool divides = guess->titles == 0;

	if (guess->sole != other->sole)
		return guess->sole;
	return divides != (other->titles == 0) ? divides : guess->cells > other->cells;
}

static char
sniff_delimiter(const char *text, size_t length, bool whole)
{
	static const char delimiters[] = {'\t', ';', '|', ','};
	Guess guesses[2];
	Guess *guess = &guesses[0];
	Guess *best = &guesses[1];
	unsigned best_score = 0;
	char found = '\0';

	for (size_t i = 0; i < lengthof(delimiters); i++)
	{
		unsigned score;

		try_delimiter(guess, text, length, whole, delimiters[i]);
		score = score_of(guess);
		if (score > best_score || (score == best_score && score > 0 && is_better(guess, best)))
		{
			Guess *other = best;

			best = guess;
			guess = other;
			best_score = score;
			found = delimiters[i];
		}
	}
	return found;
}

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

static void
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

void
csv_read(Parse *parse)
{
	Csv *csv = parse_allocate(parse, sizeof(Csv));
	Sheet *sheet;
	char delimiter[2] = {0};

	csv->parse = parse;
	csv->decoder = decode_new(parse);
	csv->at = csv->end = csv->window;
	csv->line = 1;
	csv_begin(csv);
	sheet = sheet_begin(parse, 1, "", false);
	sheet->even = true;
	csv->sheet = sheet;
	read_rows(csv);
	if (!sheet->headed && !sheet->lost && sheet->rows == 0)
		parse_refuse(parse, "the file has only empty lines");
	delimiter[0] = csv->delimiter;
	buffer_format(&parse->details, ",\"encoding\":\"%s\",\"encodingReason\":\"%s\",\"delimiter\":",
				  csv->decoder->name, csv->decoder->reason);
	buffer_json(&parse->details, delimiter, strlen(delimiter));
	buffer_format(&parse->details, ",\"delimiterReason\":\"%s\"", csv->delimiter_reason);
	sheet_detail(parse, "emptyLines", csv->blank);
	sheet_end(sheet);
}
