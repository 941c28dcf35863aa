/*
 * changed_rows.c
 *	  Rows of two versions of a file that may differ.
 *
 * Both versions are read side by side, and rows that are the same are left out in pairs: whole chunks of the same bytes,
 * and rows of the same digest, also where a few have been added or removed in between, or many at one place.  What is
 * left are the rows that differ, and those that are far from where they were: their digests are sorted by PostgreSQL, in
 * work_mem and on disk beyond, and of those that are equal as many of both versions are left out.
 */
#include "catalogue.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/tuplesort.h"

#include "rows/contents/changes_internal.h"

/* Rows behind one that differs in which the same one is sought. */
#define AHEAD 64
/* Rows behind which the comparison ends if most of them are left. */
#define ENOUGH (4 * CHUNK_ROWS)

/* A hash of 128 bits with random seeds, so that nobody can make rows that have the same one. */
typedef struct Digest
{
	uint64 parts[2];
} Digest;

/* Rows of a version from one on. */
typedef struct Side
{
	ChunkScan scan;
	const VersionColumns *columns;
	const int64 *seeds;
	StringInfoData cells; /* of the row whose digest is taken */
	Digest *digests;	  /* of the last rows that were read */
	int count;
	int at;			/* how many of these were compared */
	uint64 *marked; /* bits of the rows that are left, */
	int64 left;		/* and how many */
	ChunkScan far;	/* of single rows */
	int64 tried;	/* the row for which one was sought far ahead last */
} Side;

/* Append what the digest of a row is of: each cell after its length. */
static void
append_cells(StringInfo out, const VersionColumns *columns, ChunkScan *scan, int row)
{
	for (int i = 0; i < columns->count; i++)
	{
		int number = columns->numbers[i];
		CellText cell = {.absent = true};
		int length;

		if (number >= 0)
			cell = cat_sheet_scan_cell(scan, number, row);
		length = cell.absent ? -1 : cell.length;
		appendBinaryStringInfo(out, (char *) &length, sizeof(length));
		if (length > 0)
			appendBinaryStringInfo(out, cell.bytes, length);
	}
}

static int
count_left(const Side *side)
{
	return side->count - side->at;
}

/* The number of the next row. */
static int64
next_row(const Side *side)
{
	return side->scan.next - count_left(side);
}

static Digest
digest_of(Side *side, ChunkScan *scan, int row)
{
	Digest digest;

	resetStringInfo(&side->cells);
	append_cells(&side->cells, side->columns, scan, row);
	for (int i = 0; i < (int) lengthof(digest.parts); i++)
		digest.parts[i] = hash_bytes_extended((unsigned char *) side->cells.data, side->cells.len,
											  (uint64) side->seeds[i]);
	return digest;
}

/* Take the digests of the rows of a chunk that was read. */
static void
take_digests(Side *side)
{
	memmove(side->digests, side->digests + side->at, sizeof(Digest) * (size_t) count_left(side));
	side->count -= side->at;
	side->at = 0;
	for (int row = 0; row < side->scan.chunk.rows; row++)
		side->digests[side->count++] = digest_of(side, &side->scan, row);
}

/* Read on until there are so many rows, at most AHEAD + 1; false if there is none. */
static bool
fill(Side *side, int count)
{
	while (count_left(side) < count && cat_sheet_scan_next(&side->scan))
		take_digests(side);
	return count_left(side) > 0;
}

/* Pass chunks that are the same in both versions, and read the next ones. */
static void
pass_chunks(Side *from, Side *to)
{
	bool more[VERSIONS];

	do
	{
		more[VERSION_FROM] = cat_sheet_scan_next(&from->scan);
		more[VERSION_TO] = cat_sheet_scan_next(&to->scan);
	} while (more[VERSION_FROM] && more[VERSION_TO] &&
			 cat_sheet_scan_is_same(&from->scan, &to->scan));
	if (more[VERSION_FROM])
		take_digests(from);
	if (more[VERSION_TO])
		take_digests(to);
}

