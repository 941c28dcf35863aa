/*
 * lists.c
 *	  Many-to-many relations as they are read: lists of ids, from the index of
 *	  the join table.
 */
#include "catalogue.h"

#include "catalog/pg_collation.h"
#include "utils/builtins.h"
#include "utils/rel.h"

/* Columns of the index of a join table: near, far, position. */
#define NEAR_INDEX_NEAR 0
#define NEAR_INDEX_FAR 1
#define NEAR_INDEX_POSITION 2

/* Ids that begin with so many same letters were made within four minutes. */
#define NEIGHBOUR_LETTERS 4

/* A sweep passes over so many entries of other records, at most. */
#define STRANGERS_MAX 32

/* One id of a list, at its place. */
typedef struct LinkedId
{
	int32 position;
	char id[ID_LENGTH + 1];
} LinkedId;

/* The list of one record while it is read. */
typedef struct LinkList
{
	int row;
	char owner[ID_LENGTH + 1];
	LinkedId *ids;
	int count;
	int room;
} LinkList;

static int
compare_links(const void *a, const void *b)
{
	const LinkedId *left = a;
	const LinkedId *right = b;

	if (left->position != right->position)
		return left->position < right->position ? -1 : 1;
	return strcmp(left->id, right->id);
}

static int
compare_owners(const void *a, const void *b)
{
	return strcmp(((const LinkList *) a)->owner, ((const LinkList *) b)->owner);
}

/* An empty list for each record, sorted by the record's id. */
static LinkList *
new_lists(const Selection *selection, const Rows *rows)
{
	LinkList *lists = palloc0(sizeof(LinkList) * (rows->count + 1));
	Datum *values = palloc(rows->desc->natts * sizeof(Datum));
	bool *nulls = palloc(rows->desc->natts * sizeof(bool));
	int id = rows_column(rows, selection, "id");

	for (int i = 0; i < rows->count; i++)
	{
		rows_values(rows, selection->resource, i, values, nulls);
		lists[i].row = i;
		text_to_cstring_buffer(DatumGetTextPP(values[id]), lists[i].owner, sizeof(lists[i].owner));
	}
	qsort(lists, rows->count, sizeof(LinkList), compare_owners);
	return lists;
}

static void
add_link(LinkList *list, const Datum *values)
{
	if (list->count == list->room)
	{
		list->room = list->room ? list->room * 2 : 4;
		list->ids = list->ids ? repalloc(list->ids, sizeof(LinkedId) * list->room)
							  : palloc(sizeof(LinkedId) * list->room);
	}
	text_to_cstring_buffer(DatumGetTextPP(values[NEAR_INDEX_FAR]), list->ids[list->count].id,
						   ID_LENGTH + 1);
	list->ids[list->count++].position = DatumGetInt32(values[NEAR_INDEX_POSITION]);
}

/*
 * Read lists in one sweep over the index, from the first record on.
 *
 * Records of one page mostly lie side by side there, since ids sort by time.
 * The sweep ends where too many others lie between.  How many lists are read.
 */
static int
sweep_lists(CatScan *scan, LinkList *lists, int count)
{
	Datum values[INDEX_MAX_KEYS];
	bool nulls[INDEX_MAX_KEYS];
	int strangers = 0;
	int at = 0;

	scan_seek_range(scan, lists[0].owner, lists[count - 1].owner);
	while (scan_next_entry(scan, values, nulls))
	{
		char owner[ID_LENGTH + 1];

		text_to_cstring_buffer(DatumGetTextPP(values[NEAR_INDEX_NEAR]), owner, sizeof(owner));
		while (strcmp(lists[at].owner, owner) < 0)
			at++;
		if (strcmp(lists[at].owner, owner) == 0)
			add_link(&lists[at], values);
		else if (++strangers > STRANGERS_MAX)
			return at;
	}
	return count;
}

/* Read the list of one record. */
static void
seek_list(CatScan *scan, LinkList *list)
{
	Datum values[INDEX_MAX_KEYS];
	bool nulls[INDEX_MAX_KEYS];

	scan_seek_range(scan, list->owner, list->owner);
	while (scan_next_entry(scan, values, nulls))
		add_link(list, values);
}

/* How many of the records, from the first on, were made so close together that a sweep is due. */
static int
neighbours(const LinkList *lists, int count)
{
	int n = 1;

	while (n < count && strncmp(lists[0].owner, lists[n].owner, NEIGHBOUR_LETTERS) == 0)
		n++;
	return n;
}

/* Read one relation of all records. */
static void
read_relation(const CatRelation *relation, LinkList *lists, int count)
{
	CatScan scan;
	bool sweeps;

	if (!scan_open(&scan, relation->via_table, relation->near_index))
		elog(ERROR, "join table %s cannot be read by its index over living rows", relation->via);
	scan.entries = true;
	/* strcmp() and the index agree only where it compares byte by byte */
	sweeps = scan.index->rd_indcollation[0] == C_COLLATION_OID;
	while (count > 0)
	{
		int near = neighbours(lists, count);
		int done = sweeps && near > 1 ? sweep_lists(&scan, lists, near) : 0;

		for (; done < near; done++)
			seek_list(&scan, &lists[done]);
		lists += near;
		count -= near;
	}
	scan_close(&scan);
}

/* A list as a JSON array, emptied for the next relation. */
static char *
list_json(LinkList *list)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoCharMacro(&out, '[');
	qsort(list->ids, list->count, sizeof(LinkedId), compare_links);
	for (int i = 0; i < list->count; i++)
	{
		if (i > 0)
			appendStringInfoCharMacro(&out, ',');
		json_string(&out, list->ids[i].id);
	}
	appendStringInfoCharMacro(&out, ']');
	list->count = 0;
	return out.data;
}

/* Read the lists of ids that a selection shows of its records. */
Links
lists_read(const Selection *selection, const Rows *rows)
{
	Links links = {rows->count, NULL};
	LinkList *lists;
	char **next;

	if (bms_is_empty(selection->lists) || rows->count == 0)
		return links;
	next = links.texts = palloc(sizeof(char *) * rows->count * bms_num_members(selection->lists));
	lists = new_lists(selection, rows);
	for (int i = -1; (i = bms_next_member(selection->lists, i)) >= 0; next += rows->count)
	{
		read_relation(&selection->resource->relations[i], lists, rows->count);
		for (int k = 0; k < rows->count; k++)
			next[lists[k].row] = list_json(&lists[k]);
	}
	return links;
}
