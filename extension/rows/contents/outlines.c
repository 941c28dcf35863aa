/*
 * outlines.c
 *	  Places of rows in another sheet, each that of the row there with the same key.
 *
 * The keys of that sheet are read into a table, then those of the rows.  Its geometries are read once they are
 * asked for, only those of rows that are kept.
 */
#include "catalogue.h"

#include "catalog/pg_type_d.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"

#include "base/text_map.h"
#include "rows/contents/contents_internal.h"

#define KEY_BYTES 40			  /* of a key that a reason quotes */
#define OUTLINES_MOST (512 << 20) /* bytes of geometries that are held */

/* A key, and the first row that has it. */
typedef struct OutlineKey
{
	const char *text;
	int32 row;
} OutlineKey;

/* The geometry of a row. */
typedef struct Outline
{
	Bounds bounds;
	char *geojson;
	char *reason; /* why there is none */
} Outline;

struct Outlines
{
	MemoryContext memory;
	SheetQuery *shapes;
	int key; /* columns of the keys: of the rows, and of the outlines */
	int shapes_key;
	bool by_value;		/* both have numbers */
	HTAB *keys;			/* of OutlineKey */
	int32 *of;			/* number of the outline of each row, 0: it has none */
	int32 *last;		/* of each outline, the last row that has it, 0: none */
	int32 *before;		/* of each row, the one before it with the same outline, 0: none */
	Outline **read;		/* those that rows have; NULL: not read yet */
	int64 bytes;		/* of their geometries */
	OutlineTwice *take; /* what asks for keys that occur twice, and its data */
	void *data;
};

static bool
has_numbers(const SheetQuery *asked, int column)
{
	CellKind kind = asked->sheet->columns[column].kind;

	return kind == CELL_INTEGER || kind == CELL_DECIMAL;
}

/* Return the text of a cell without the blanks around it; empty for a mark of no value. */
static const char *
text_of(const SheetColumn *is, CellText cell)
{
	if (cell.length == 0 || cat_cell_is_mark(is, cell.bytes, cell.length))
		return "";
	return cat_one_line_trim(cat_compose_text(pnstrdup(cell.bytes, (Size) cell.length)));
}

/* Return what a key is compared by; empty for none. */
static const char *
key_of(const Outlines *outlines, const SheetColumn *is, CellText cell)
{
	const char *text = text_of(is, cell);
	char key[CELL_KEY_MAX];
	CellValue value;

	if (!outlines->by_value || !cat_cell_value(is, text, (int) strlen(text), &value))
		return text;
	return pnstrdup(key, (Size) cat_cell_key(key, is, &value));
}

typedef void (*TakeKey)(Outlines *outlines, const char *key, int32 row);

/* Give the keys of a sheet, each for as long as its chunk. */
static void
read_keys(Outlines *outlines, const SheetQuery *asked, int column, TakeKey take)
{
	const SheetColumn *is = &asked->sheet->columns[column];
	ChunkScan scan;

	cat_sheet_scan_open(&scan, asked->sheet, 1);
	while (cat_sheet_scan_next(&scan))
	{
		MemoryContext old = MemoryContextSwitchTo(scan.chunk_memory);

		for (int row = 0; row < scan.chunk.rows; row++)
		{
			const char *key = key_of(outlines, is, cat_sheet_scan_cell(&scan, column, row));

			if (*key)
				take(outlines, key, (int32) (scan.chunk.first + row));
		}
		MemoryContextSwitchTo(old);
	}
}

static const OutlineKey *
find_key(const Outlines *outlines, const char *key)
{
	return hash_search(outlines->keys, &key, HASH_FIND, NULL);
}

/* Know the key of an outline, unless one before has it. */
static void
add_key(Outlines *outlines, const char *key, int32 row)
{
	bool found;
	OutlineKey *known = hash_search(outlines->keys, &key, HASH_ENTER, &found);

	if (!found)
		*known = (OutlineKey){MemoryContextStrdup(outlines->memory, key), row};
}

/* Find the outline of a row. */
static void
match_row(Outlines *outlines, const char *key, int32 row)
{
	const OutlineKey *known = find_key(outlines, key);

	if (!known)
		return;
	outlines->of[row] = known->row;
	outlines->before[row] = outlines->last[known->row];
	outlines->last[known->row] = row;
}

