/*
 * xls_write_file.c - write an OLE2 container with one stream: header, stream, directory, allocation
 * table (FAT), and the list of the sectors of that table (DIFAT).
 *
 * They follow each other in this order without gaps, so all offsets follow from the length of the
 * stream.
 */

#include "xls/xls_write.h"

#define SECTOR 512
#define SHORTEST 4096	   /* bytes; a shorter stream would use small sectors */
#define TABLE (SECTOR / 4) /* entries of a FAT sector */
#define LISTED 109		   /* FAT sectors listed in the header */
#define LIST \
	(TABLE - 1) /* FAT sectors listed in a DIFAT sector; its last entry is the next DIFAT sector */
#define OF_LIST 0xFFFFFFFCU
#define OF_TABLE 0xFFFFFFFDU
#define LAST 0xFFFFFFFEU
#define UNUSED 0xFFFFFFFFU

/* Number of sectors of each kind. */
typedef struct Layout
{
	uint32_t stream;
	uint32_t table;
	uint32_t list;
} Layout;

static Layout
lay_out(uint64_t length)
{
	Layout layout = {.stream = (uint32_t) ((length + SECTOR - 1) / SECTOR)};
	uint32_t before;

	if (layout.stream < SHORTEST / SECTOR)
		layout.stream = SHORTEST / SECTOR;
	do
	{
		uint32_t all = layout.stream + 1 + layout.table + layout.list;

		before = layout.table;
		layout.table = (all + TABLE - 1) / TABLE;
		layout.list = layout.table > LISTED ? (layout.table - LISTED + LIST - 1) / LIST : 0;
	} while (layout.table != before);
	return layout;
}

static void
write_number(FILE *file, uint32_t number)
{
	number = htole32(number);
	fwrite(&number, sizeof(number), 1, file);
}

/* Write consecutive sector numbers, then pad with a value. */
static void
write_numbers(FILE *file, uint32_t first, uint32_t count, uint32_t room)
{
	for (uint32_t i = 0; i < room; i++)
		write_number(file, i < count ? first + i : UNUSED);
}

void
xls_write_file_header(FILE *file, uint64_t length)
{
	static const unsigned char magic[] = {0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1};
	Layout layout = lay_out(length);
	uint32_t table = layout.stream + 1;
	XlsBytes header = {0};

	for (size_t i = 0; i < sizeof(magic); i++)
		xls_write_put(&header, magic[i], 1);
	/* version, little-endian, sectors of 512 bytes, small ones of 64 */
	xls_write_pack(&header, "8842284", 0, 0, 0x0003003E, 0xFFFE, 9, 6, 0);
	/* the directory; no small sectors */
	xls_write_pack(&header, "444444", layout.table, layout.stream, 0, SHORTEST, LAST, 0);
	xls_write_pack(&header, "44", layout.list > 0 ? table + layout.table : LAST, layout.list);
	fwrite(header.bytes, 1, header.length, file);
	write_numbers(file, table, layout.table, LISTED);
}

static void
write_entry(FILE *file, const char *name, unsigned kind, uint32_t child, uint32_t first,
			uint32_t size)
{
	XlsBytes entry = {0};
	size_t length = strlen(name);

	for (size_t i = 0; i < 32; i++)
		xls_write_put(&entry, i < length ? (unsigned char) name[i] : 0, 2);
	xls_write_pack(&entry, "211", length > 0 ? (unsigned) (length + 1) * 2 : 0, kind, 1);
	/* no identifier, no flags, no times */
	xls_write_pack(&entry, "4448884848", UNUSED, UNUSED, child, 0, 0, 0, 0, 0, first, size);
	fwrite(entry.bytes, 1, entry.length, file);
}

/* Write the FAT. */
static void
write_table(FILE *file, const Layout *layout)
{
	for (uint32_t i = 1; i < layout->stream; i++)
		write_number(file, i);
	write_number(file, LAST);
	write_number(file, LAST);
	for (uint32_t i = 0; i < layout->table; i++)
		write_number(file, OF_TABLE);
	for (uint32_t i = 0; i < layout->list; i++)
		write_number(file, OF_LIST);
	for (uint32_t i = layout->stream + 1 + layout->table + layout->list; i % TABLE != 0; i++)
		write_number(file, UNUSED);
}

/* Write the DIFAT: FAT sectors that do not fit into the header. */
static void
write_list(FILE *file, const Layout *layout)
{
	uint32_t table = layout->stream + 1;

	for (uint32_t i = 0; i < layout->list; i++)
	{
		uint32_t done = LISTED + i * LIST;

		write_numbers(file, table + done, layout->table - done, LIST);
		write_number(file, i + 1 < layout->list ? table + layout->table + i + 1 : LAST);
	}
}

void
xls_write_file_trailer(FILE *file, uint64_t length)
{
	Layout layout = lay_out(length);
	uint64_t whole = (uint64_t) layout.stream * SECTOR;

	for (uint64_t i = length; i < whole; i++)
		fputc(0, file);
	write_entry(file, "Root Entry", 5, 1, LAST, 0);
	write_entry(file, "Workbook", 2, UNUSED, 0, (uint32_t) (length < SHORTEST ? SHORTEST : length));
	write_entry(file, "", 0, UNUSED, 0, 0);
	write_entry(file, "", 0, UNUSED, 0, 0);
	write_table(file, &layout);
	write_list(file, &layout);
}
