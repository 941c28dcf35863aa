/*
 * sniff.c - detect the delimiter of a text from its first rows.
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
#include <string.h>

#include "text/decode.h"

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
	while (at < end && *at != delimiter && *at != '\n' && *at != '\r')
		at++;
	return at;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Is a delimiter one that texts and numbers have in it? */
static bool
is_natural(const char *start, const char *at, const char *end)
{
	return *at == ',' && at + 1 < end &&
		   (at[1] == ' ' || (at > start && is_digit(at[-1]) && is_digit(at[1])));
}

static void
add_row(Guess *guess, unsigned cells)
{
	if (cells == 1 && guess->titles == guess->rows)
		guess->titles++;
	guess->widths[guess->rows++] = cells;
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
			add_row(guess, cells);
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

char
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
