/*
 * biff_container.c - the OLE2 container of a workbook of Excel 5 to 2003: streams in chains of sectors.
 */
#include <ctype.h>

#include "xls/biff.h"

#define NONE 0xFFFFFFFAU /* values from here on are not sectors */
#define HEADER 512
#define ENTRY 128

typedef struct Container
{
	Parse *parse;
	size_t sector; /* bytes */
	size_t small;
	uint32_t sectors; /* maximum that the file can hold */
	uint32_t *next;
	uint32_t next_count;
	unsigned char header[HEADER];
} Container;

/* Read a sector; bytes after the end of the file are zeros. */
static void
read_sector(Container *container, uint32_t sector, unsigned char *bytes)
{
	Source *source = container->parse->source;
	uint64_t offset = ((uint64_t) sector + 1) * container->sector;

	memset(bytes, 0, container->sector);
	if (sector >= container->sectors ||
		source->read_at(source, (char *) bytes, container->sector, offset) <= 0)
		biff_refuse(container->parse);
	if (offset > container->parse->taken)
		container->parse->taken = offset;
	parse_progress(container->parse);
}

/* Read a chain of sectors, up to a maximum of bytes. */
static unsigned char *
read_chain(Container *container, uint32_t sector, uint64_t maximum, size_t *length)
{
	unsigned char *bytes = NULL;
	size_t room = 0;

	for (*length = 0; sector < NONE && *length < maximum; *length += container->sector)
	{
		/* longer than the file: the chain has a cycle */
		if (*length / container->sector >= container->sectors)
			biff_refuse(container->parse);
		if (room - *length < container->sector)
		{
			room += room / 2 + 16 * container->sector;
			bytes = parse_resize(container->parse, bytes, room);
		}
		read_sector(container, sector, bytes + *length);
		sector = sector < container->next_count ? container->next[sector] : NONE;
	}
	return bytes;
}

/* Append a sector to the allocation table. */
static void
add_table(Container *container, uint32_t sector)
{
	uint32_t count = (uint32_t) (container->sector / 4);
	unsigned char bytes[4096];

	/* the table has no more entries than sectors, apart from padding */
	if (container->next_count > container->sectors + count)
		biff_refuse(container->parse);
	container->next = parse_resize(container->parse, container->next,
								   (container->next_count + (size_t) count) * sizeof(uint32_t));
	read_sector(container, sector, bytes);
	for (uint32_t i = 0; i < count; i++)
		container->next[container->next_count++] = little_u32(bytes + (size_t) i * 4);
}

/* Read the allocation table: its sectors are listed in the header, and further ones in a chain. */
static void
read_table(Container *container)
{
	const size_t last = container->sector - 4;
	uint32_t sector = little_u32(container->header + 68);
	unsigned char bytes[4096];

	for (size_t i = 76; i < HEADER; i += 4)
		if (little_u32(container->header + i) < NONE)
			add_table(container, little_u32(container->header + i));
	for (uint32_t i = 0; sector < NONE && i < container->sectors; i++)
	{
		read_sector(container, sector, bytes);
		for (size_t at = 0; at < last; at += 4)
			if (little_u32(bytes + at) < NONE)
				add_table(container, little_u32(bytes + at));
		sector = little_u32(bytes + last);
	}
}

/* Is it the entry of a stream of this name, ignoring letter case? */
static bool
is_named(const unsigned char *entry, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i <= length; i++)
		if (tolower(entry[i * 2]) != tolower((unsigned char) name[i]) || entry[i * 2 + 1] != 0)
			return false;
	return entry[66] == 2;
}

/* Read a short stream, whose small sectors are in the stream of the root entry. */
static unsigned char *
read_small(Container *container, const unsigned char *root, uint32_t sector, size_t *length)
{
	size_t size;
	size_t table_size;
	unsigned char *all = read_chain(container, little_u32(root + 116), UINT32_MAX, &size);
	unsigned char *table =
		read_chain(container, little_u32(container->header + 60), UINT32_MAX, &table_size);
	unsigned char *bytes = parse_allocate(container->parse, *length + container->small);
	size_t used = 0;

	for (; used < *length && sector < NONE; used += container->small)
	{
		size_t offset = sector * container->small;

		if (offset + container->small > size || (size_t) sector * 4 + 4 > table_size)
			biff_refuse(container->parse);
		memcpy(bytes + used, all + offset, container->small);
		sector = little_u32(table + (size_t) sector * 4);
	}
	*length = used < *length ? used : *length;
	parse_release(container->parse, all);
	parse_release(container->parse, table);
	return bytes;
}

static void
open_container(Container *container)
{
	static const unsigned char magic[] = {0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1};
	Source *source = container->parse->source;
	unsigned shift;

	if (source->read_at(source, (char *) container->header, HEADER, 0) != HEADER ||
		memcmp(container->header, magic, sizeof(magic)) != 0)
		biff_refuse(container->parse);
	shift = container->header[30];
	if ((shift != 9 && shift != 12) || container->header[32] > shift || container->header[32] < 4)
		biff_refuse(container->parse);
	container->sector = (size_t) 1 << shift;
	container->small = (size_t) 1 << container->header[32];
	if (source->size / container->sector > UINT32_MAX / 8)
		biff_refuse(container->parse);
	container->sectors = (uint32_t) (source->size / container->sector);
	read_table(container);
}

/* Read the stream of a directory entry; the first entry is the root. */
static unsigned char *
read_stream(Container *container, const unsigned char *root, const unsigned char *entry,
			size_t *length)
{
	uint32_t sector = little_u32(entry + 116);
	size_t stated = little_u32(entry + 120);
	unsigned char *bytes;

	if (stated > container->parse->source->size)
		biff_refuse(container->parse);
	*length = stated;
	if (stated < little_u32(container->header + 56))
		return read_small(container, root, sector, length);
	bytes = read_chain(container, sector, stated, length);
	if (*length < stated)
		biff_refuse(container->parse);
	*length = stated;
	return bytes;
}

unsigned char *
biff_container_read(Parse *parse, const char *const *names, size_t *length)
{
	Container *container = parse_allocate(parse, sizeof(Container));
	unsigned char *directory;
	unsigned char *bytes = NULL;
	size_t size;

	container->parse = parse;
	open_container(container);
	directory = read_chain(container, little_u32(container->header + 48), UINT32_MAX, &size);
	for (; *names != NULL && bytes == NULL; names++)
		for (size_t at = 0; at + ENTRY <= size && bytes == NULL; at += ENTRY)
			if (is_named(directory + at, *names))
				bytes = read_stream(container, directory, directory + at, length);
	parse_release(parse, directory);
	parse_release(parse, container->next);
	parse_release(parse, container);
	return bytes;
}
