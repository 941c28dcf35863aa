/*
 * facet_counter.c
 *	  Numbers of living records by the values of facets.
 *
 * The facets are those that catalogue.resource.counted names.  Their numbers are kept like those of
 * all records (counter.c); a row without a facet says that those of a facet have been counted.
 */
#include "catalogue.h"

#include "datatype/timestamp.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "history/history_internal.h"
#include "pg/pg.h"
#include "registry/registry.h"

/* Up to so many values of a statement have their rows merged. */
#define FOLDS_MAX 64
/* Records that are counted at a time. */
#define BATCH 1000
/* Values beyond which equal ones are added up. */
#define ENTRIES_MIN 1024

static const char *const columns[] = {"resource", "facet", "value", "living", "shown"};
static const CounterTable counter = {"facet_counter", "facet_counter_value", 3, lengthof(columns),
									 columns};

/* How many records more have a value. */
typedef struct Entry
{
	const CountedFacet *facet;
	char *value;
	Tally delta;
} Entry;

struct FacetCounts
{
	const Resource *resource;
	Entry *entries;
	int count;
	int room;
};

FacetCounts *
cat_facet_counter_begin(const Resource *resource)
{
	FacetCounts *counts;

	if (resource->counted == NIL)
		return NULL;
	counts = palloc0(sizeof(FacetCounts));
	counts->resource = resource;
	return counts;
}

static int
compare(const void *left, const void *right)
{
	const Entry *one = left;
	const Entry *other = right;

	if (one->facet != other->facet)
		return one->facet < other->facet ? -1 : 1;
	return strcmp(one->value, other->value);
}

/* Add up the entries of equal values. */
static void
add_up(FacetCounts *counts)
{
	int last = -1;

	qsort(counts->entries, counts->count, sizeof(Entry), compare);
	for (int i = 0; i < counts->count; i++)
	{
		Entry *entry = &counts->entries[i];

		if (last < 0 || compare(&counts->entries[last], entry) != 0)
		{
			counts->entries[++last] = *entry;
			continue;
		}
		counts->entries[last].delta.living += entry->delta.living;
		counts->entries[last].delta.shown += entry->delta.shown;
		pfree(entry->value);
	}
	counts->count = last + 1;
}

/* Make room for one more entry. */
static void
make_room(FacetCounts *counts)
{
	if (counts->count < counts->room)
		return;
	if (counts->count >= ENTRIES_MIN)
		add_up(counts);
	if (counts->count <= counts->room / 2 && counts->room > 0)
		return;
	counts->room = Max(16, counts->room * 2);
	counts->entries = counts->entries ? repalloc_huge(counts->entries, counts->room * sizeof(Entry))
									  : MemoryContextAllocHuge(CurrentMemoryContext,
															   counts->room * sizeof(Entry));
}

static void
add_value(FacetCounts *counts, const CountedFacet *facet, char *value, const Tally *delta)
{
	make_room(counts);
	counts->entries[counts->count++] = (Entry){facet, value, *delta};
}

/* Return the year of a date or an instant as it is counted by, NULL for infinity. */
static char *
year_of(const Field *field, Datum value)
{
	struct pg_tm tm;
	fsec_t fraction;

	if (field->kind == FIELD_DATE)
	{
		if (DATE_NOT_FINITE(DatumGetDateADT(value)))
			return NULL;
		j2date(DatumGetDateADT(value) + POSTGRES_EPOCH_JDATE, &tm.tm_year, &tm.tm_mon, &tm.tm_mday);
	}
	else if (TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(value)) ||
			 timestamp2tm(DatumGetTimestampTz(value), NULL, &tm, &fraction, NULL, NULL) != 0)
		return NULL;
	/* there is no year 0 */
	return psprintf("%d", tm.tm_year > 0 ? tm.tm_year : tm.tm_year - 1);
}

/* Return a value as a cast to text writes it. */
static char *
text_of(const Field *field, Datum value)
{
	Oid output;
	bool varlena;

	if (field->kind == FIELD_TEXT || field->kind == FIELD_ID)
		return TextDatumGetCString(value);
	if (field->kind == FIELD_BOOLEAN)
		return pstrdup(DatumGetBool(value) ? "true" : "false");
	getTypeOutputInfo(field->type_oid, &output, &varlena);
	return OidOutputFunctionCall(output, value);
}

/* Count what a record has in a facet. */
static void
add_record(FacetCounts *counts, const CountedFacet *facet, Datum value, const Tally *delta)
{
	const Field *field = facet->field;
	char *year;

	if (field->kind == FIELD_LIST)
	{
		foreach_ptr(char, word, cat_text_array_list(value))
			add_value(counts, facet, word, delta);
		return;
	}
	if (!facet->by_year)
		add_value(counts, facet, text_of(field, value), delta);
	else if ((year = year_of(field, value)) != NULL)
		add_value(counts, facet, year, delta);
}

static void
add_side(FacetCounts *counts, const CountedFacet *facet, const CountedRecord *record, int sign)
{
	bool isnull = !record->living;
	Datum value = isnull ? (Datum) 0 : slot_getattr(record->slot, facet->field->attno, &isnull);

	if (!isnull)
		add_record(counts, facet, value, &(Tally){sign, record->shown ? sign : 0, 0});
}

/* Return whether a record counts for a facet as it did before. */
static bool
is_alike(const CountedFacet *facet, const CountedRecord *before, const CountedRecord *after)
{
	AttrNumber attno = facet->field->attno;
	Form_pg_attribute column = TupleDescAttr(after->slot->tts_tupleDescriptor, attno - 1);
	bool was_null, is_null;
	Datum old, new;

	if (before->living != after->living || before->shown != after->shown)
		return false;
	old = slot_getattr(before->slot, attno, &was_null);
	new = slot_getattr(after->slot, attno, &is_null);
	return was_null == is_null &&
		   (is_null || datum_image_eq(old, new, column->attbyval, column->attlen));
}