static void
mark_row(Side *side, int64 row)
{
	side->marked[(row - 1) / 64] |= UINT64CONST(1) << ((row - 1) % 64);
	side->left++;
}

/* Mark the next rows. */
static void
mark(Side *side, int count)
{
	for (; count > 0; count--, side->at++)
		mark_row(side, next_row(side));
}

static void
mark_rest(Side *side)
{
	mark(side, count_left(side));
	for (int64 row = side->scan.next; row <= side->scan.sheet->rows; row++)
		mark_row(side, row);
}

static bool
is_equal(const Digest *left, const Digest *right)
{
	return memcmp(left, right, sizeof(Digest)) == 0;
}

/* Return whether a row ahead is one of the other side. */
static bool
is_same(const Side *side, int ahead, const Side *other, int further)
{
	return ahead < count_left(side) && further < count_left(other) &&
		   is_equal(&side->digests[side->at + ahead], &other->digests[other->at + further]);
}

/* Mark the rows in front of one, and go on with that. */
static void
mark_until(Side *side, int64 row)
{
	for (int64 marked = next_row(side); marked < row; marked++)
		mark_row(side, marked);
	side->count = side->at = 0;
	cat_sheet_scan_at(&side->scan, row);
	side->scan.next = side->scan.chunk.first + side->scan.chunk.rows;
	take_digests(side);
	side->at = (int) (row - side->scan.chunk.first);
}

/*
 * Pass so many rows that both versions have as many left, if the next row of the other version is there; it is sought
 * once in as many rows as a chunk may have.  Returns whether it is.
 */
static bool
pass_block(Side *side, Side *other)
{
	int64 row = side->scan.sheet->rows - (other->scan.sheet->rows - next_row(other));
	Digest digest;

	if (row <= next_row(side) + AHEAD || next_row(other) < other->tried)
		return false;
	other->tried = next_row(other) + CHUNK_ROWS;
	cat_sheet_scan_at(&side->far, row);
	digest = digest_of(side, &side->far, (int) (row - side->far.chunk.first));
	if (!is_equal(&digest, &other->digests[other->at]))
		return false;
	mark_until(side, row);
	return true;
}

/* Compare the next rows, of which both sides have one. */
static void
compare(Side *from, Side *to)
{
	if (is_same(from, 0, to, 0))
	{
		from->at++;
		to->at++;
		return;
	}
	(void) fill(from, AHEAD + 1);
	(void) fill(to, AHEAD + 1);
	for (int ahead = 1; ahead <= AHEAD; ahead++)
	{
		bool added = is_same(from, 0, to, ahead);

		if (added || is_same(from, ahead, to, 0))
		{
			mark(added ? to : from, ahead);
			return;
		}
	}
	if (pass_block(from, to) || pass_block(to, from))
		return;
	mark(from, 1);
	mark(to, 1);
}

/* Return whether most of the rows so far are left, so that there is an order of another kind. */
static bool
is_other(const Side *side)
{
	int64 passed = next_row(side) - 1;

	return passed > ENOUGH && side->left > passed / 2;
}

/* Return the rows of a version, of which none is marked yet. */
static Side *
begin(const Sheet *sheet, const VersionColumns *columns, const int64 *seeds)
{
	Side *side = palloc0(sizeof(Side));

	cat_sheet_scan_open(&side->scan, sheet, 1);
	cat_sheet_scan_open(&side->far, sheet, 1);
	side->columns = columns;
	side->seeds = seeds;
	initStringInfo(&side->cells);
	side->digests = palloc(sizeof(Digest) * (CHUNK_ROWS + AHEAD + 1));
	side->marked = palloc0(sizeof(uint64) * (size_t) (sheet->rows / 64 + 2));
	return side;
}

