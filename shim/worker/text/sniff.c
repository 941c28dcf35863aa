/*
 * sniff.c - detect the delimiter of a text from its first rows.
 *
 * For each delimiter, count the rows that have as many cells as the first.  The delimiter with most
 * such rows is chosen; of several the one with more cells, then the one that is rarer in texts and
 * numbers: the comma is last.  Leading rows of one cell are ignored, since they may be a caption;
 * then a delimiter is accepted only if nearly all later rows have the same number of cells, and the
 * comma only with three cells or more, so that decimal commas in a single column are not
 * delimiters.
 */
#include <string.h>

#include "text/decode.h"

#define ROWS_MAXIMUM 200

typedef struct Guess
{
	unsigned titles; /* leading rows of one cell */
	unsigned first;	 /* cells of the first row after these; 0: there is none */
	unsigned rows;
	unsigned like_first;
} Guess;

/* Find the end of a cell. */
static const char *
cell_end(const char *at, const char *end, char delimiter)
{
	if (at < end && *at == '"')
	{
		for (at++; at < end && !(*at == '"' && (at + 1 == end || at[1] != '"')); at++)
			if (*at == '"')
				at++;
		if (at > end)
			at = end;
	}
	while (at < end && *at != delimiter && *at != '\n' && *at != '\r')
		at++;
	return at;
}

static void
count_row(Guess *guess, unsigned cells)
{
	guess->rows++;
	if (guess->first == 0 && cells == 1)
		guess->titles++;
	else if (guess->first == 0)
		guess->first = cells;
	guess->like_first += cells == guess->first;
}

/* Score of a delimiter, from 1 to 11; 0 if it does not divide the rows. */
static unsigned
score_of(const Guess *guess, char delimiter)
{
	unsigned least = delimiter == ',' ? 3 : 2;

	if (guess->first == 0 ||
		(guess->titles > 0 && (guess->first < least || guess->like_first < 2 ||
							   guess->like_first * 10 < (guess->rows - guess->titles) * 8)))
		return 0;
	return 1 + guess->like_first * 10 / guess->rows;
}

static Guess
try_delimiter(const char *text, size_t length, bool whole, char delimiter)
{
	const char *end = text + length;
	const char *at = text;
	Guess guess = {0};
	unsigned cells = 0;

	while (at < end && guess.rows < ROWS_MAXIMUM)
	{
		const char *start = at;

		at = cell_end(at, end, delimiter);
		cells++;
		if (at == end && !whole && guess.rows > 0)
			break;
		if (at < end && *at == delimiter)
		{
			at++;
			continue;
		}
		if (cells > 1 || at > start)
			count_row(&guess, cells);
		cells = 0;
		at += at < end;
	}
	return guess;
}

char
sniff_delimiter(const char *text, size_t length, bool whole)
{
	static const char delimiters[] = {'\t', ';', '|', ','};
	char best = '\0';
	unsigned best_score = 0;
	unsigned best_cells = 0;

	for (size_t i = 0; i < lengthof(delimiters); i++)
	{
		Guess guess = try_delimiter(text, length, whole, delimiters[i]);
		unsigned cells = guess.first;
		unsigned score = score_of(&guess, delimiters[i]);

		if (score > best_score || (score == best_score && score > 0 && cells > best_cells))
		{
			best = delimiters[i];
			best_score = score;
			best_cells = cells;
		}
	}
	return best;
}