static void *
array_of(const SheetQuery *asked, Size size)
{
	return palloc_extended(size * (Size) (asked->sheet->rows + 1),
						   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

const SheetQuery *
cat_outlines_shapes(const SheetQuery *asked)
{
	return asked->outlines->shapes;
}

/* Return whether a row that is kept has an outline. */
static bool
is_wanted(const SheetQuery *asked, int32 outline)
{
	const Outlines *outlines = asked->outlines;

	for (int32 row = outlines->last[outline]; row > 0; row = outlines->before[row])
		if (!asked->places || cat_places_has(asked, row))
			return true;
	return false;
}

/* Read the outline of a row of the current chunk. */
static Outline *
read_outline(Outlines *outlines, ChunkScan *scan, int row)
{
	Outline *outline = MemoryContextAllocZero(outlines->memory, sizeof(Outline));
	StringInfo geojson = makeStringInfo();
	SheetPlace place;
	const char *reason = "they are longer than 512 MiB";

	if (outlines->bytes <= OUTLINES_MOST)
		reason = cat_geojson_geometry(geojson, outlines->shapes, scan, row, &place);
	if (reason)
	{
		outline->reason = MemoryContextStrdup(outlines->memory, reason);
		return outline;
	}
	outline->bounds = place.bounds;
	outline->geojson = MemoryContextStrdup(outlines->memory, geojson->data);
	outlines->bytes += geojson->len;
	pfree(geojson->data);
	return outline;
}

/* Read the outlines of all rows that are kept. */
static void
read_outlines(const SheetQuery *asked)
{
	Outlines *outlines = asked->outlines;
	MemoryContext old = MemoryContextSwitchTo(outlines->memory);
	ChunkScan scan;

	outlines->read = array_of(outlines->shapes, sizeof(Outline *));
	cat_sheet_scan_open(&scan, outlines->shapes->sheet, 1);
	while (cat_sheet_scan_next(&scan))
	{
		MemoryContextSwitchTo(scan.chunk_memory);
		for (int row = 0; row < scan.chunk.rows; row++)
			if (is_wanted(asked, (int32) (scan.chunk.first + row)))
				outlines->read[scan.chunk.first + row] = read_outline(outlines, &scan, row);
		MemoryContextSwitchTo(outlines->memory);
	}
	MemoryContextSwitchTo(old);
}

/* Return why a row has no outline, palloc'd. */
static char *
missing_reason(const SheetQuery *asked, ChunkScan *scan, int row)
{
	int column = asked->outlines->key;
	const char *key =
		text_of(&asked->sheet->columns[column], cat_sheet_scan_cell(scan, column, row));

	if (*key == '\0')
		return pstrdup("the key is empty");
	return psprintf("the key \"%.*s\" is not in the file of the outlines",
					pg_mbcliplen(key, (int) strlen(key), KEY_BYTES), key);
}

/* Append the outline of a row. */
static char *
append_outline(StringInfo out, const SheetQuery *asked, ChunkScan *scan, int row, SheetPlace *place)
{
	const Outlines *outlines = asked->outlines;
	int32 number = outlines->of[scan->chunk.first + row];
	const Outline *outline;

	if (number == 0)
		return missing_reason(asked, scan, row);
	if (!outlines->read)
		read_outlines(asked);
	outline = outlines->read[number];
	if (outline->reason)
		return psprintf("row %d of the outlines: %s", number, outline->reason);
	*place = (SheetPlace){.bounds = outline->bounds};
	appendStringInfoString(out, outline->geojson);
	return NULL;
}

/* Find the rows by the places of their outlines. */
static void
ask_outlines(SheetQuery *asked, List *words)
{
	const Outlines *outlines = asked->outlines;

	cat_places_ask(outlines->shapes, words);
	for (int64 row = 1; row <= asked->sheet->rows; row++)
		if (outlines->of[row] > 0 && cat_places_has(outlines->shapes, outlines->of[row]))
			cat_places_keep(asked, row);
}

/* Who asks for points. */
typedef struct PointTaker
{
	const Outlines *outlines;
	TakePoint take;
	void *data;
} PointTaker;

/* Give the point of an outline for each row that has it. */
static void
take_point(void *data, int64 outline, double longitude, double latitude)
{
	const PointTaker *taker = data;

	for (int32 row = taker->outlines->last[outline]; row > 0; row = taker->outlines->before[row])
		taker->take(taker->data, row, longitude, latitude);
}

/* Give the points of the outlines. */
static void
give_points(const SheetQuery *asked, const Bounds *bounds, TakePoint take, void *data)
{
	PointTaker taker = {asked->outlines, take, data};

	cat_places_points(asked->outlines->shapes, bounds, take_point, &taker);
}

static const PlaceSource source = {append_outline, ask_outlines, give_points};

void
cat_outlines_join(SheetQuery *asked, int key, SheetQuery *shapes, int shapes_key)
{
	Outlines *outlines = palloc0(sizeof(Outlines));

	outlines->memory = CurrentMemoryContext;
	outlines->shapes = shapes;
	outlines->key = key;
	outlines->shapes_key = shapes_key;
	outlines->by_value = has_numbers(asked, key) && has_numbers(shapes, shapes_key);
	outlines->keys = cat_text_map("keys of outlines", sizeof(OutlineKey));
	outlines->of = array_of(asked, sizeof(int32));
	outlines->before = array_of(asked, sizeof(int32));
	outlines->last = array_of(shapes, sizeof(int32));
	read_keys(outlines, shapes, shapes_key, add_key);
	read_keys(outlines, asked, key, match_row);
	asked->source = &source;
	asked->outlines = outlines;
}

Datum
cat_outlines_rows(const SheetQuery *asked)
{
	const Outlines *outlines = asked->outlines;
	int count = (int) outlines->shapes->sheet->rows;
	Datum *rows = palloc_extended(sizeof(Datum) * (Size) (count + 1), MCXT_ALLOC_HUGE);

	for (int i = 0; i < count; i++)
		rows[i] = Int32GetDatum(outlines->last[i + 1]);
	return PointerGetDatum(
		construct_array(rows, count, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

void
cat_outlines_keep_last(SheetQuery *asked)
{
	const Outlines *outlines = asked->outlines;

	cat_places_begin(asked);
	for (int64 i = 1; i <= outlines->shapes->sheet->rows; i++)
		if (outlines->last[i] > 0)
			cat_places_keep(asked, outlines->last[i]);
}

/* Tell of a key that an outline before has. */
static void
take_twice(Outlines *outlines, const char *key, int32 row)
{
	int32 first = find_key(outlines, key)->row;

	if (first != row)
		outlines->take(outlines->data, first, row);
}

void
cat_outlines_twice(const SheetQuery *asked, OutlineTwice *take, void *data)
{
	Outlines *outlines = asked->outlines;

	outlines->take = take;
	outlines->data = data;
	read_keys(outlines, outlines->shapes, outlines->shapes_key, take_twice);
}
