/*
 * changes_digest.c
 *	  Rows in which two versions of a sheet differ.
 *
 * Most rows of two versions are the same, so these are left out before the others are sorted: a row
 * of one version is the same as one of the other version that has the same digest.  A digest is a
 * hash of 128 bits with a random seed, so that nobody can make rows that have the same one.  The
 * digests of one version are in memory; if there are many, this is done for one part of them after
 * the other.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "contents/changes.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "sheets/sheets.h"

/* Size of the digests that are in memory at a time, as a multiple of work_mem. */
#define WORK_MEMS 16

typedef struct Digest
{
	uint64 low;
	uint64 high;
} Digest;

typedef struct DigestEntry
{
	Digest digest;
	uint32 count; /* of rows of the earlier version that are in no other one so far */
	char status;  /* of simplehash.h */
} DigestEntry;

#define SH_PREFIX digests
#define SH_ELEMENT_TYPE DigestEntry
#define SH_KEY_TYPE Digest
#define SH_KEY digest
#define SH_HASH_KEY(table, key) ((uint32) (key).low)
#define SH_EQUAL(table, a, b) ((a).low == (b).low && (a).high == (b).high)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* A comparison of two versions. */
typedef struct Comparing
{
	const ChangesQuery *query;
	int columns;		   /* of both versions together */
	int *places[VERSIONS]; /* number of each in a version, -1 if it has none of that name */
	uint64 seeds[2];
	uint64 part; /* digests of this part only, */
	uint64 parts;
	digests_hash *digests;
	SheetSort **sorts;
	StringInfoData bytes; /* of a row */
	StringInfoData text;
} Comparing;

/* Find the columns of both versions: those of the later one, then the others of the earlier one. */
static void
find_columns(Comparing *comparing)
{
	const Sheet *from = comparing->query->versions[VERSION_FROM]->sheet;
	const Sheet *to = comparing->query->versions[VERSION_TO]->sheet;
	size_t most = (size_t) from->ncolumns + (size_t) to->ncolumns + 1;

	for (Version version = VERSION_FROM; version < VERSIONS; version++)
		comparing->places[version] = palloc(sizeof(int) * most);
	for (int i = 0; i < to->ncolumns; i++, comparing->columns++)
	{
		comparing->places[VERSION_TO][i] = i;
		comparing->places[VERSION_FROM][i] = cat_sheet_lookup_column(from, to->columns[i].name);
	}
	for (int i = 0; i < from->ncolumns; i++)
		if (cat_sheet_lookup_column(to, from->columns[i].name) < 0)
		{
			comparing->places[VERSION_TO][comparing->columns] = -1;
			comparing->places[VERSION_FROM][comparing->columns++] = i;
		}
}

/* Return the digest of a row of the current chunk: of the texts of its cells, by column. */
static Digest
digest_of(Comparing *comparing, Version version, ChunkScan *scan, int row)
{
	StringInfo bytes = &comparing->bytes;

	resetStringInfo(bytes);
	for (int i = 0; i < comparing->columns; i++)
	{
		int place = comparing->places[version][i];
		const Cells *cells = place < 0 ? NULL : cat_sheet_scan_cells(scan, place);
		int length = !cells || cells->absent[row] ? -1 : cells_length(cells, row);

		appendBinaryStringInfo(bytes, (char *) &length, sizeof(length));
		if (length > 0)
			appendBinaryStringInfo(bytes, cells_text(cells, row), length);
	}
	return (Digest){
		hash_bytes_extended((unsigned char *) bytes->data, bytes->len, comparing->seeds[0]),
		hash_bytes_extended((unsigned char *) bytes->data, bytes->len, comparing->seeds[1])};
}

/* Count a row of the earlier version. */
static void
count_row(Comparing *comparing, Version version, ChunkScan *scan, int row, Digest digest)
{
	bool found;
	DigestEntry *entry = digests_insert(comparing->digests, digest, &found);

	entry->count = found ? entry->count + 1 : 1;
}