/* Return the bits of the rows of a chunk, as RowTest.keep. */
static const uint64 *
keep(ChunkScan *scan, int but)
{
	const uint64 *marked = scan->tests;
	uint64 *bits = scan->kept;

	if (bits)
		return bits;
	bits = MemoryContextAllocZero(scan->chunk_memory, sizeof(uint64) * CHUNK_WORDS);
	for (int row = 0; row < scan->chunk.rows; row++)
	{
		int64 at = scan->chunk.first - 1 + row;

		bits[row / 64] |= (marked[at / 64] >> (at % 64) & 1) << (row % 64);
	}
	scan->kept = bits;
	return bits;
}

/* Return whether any row of a chunk is marked, as RowTest.may_keep. */
static bool
may_keep(const ChunkScan *scan, int but, int64 first, int count, const struct varlena *bounds)
{
	const uint64 *marked = scan->tests;

	for (int64 at = first - 1; at < first - 1 + count; at++)
		if (marked[at / 64] >> (at % 64) & 1)
			return true;
	return false;
}

/* Have a scan keep the rows that are marked. */
static void
keep_marked(ChunkScan *scan, const Side *side)
{
	static const RowTest test = {keep, may_keep};

	scan->test = &test;
	scan->tests = side->marked;
}

/* ---- Rows that are elsewhere ---- */

/* Digests of rows that are left, in their order; those of the earlier version come first. */
typedef struct DigestSort
{
	Tuplesortstate *state;
	TupleTableSlot *in;
	TupleTableSlot *out;
} DigestSort;

/* Columns of its tuples: the digest, and the number of the row with the version as its highest bits. */
#define DIGEST_COLUMNS 3
#define VERSION_BIT 62

static void
begin_sort(DigestSort *sort)
{
	TupleDesc desc = CreateTemplateTupleDesc(DIGEST_COLUMNS);
	AttrNumber numbers[] = {1, 2, 3};
	Oid operators[] = {Int8LessOperator, Int8LessOperator, Int8LessOperator};
	Oid collations[DIGEST_COLUMNS] = {InvalidOid};
	bool nulls_first[DIGEST_COLUMNS] = {false};

	for (int i = 0; i < DIGEST_COLUMNS; i++)
		TupleDescInitEntry(desc, numbers[i], NULL, INT8OID, -1, 0);
	sort->in = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	sort->out = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	sort->state = tuplesort_begin_heap(desc, DIGEST_COLUMNS, numbers, operators, collations,
									   nulls_first, work_mem, NULL, TUPLESORT_NONE);
}

/* Put the digests of the rows of a version that are left into the sort. */
static void
put_digests(DigestSort *sort, Side *side, Version version)
{
	int *rows = palloc(sizeof(int) * CHUNK_ROWS);
	ChunkScan scan;

	cat_sheet_scan_open(&scan, side->scan.sheet, 1);
	keep_marked(&scan, side);
	for (int64 row = 1; cat_sheet_scan_seek_kept(&scan, row, -1); row = scan.next)
	{
		int count = cat_sheet_scan_rows(&scan, -1, rows);

		for (int i = 0; i < count; i++)
		{
			Digest digest = digest_of(side, &scan, rows[i]);

			ExecClearTuple(sort->in);
			sort->in->tts_values[0] = Int64GetDatum((int64) digest.parts[0]);
			sort->in->tts_values[1] = Int64GetDatum((int64) digest.parts[1]);
			sort->in->tts_values[2] =
				Int64GetDatum((int64) version << VERSION_BIT | (scan.chunk.first + rows[i]));
			memset(sort->in->tts_isnull, false, sizeof(bool) * DIGEST_COLUMNS);
			ExecStoreVirtualTuple(sort->in);
			tuplesort_puttupleslot(sort->state, sort->in);
		}
	}
}

/* Rows of the earlier version that have one digest, the first of which are listed. */
#define LISTED 65536
typedef struct EqualRows
{
	Digest digest;
	int64 listed[LISTED];
	uint64 *others; /* bits of the others, NULL: there were none yet */
	int64 count;
	int64 paired; /* how many of the later version are left out for one of them */
} EqualRows;

