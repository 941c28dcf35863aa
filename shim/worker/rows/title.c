/*
 * title.c - derive the names of columns, which members of rows and filters use, from their titles.
 *
 * A dot separates the words of a path, so it becomes a space, as do invisible characters.  A column
 * without a title is named "column"; of several columns with the same name all but the first get a
 * number.
 */
#include <stdio.h>
#include <string.h>

#include "rows/columns.h"

/* Length of the first character if a name has a space in its place; else 0. */
static size_t
blank_length(const char *text, size_t length)
{
	const unsigned char *c = (const unsigned char *) text;

	if (c[0] <= ' ' || c[0] == 0x7F || c[0] == '.')
		return 1;
	/* U+0080 to U+00A0 */
	if (length > 1 && c[0] == 0xC2 && c[1] <= 0xA0)
		return 2;
	/* U+2028, U+2029, U+FEFF */
	if (length > 2 && ((c[0] == 0xE2 && c[1] == 0x80 && (c[2] & 0xFE) == 0xA8) ||
					   (c[0] == 0xEF && c[1] == 0xBB && c[2] == 0xBF)))
		return 3;
	return 0;
}

/*
 * The name for a title, not unique yet: at most NAME_MAXIMUM bytes, trimmed.  *cut: the title is
 * longer.
 */
static size_t
plain_name(char *name, const char *title, size_t length, bool *cut)
{
	size_t used = 0;
	size_t i = 0;

	while (i < length && used < NAME_MAXIMUM)
	{
		size_t blank = blank_length(title + i, length - i);

		if (blank == 0)
			name[used++] = title[i++];
		else
		{
			if (used > 0 && name[used - 1] != ' ')
				name[used++] = ' ';
			i += blank;
		}
	}
	name[used] = '\0';
	while (i < length && blank_length(title + i, length - i) > 0)
		i += blank_length(title + i, length - i);
	*cut = i < length;
	/* do not split a character at the end */
	while (used > 0 && !text_valid_utf8(name, used))
		used--;
	while (used > 0 && name[used - 1] == ' ')
		used--;
	if (used == 0)
		used = (size_t) snprintf(name, NAME_MAXIMUM, "column");
	name[used] = '\0';
	return used;
}

/* Hash table of columns by their names or titles, with numbers of columns from 1. */
#define TABLE_SIZE (4 * CONTENTS_COLUMNS) /* a power of two */

typedef struct Table
{
	uint32_t slots[TABLE_SIZE];
} Table;

typedef const char *(*TextOf)(const Column *column, size_t *length);

static const char *
name_of(const Column *column, size_t *length)
{
	*length = strlen(column->name);
	return column->name;
}

static const char *
title_of(const Column *column, size_t *length)
{
	*length = column->title_length;
	return column->title;
}

uint32_t
title_hash(const char *text, size_t length)
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char) text[i]) * 16777619U;
	return hash;
}

/* The slot of the first column with a text, or else the one to put it in. */
static uint32_t *
find_slot(const Sheet *sheet, Table *table, TextOf text_of, const char *text, size_t length)
{
	for (uint32_t at = title_hash(text, length) % TABLE_SIZE;; at = (at + 1) % TABLE_SIZE)
	{
		size_t other_length;
		const char *other;

		if (table->slots[at] == 0)
			return &table->slots[at];
		other = text_of(sheet->columns[table->slots[at] - 1], &other_length);
		if (other_length == length && (length == 0 || memcmp(other, text, length) == 0))
			return &table->slots[at];
	}
}

/* Is the name that of an earlier column, or a reserved name? */
static bool
is_taken(const Sheet *sheet, Table *names, const char *name)
{
	return strcmp(name, "_id") == 0 || *find_slot(sheet, names, name_of, name, strlen(name)) != 0;
}

/* The first number to try: how many columns up to this one have the same title, at least two. */
static unsigned
count_like(const Sheet *sheet, Table *titles, unsigned *counts, unsigned index)
{
	size_t length;
	const char *title = title_of(sheet->columns[index], &length);
	uint32_t *slot = find_slot(sheet, titles, title_of, title, length);
	unsigned like;

	if (*slot == 0)
		*slot = index + 1;
	like = ++counts[*slot - 1];
	return like < 2 ? 2 : like;
}

void
title_check(Sheet *sheet, uint64_t line)
{
	for (unsigned i = 0; i < sheet->titles; i++)
	{
		Column *column = sheet->columns[i];
		bool cut;

		plain_name(column->name, column->title, column->title_length, &cut);
		if (cut)
			sheet_issue(sheet, line, "column %u is called by the beginning of its title, \"%s\"",
						i + 1, column->name);
	}
}

void
title_names(Sheet *sheet)
{
	Table *names = parse_allocate(sheet->parse, sizeof(Table));
	Table *titles = parse_allocate(sheet->parse, sizeof(Table));
	unsigned *counts = parse_allocate(sheet->parse, sizeof(unsigned) * (sheet->width + 1));

	for (unsigned turn = 0; turn < 2 * sheet->width; turn++)
	{
		unsigned i = turn % sheet->width;
		Column *column = sheet->columns[i];
		bool cut;
		size_t length;

		if (column->own != (turn < sheet->width))
			continue;
		length = plain_name(column->name, column->title, column->title_length, &cut);

		for (unsigned number = count_like(sheet, titles, counts, i);
			 is_taken(sheet, names, column->name); number++)
			snprintf(column->name + length, sizeof(column->name) - length, "_%u", number);
		*find_slot(sheet, names, name_of, column->name, strlen(column->name)) = i + 1;
	}
	parse_release(sheet->parse, counts);
	parse_release(sheet->parse, titles);
	parse_release(sheet->parse, names);
}