/*
 * Add a row to the sort of its version, with the texts of its key, each after its length, and the
 * row itself.
 */
static void
sort_row(Comparing *comparing, Version version, ChunkScan *scan, int row)
{
	StringInfo text = &comparing->text;
	ListCell *cell;

	resetStringInfo(text);
	foreach(cell, comparing->query->keys[version])
	{
		const Cells *cells = cat_sheet_scan_cells(scan, lfirst_int(cell));
		int length = cells_length(cells, row);

		appendBinaryStringInfo(text, (char *) &length, sizeof(length));
		appendBinaryStringInfo(text, cells_text(cells, row), length);
	}
	cat_sheet_row_json(text, comparing->query->versions[version], scan, row);
	cat_sheet_sort_row(comparing->sorts[version], scan, row, text);
}

/* Sort a row of the later version unless the earlier one has it, which then is not counted again. */
static void
sort_new_row(Comparing *comparing, Version version, ChunkScan *scan, int row, Digest digest)
{
	DigestEntry *entry = digests_lookup(comparing->digests, digest);

	if (entry && entry->count > 0)
		entry->count--;
	else
		sort_row(comparing, version, scan, row);
}

/* Sort a row of the earlier version if it is one of those that the later version does not have. */
static void
sort_old_row(Comparing *comparing, Version version, ChunkScan *scan, int row, Digest digest)
{
	DigestEntry *entry = digests_lookup(comparing->digests, digest);

	if (entry->count == 0)
		return;
	entry->count--;
	sort_row(comparing, version, scan, row);
}

/* Call a function for each row of a version whose digest is in the current part. */
static void
scan_rows(Comparing *comparing, Version version,
		  void (*take)(Comparing *comparing, Version version, ChunkScan *scan, int row,
					   Digest digest))
{
	ChunkScan scan;

	cat_sheet_scan_open(&scan, comparing->query->versions[version]->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		for (int row = 0; row < scan.chunk.rows; row++)
		{
			Digest digest = digest_of(comparing, version, &scan, row);

			if (digest.high % comparing->parts == comparing->part)
				take(comparing, version, &scan, row, digest);
		}
	cat_sheet_scan_close(&scan);
}

/* Return the number of parts, of which each fits into memory with a table twice as large. */
static uint64
count_parts(int64 rows)
{
	int64 most = (int64) work_mem * 1024 * WORK_MEMS / (int64) (2 * sizeof(DigestEntry));

	return (uint64) (rows / most) + 1;
}

/* Sort the rows that differ and whose digests are in one part. */
static void
sort_part(Comparing *comparing)
{
	comparing->digests = digests_create(CurrentMemoryContext, 1024, NULL);
	scan_rows(comparing, VERSION_FROM, count_row);
	scan_rows(comparing, VERSION_TO, sort_new_row);
	scan_rows(comparing, VERSION_FROM, sort_old_row);
	digests_destroy(comparing->digests);
}

/*
 * Sort the rows of both versions that are not, cell by cell, rows of the other one.  Columns
 * correspond by name; the cells of a column that a version does not have are absent.
 */
void
cat_changes_digest_sort(const ChangesQuery *query, SheetSort **sorts)
{
	Comparing comparing = {.query = query, .sorts = sorts};
	int64 rows = query->versions[VERSION_FROM]->sheet->rows;

	if (query->versions[VERSION_FROM]->revision == query->versions[VERSION_TO]->revision)
		return;
	if (!pg_strong_random(comparing.seeds, sizeof(comparing.seeds)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random numbers")));
	find_columns(&comparing);
	initStringInfo(&comparing.bytes);
	initStringInfo(&comparing.text);
	comparing.parts = count_parts(rows);
	for (; comparing.part < comparing.parts; comparing.part++)
		sort_part(&comparing);
	pfree(comparing.bytes.data);
	pfree(comparing.text.data);
}
