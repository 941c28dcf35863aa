/*
 * parts.c - fuzzing target: the parts of an XLSX, in a valid archive.
 *
 * Each part begins with a line of @ and its name.  Its bytes are not compressed and their checksum is
 * right, so that fuzzing reaches how parts refer to each other, and what happens to the others
 * when one cannot be read.
 */
#include "frames.h"
#include "fuzz.h"

#define PARTS 16

/* A part, as an entry of the archive. */
typedef struct Entry
{
	const char *name;
	size_t name_length;
	const char *bytes;
	size_t length;
	size_t place; /* offset of its header */
} Entry;

static uint32_t
checksum(const char *bytes, size_t length)
{
	uint32_t sum = UINT32_MAX;

	for (size_t i = 0; i < length; i++)
	{
		sum ^= (unsigned char) bytes[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320 : 0);
	}
	return ~sum;
}

/* Split the text into parts; return how many there are. */
static size_t
split(char *text, size_t length, Entry *parts)
{
	char *const end = text + length;
	size_t count = 0;

	while (text < end && *text == '@' && count < PARTS)
	{
		char *line = memchr(text, '\n', (size_t) (end - text));
		char *next;

		if (line == NULL)
			break;
		next = memmem(line, (size_t) (end - line), "\n@", 2);
		next = next == NULL ? end : next;
		parts[count].name = text + 1;
		parts[count].name_length = (size_t) (line - text - 1);
		parts[count].bytes = next == line ? line : line + 1;
		parts[count++].length = next == line ? 0 : (size_t) (next - line - 1);
		text = next + (next < end);
	}
	return count;
}

static void
put(Buffer *archive, uint32_t number, int bytes)
{
	frame_number(archive, number, (unsigned) bytes);
}

/* Fields that the header of a part and its entry in the directory have in common. */
static void
put_part(Buffer *archive, const Entry *part)
{
	put(archive, 20, 2);
	put(archive, 0, 8);
	put(archive, checksum(part->bytes, part->length), 4);
	put(archive, (uint32_t) part->length, 4);
	put(archive, (uint32_t) part->length, 4);
	put(archive, (uint32_t) part->name_length, 2);
	put(archive, 0, 2);
}

static void
put_archive(Buffer *archive, Entry *parts, size_t count)
{
	size_t directory;
	size_t size;

	for (size_t i = 0; i < count; i++)
	{
		parts[i].place = archive->length;
		buffer_append(archive, "PK\3\4", 4);
		put_part(archive, &parts[i]);
		buffer_append(archive, parts[i].name, parts[i].name_length);
		buffer_append(archive, parts[i].bytes, parts[i].length);
	}
	directory = archive->length;
	for (size_t i = 0; i < count; i++)
	{
		buffer_append(archive, "PK\1\2\24\0", 6);
		put_part(archive, &parts[i]);
		buffer_append(archive, "\0\0\0\0\0\0\0\0\0\0", 10);
		put(archive, (uint32_t) parts[i].place, 4);
		buffer_append(archive, parts[i].name, parts[i].name_length);
	}
	size = archive->length - directory;
	buffer_append(archive, "PK\5\6\0\0\0\0", 8);
	put(archive, (uint32_t) count, 2);
	put(archive, (uint32_t) count, 2);
	put(archive, (uint32_t) size, 4);
	put(archive, (uint32_t) directory, 4);
	put(archive, 0, 2);
}

void
fuzz_one(char *text, size_t length)
{
	Entry parts[PARTS];
	Buffer archive;

	buffer_init(&archive, 1 << 20);
	put_archive(&archive, parts, split(text, length, parts));
	if (!archive.failed)
		frames_check(archive.data, archive.length, archive.length, xlsx_read);
	buffer_free(&archive);
}