void
cat_facet_counter_follow(FacetCounts *counts, const CountedRecord *before,
						 const CountedRecord *after)
{
	foreach_ptr(const CountedFacet, facet, counts ? counts->resource->counted : NIL)
	{
		if (before && is_alike(facet, before, after))
			continue;
		if (before)
			add_side(counts, facet, before, -1);
		add_side(counts, facet, after, 1);
	}
}

/* Return the key of the rows of a facet's value. */
static List *
key_of(const Resource *resource, const char *facet, const char *value)
{
	return list_make3(resource->name, unconstify(char *, facet), unconstify(char *, value));
}

static List *
entry_key(const FacetCounts *counts, const Entry *entry)
{
	return key_of(counts->resource, entry->facet->name, entry->value);
}

static bool
is_changed(const Entry *entry)
{
	return entry->delta.living != 0 || entry->delta.shown != 0;
}

static void
write_entries(const FacetCounts *counts)
{
	CounterWriter writer = {0};

	for (int i = 0; i < counts->count; i++)
	{
		const Entry *entry = &counts->entries[i];

		if (!is_changed(entry))
			continue;
		if (!writer.bulk)
			cat_counter_open(&writer, &counter);
		cat_counter_add(&writer, entry_key(counts, entry), &entry->delta);
	}
	if (writer.bulk)
		cat_counter_close(&writer);
}

void
cat_facet_counter_end(FacetCounts *counts)
{
	int folds = 0;

	if (!counts || counts->count == 0)
		return;
	add_up(counts);
	write_entries(counts);
	if (!cat_counter_is_fold_due())
		return;
	for (int i = 0; i < counts->count && folds < FOLDS_MAX; i++)
		if (is_changed(&counts->entries[i]))
		{
			cat_counter_fold(&counter, entry_key(counts, &counts->entries[i]));
			folds++;
		}
}

const CountedFacet *
cat_facet_counter_find(const Resource *resource, const char *name)
{
	Tally sum;
	bool found;

	foreach_ptr(const CountedFacet, facet, resource->counted)
		if (strcmp(facet->name, name) == 0)
			return cat_counter_sum(&counter, key_of(resource, "", name), &sum, &found) && found
					   ? facet
					   : NULL;
	return NULL;
}

bool
cat_facet_counter_read(const Resource *resource, const char *facet, const char *value, Tally *sum)
{
	bool found;

	return cat_counter_sum(&counter, key_of(resource, facet, value), sum, &found);
}

/*
 * ---- Counting all records, after changes without triggers ----
 */

/* Return the statement that reads what is counted: whether outsiders see the record, and the values. */
static char *
all_records(const Resource *resource)
{
	StringInfo sql = makeStringInfo();

	appendStringInfoString(sql, "SELECT (");
	cat_seen_write(sql, resource, "t", ACCESS_OUTSIDER);
	appendStringInfoString(sql, ") IS TRUE");
	foreach_ptr(const CountedFacet, facet, resource->counted)
		appendStringInfo(sql, ", t.%s", facet->field->quoted);
	appendStringInfo(sql, " FROM %s t WHERE t.deleted_at IS NULL", resource->table);
	return sql->data;
}

/* Count a row of that statement. */
static void
add_row(FacetCounts *counts, HeapTuple row, TupleDesc desc)
{
	bool isnull;
	bool shown = DatumGetBool(SPI_getbinval(row, desc, 1, &isnull));

	foreach_ptr(const CountedFacet, facet, counts->resource->counted)
	{
		Datum value = SPI_getbinval(row, desc, foreach_current_index(facet) + 2, &isnull);

		if (!isnull)
			add_record(counts, facet, value, &(Tally){1, shown, 0});
	}
}

/* Count all records; the entries are allocated in the current memory context. */
static void
add_all(FacetCounts *counts)
{
	Portal portal = SPI_cursor_open_with_args(NULL, all_records(counts->resource), 0, NULL, NULL,
											  NULL, true, 0);

	while (SPI_cursor_fetch(portal, true, BATCH), SPI_processed > 0)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < SPI_processed; i++)
			add_row(counts, SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	add_up(counts);
}

/* Return a row of the counters. */
static void
put(FunctionCallInfo fcinfo, const char *facet, const char *value, const Tally *tally)
{
	ReturnSetInfo *set = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum values[] = {CStringGetTextDatum(facet), CStringGetTextDatum(value),
					  Int64GetDatum(tally->living), Int64GetDatum(tally->shown)};
	bool nulls[lengthof(values)] = {false};

	tuplestore_putvalues(set->setResult, set->setDesc, values, nulls);
}

/* Return what the counters of a resource's facets should have. */
CAT_FUNCTION(catalogue_count_facets)
{
	const Resource *resource =
		cat_registry_resource(text_to_cstring(PG_GETARG_TEXT_PP(ARG_COUNT_FACETS_RESOURCE)));
	FacetCounts counts = {.resource = resource};

	InitMaterializedSRF(fcinfo, 0);
	SPI_connect();
	foreach_ptr(const CountedFacet, facet, resource->counted)
		put(fcinfo, "", facet->name, &(Tally){0});
	if (resource->counted != NIL)
		add_all(&counts);
	for (int i = 0; i < counts.count; i++)
		put(fcinfo, counts.entries[i].facet->name, counts.entries[i].value,
			&counts.entries[i].delta);
	SPI_finish();
	return (Datum) 0;
}
