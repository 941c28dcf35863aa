/*
 * merged_cells.c - merged cells of a sheet of an XLSX.
 *
 * They stand behind the rows, which need them.  So a part is unpacked before it is read, and if the
 * word is in its bytes, its elements are read for it.
 */
#include "formats/book.h"

#define BLOCK (1 << 16)

/* Read a reference such as AB12: column from 0, row from 1; false if it is none. */
static bool
read_reference(const char **text, unsigned *column, uint64_t *row)
{
	unsigned letters = 0;
	char *end;

	for (; **text >= 'A' && **text <= 'Z' && letters <= BOOK_COLUMNS; (*text)++)
		letters = letters * 26 + (unsigned) (**text - 'A' + 1);
	if (letters == 0 || letters > BOOK_COLUMNS || **text < '1' || **text > '9')
		return false;
	*column = letters - 1;
	*row = strtoull(*text, &end, 10);
	*text = end;
	return *row <= BOOK_ROWS;
}

static void
start(void *data, const char *name, const char **attributes)
{
	const char *at;
	unsigned left;
	unsigned right;
	uint64_t first;
	uint64_t last;

	if (strcmp(name, "mergeCell") != 0)
		return;
	at = xml_attribute(attributes, "ref");
	if (at != NULL && read_reference(&at, &left, &first) && *at++ == ':' &&
		read_reference(&at, &right, &last) && *at == '\0')
		merge_add(data, first, last, left, right);
}

const XmlHandlers merged_cells_handlers = {start, NULL, NULL};

typedef struct MergedPart
{
	Unzip *unzip;
	int64_t part;
	Sheet *sheet;
} MergedPart;

/* Does the open part have the word, in UTF-8 or UTF-16?  Blocks overlap, so that it is not cut in two. */
static bool
has_word(Unzip *unzip)
{
	static const char word[] = "mergeCell";
	static const char wide[] = "m\0e\0r\0g\0e\0C\0e\0l\0l";
	char *bytes = parse_allocate(unzip->parse, sizeof(wide) + BLOCK);
	size_t kept = 0;
	size_t got;
	bool found = false;

	while (!found && (got = unzip_read(unzip, bytes + kept, BLOCK)) > 0)
	{
		size_t length = kept + got;

		found = memmem(bytes, length, word, sizeof(word) - 1) != NULL ||
				memmem(bytes, length, wide, sizeof(wide) - 1) != NULL;
		kept = length < sizeof(wide) ? length : sizeof(wide);
		memmove(bytes, bytes + length - kept, kept);
	}
	parse_release(unzip->parse, bytes);
	return found;
}

static void
read_merged(void *data)
{
	const MergedPart *part = data;
	bool found;

	unzip_begin(part->unzip, part->part);
	found = has_word(part->unzip);
	unzip_end(part->unzip);
	if (found)
		xml_read(part->unzip, part->part, &merged_cells_handlers, part->sheet);
}

void
merged_cells_read(Unzip *unzip, const char *name, Sheet *sheet)
{
	MergedPart part = {unzip, unzip_find(unzip, name), sheet};
	uint64_t total = unzip->total;

	if (part.part >= 0 && !parse_try(unzip->parse, read_merged, &part))
		unzip_abandon(unzip);
	/* the part is counted when its rows are read */
	unzip->total = total;
}