static void
leave_out(Side *side, int64 row)
{
	side->marked[(row - 1) / 64] &= ~(UINT64CONST(1) << ((row - 1) % 64));
}

/* Leave out as many of the last equal rows of the earlier version as of the first ones of the later version. */
static void
end_equal(EqualRows *equal, Side *from)
{
	int64 listed = Min(equal->count, LISTED);
	int64 left = equal->paired;

	for (int64 word = from->scan.sheet->rows / 64; equal->count > LISTED && word >= 0; word--)
		for (; equal->others[word] != 0; left--)
		{
			int bit = pg_leftmost_one_pos64(equal->others[word]);

			equal->others[word] ^= UINT64CONST(1) << bit;
			if (left > 0)
				leave_out(from, word * 64 + bit + 1);
		}
	for (; left > 0; left--)
		leave_out(from, equal->listed[--listed]);
	equal->count = equal->paired = 0;
}

static void
take_earlier(EqualRows *equal, int64 row, const Side *from)
{
	if (equal->count < LISTED)
		equal->listed[equal->count] = row;
	else
	{
		if (!equal->others)
			equal->others = palloc0(sizeof(uint64) * (size_t) (from->scan.sheet->rows / 64 + 1));
		equal->others[(row - 1) / 64] |= UINT64CONST(1) << ((row - 1) % 64);
	}
	equal->count++;
}

/* Leave out rows that both versions have, in the order of their digests. */
static void
pair_rows(DigestSort *sort, Side *from, Side *to)
{
	EqualRows *equal = palloc0(sizeof(EqualRows));

	while (tuplesort_gettupleslot(sort->state, true, false, sort->out, NULL))
	{
		Digest digest;
		int64 row;

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(sort->out);
		digest.parts[0] = (uint64) DatumGetInt64(sort->out->tts_values[0]);
		digest.parts[1] = (uint64) DatumGetInt64(sort->out->tts_values[1]);
		row = DatumGetInt64(sort->out->tts_values[2]);
		if (!is_equal(&digest, &equal->digest))
			end_equal(equal, from);
		equal->digest = digest;
		if (row >> VERSION_BIT == VERSION_FROM)
			take_earlier(equal, row, from);
		else if (equal->paired < equal->count)
		{
			equal->paired++;
			leave_out(to, row - ((int64) VERSION_TO << VERSION_BIT));
		}
	}
	end_equal(equal, from);
}

/* Mark the rows that may differ. */
static void
mark_rows(Side *from, Side *to)
{
	bool alike = memcmp(from->columns->numbers, to->columns->numbers,
						sizeof(int) * (size_t) to->columns->count) == 0;

	for (;;)
	{
		if (alike && count_left(from) == 0 && count_left(to) == 0)
			pass_chunks(from, to);
		if (!fill(from, 1) || !fill(to, 1) || (is_other(from) && is_other(to)))
			break;
		compare(from, to);
	}
	mark_rest(from);
	mark_rest(to);
}

void
cat_changed_rows_find(ChunkScan *const scans[VERSIONS], const VersionColumns columns[VERSIONS],
					  bool same)
{
	Side *sides[VERSIONS];
	int64 seeds[2];
	DigestSort sort;

	if (!pg_strong_random(seeds, sizeof(seeds)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random numbers")));
	for (Version version = VERSION_FROM; version < VERSIONS; version++)
	{
		sides[version] = begin(scans[version]->sheet, &columns[version], seeds);
		keep_marked(scans[version], sides[version]);
	}
	if (same)
		return;
	mark_rows(sides[VERSION_FROM], sides[VERSION_TO]);
	begin_sort(&sort);
	for (Version version = VERSION_FROM; version < VERSIONS; version++)
		put_digests(&sort, sides[version], version);
	tuplesort_performsort(sort.state);
	pair_rows(&sort, sides[VERSION_FROM], sides[VERSION_TO]);
	tuplesort_end(sort.state);
}
