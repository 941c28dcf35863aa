/*
 * search_page.c
 *	  Pages and counts of lists that the search index serves; words near those of a search that finds nothing.
 *
 * A search returns records rank by rank, so a page is put together from its ranks.  Few matches of
 * a rank are collected by the index and sorted; with many matches, scanning all records in list
 * order finds the page sooner.  A recent count of the matches decides.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "read/read_internal.h"

/* In tables with fewer rows the planner's choice is as good. */
#define WALK_FROM 10000

/* A PostgreSQL setting for one statement. */
typedef struct Setting
{
	const char *name;
	const char *value;
} Setting;

/*
 * Settings to collect or count matches: always use the index, even if nearly all records match; a
 * generic plan.
 */
static const Setting gathering[] = {{"enable_seqscan", "off"},
									{"plan_cache_mode", "force_generic_plan"}};
/*
 * Settings to count by conditions: pages that are counted often are cached, so random reads are as
 * cheap as sequential ones.
 */
static const Setting counting[] = {{"random_page_cost", "0.1"}, {"seq_page_cost", "0.1"}};
/* Settings to scan all records in list order: no sort, a generic plan. */
static const Setting walking[] = {{"enable_sort", "off"},
								  {"plan_cache_mode", "force_generic_plan"}};

/* The ranks of each kind of match, the best first. */
#define RANKS 4

static const SearchRank ranks[][RANKS] = {
	[MATCH_CONTAINS] = {SEARCH_EXACT, SEARCH_BEGINS, SEARCH_CONTAINS, SEARCH_WORDS},
	[MATCH_BEGINS] = {SEARCH_EXACT, SEARCH_BEGINS},
	[MATCH_ENDS] = {SEARCH_EXACT, SEARCH_CONTAINS},
	[MATCH_EXACT] = {SEARCH_EXACT},
};

/* Part of a page that is still to be read, rank by rank. */
typedef struct Rest
{
	int64 limit;
	int64 skip;
} Rest;

/* Run a statement with settings that hold for it alone. */
static void
run_with(SqlBuilder *query, const Setting *settings, size_t count)
{
	int level = NewGUCNestLevel();

	for (size_t i = 0; i < count; i++)
		(void) set_config_option(settings[i].name, settings[i].value, PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	cat_sql_builder_run(query);
	AtEOXact_GUC(true, level);
}

static void
begin_count(SqlBuilder *query, const RequestParams *params, const Source *source, SearchRank rank)
{
	cat_sql_builder_begin(query, params->access, params->then);
	query->indexed = cat_search_is_served(params);
	query->rank = rank;
	if (cat_list_lead_count(query, params, source))
		return;
	appendStringInfoString(&query->sql, "SELECT count(*)");
	cat_list_page_source(query, params, source);
}

static void
run_gathering(SqlBuilder *query)
{
	run_with(query, gathering, lengthof(gathering));
}

static void
run_counting(SqlBuilder *query)
{
	run_with(query, counting, lengthof(counting));
}

/*
 * Run a statement that reads all records of a list: with the settings to collect them by the search
 * index if it is written for that.
 */
void
cat_search_page_run(SqlBuilder *query)
{
	(query->indexed ? run_gathering : run_counting)(query);
}

/* Return the number of records of a list; of a search, of those with a rank (SEARCH_NONE: any). */
int64
cat_search_page_count(const RequestParams *params, const Source *source, SearchRank rank)
{
	SqlBuilder query;

	begin_count(&query, params, source, rank);
	return cat_count_cache_run(&query, params, cat_search_page_run);
}

/* Return pg_class.reltuples of a table; 0 if there is no such table. */
static double
table_rows(Oid table)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	double rows = 0;

	if (HeapTupleIsValid(tuple))
	{
		rows = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
		ReleaseSysCache(tuple);
	}
	return rows;
}

/*
 * Return whether scanning all records in list order finds the page sooner.
 *
 * With n matches among N records, the scan passes about N / n records for each one of the page;
 * collecting visits all n matches.
 */
static bool
is_walk_better(const RequestParams *params, const Source *source, SearchRank rank, const Rest *rest)
{
	double all = table_rows(params->resource->relid);
	SearchRank last = cat_search_has_words(params) ? SEARCH_WORDS : SEARCH_CONTAINS;
	SqlBuilder query;
	double matches;

	if (source->relation || params->orders != NIL || all < WALK_FROM ||
		!OidIsValid(params->resource->order_index))
		return false;
	/* the matches of any rank are few more than those of the last rank, and counted faster */
	begin_count(&query, params, source, rank == last ? SEARCH_NONE : rank);
	/* the count may be some minutes old */
	matches = (double) cat_count_cache_lately(&query, params,
											  query.indexed ? run_gathering : cat_sql_builder_run);
	return matches * matches > ((double) rest->limit + (double) rest->skip) * all;
}

static void
write_end(SqlBuilder *query, const RequestParams *params, bool backwards, const Rest *rest)
{
	cat_order_write(query, params, "t", backwards);
	appendStringInfo(&query->sql, " LIMIT %s::bigint OFFSET %s::bigint",
					 cat_sql_builder_param(query, psprintf(INT64_FORMAT, rest->limit)),
					 cat_sql_builder_param(query, psprintf(INT64_FORMAT, rest->skip)));
}

/*
 * Read a part of a page by the search index.  OFFSET 0 keeps the planner from scanning in list
 * order.
 */
static void
gather(SqlBuilder *query, const RequestParams *params, const Source *source, bool backwards,
	   const Rest *rest)
{
	query->indexed = true;
	appendStringInfoString(&query->sql, " FROM (SELECT t.*");
	cat_list_page_source(query, params, source);
	appendStringInfoString(&query->sql, " OFFSET 0) t");
	write_end(query, params, backwards, rest);
	run_gathering(query);
}

/* Read a part of a page by scanning the records in list order until the page is full. */
static void
walk(SqlBuilder *query, const RequestParams *params, const Source *source, bool backwards,
	 const Rest *rest)
{
	cat_list_page_source(query, params, source);
	write_end(query, params, backwards, rest);
	run_with(query, walking, lengthof(walking));
}

static Rows
read_rank(const RequestParams *params, const Source *source, const Selection *selection,
		  SearchRank rank, bool backwards, const Rest *rest)
{
	SqlBuilder query;
	bool walks = is_walk_better(params, source, rank, rest);

	cat_sql_builder_begin(&query, selection->access, params->then);
	query.rank = rank;
	appendStringInfoString(&query.sql, "SELECT ");
	cat_sql_builder_columns(&query, selection, "t");
	(walks ? walk : gather)(&query, params, source, backwards, rest);
	return cat_rows_of_statement();
}

static void
append_rows(Rows *rows, const Rows *more)
{
	int count = rows->count + more->count;

	if (rows->count == 0)
	{
		*rows = *more;
		return;
	}
	if (more->count == 0)
		return;
	rows->tuples = repalloc(rows->tuples, sizeof(HeapTuple) * count);
	memcpy(rows->tuples + rows->count, more->tuples, sizeof(HeapTuple) * more->count);
	rows->count = count;
}

/* Subtract the records read of a rank from the rest of the page. */
static void
take(Rest *rest, const RequestParams *params, const Source *source, SearchRank rank, int count)
{
	if (count == 0 && rest->skip > 0)
		rest->skip -= cat_search_page_count(params, source, rank);
	else
		rest->skip = 0;
	rest->limit -= count;
}

/*
 * Read one page of a list that the search index serves (cat_search_is_served()), or (backwards) the
 * records at its end.
 *
 * Without an order in the request, a search is sorted by rank.
 */
Rows
cat_search_page_read(const RequestParams *params, const Source *source, const Selection *selection,
					 bool backwards)
{
	Rest rest = {params->limit, params->skip};
	Rows rows = {0};

	if (params->terms == NIL || params->orders != NIL)
		return read_rank(params, source, selection, SEARCH_NONE, backwards, &rest);
	for (int i = 0; i < RANKS && rest.limit > 0; i++)
	{
		SearchRank rank = ranks[params->match][backwards ? RANKS - 1 - i : i];

		if (rank != SEARCH_NONE && (rank != SEARCH_WORDS || cat_search_has_words(params)))
		{
			Rows some = read_rank(params, source, selection, rank, backwards, &rest);

			append_rows(&rows, &some);
			take(&rest, params, source, rank, some.count);
		}
	}
	return rows;
}

/*
 * One edit leaves one half of a word as it is.  So only records with a half are read, which the index of the search finds.
 */
#define WORDS 5			/* of a search that are looked at */
#define LETTERS_LEAST 4 /* shorter words are near too many others */
#define LETTERS_MOST 40
#define LONG 7		   /* letters from which a word may have two edits */
#define RECORDS 500	   /* that are read for each word */
#define CHARACTERS 300 /* of a name that are read */
#define TOLD 3		   /* words for each word, the nearest first */

/* A word that a record has. */
typedef struct NearWord
{
	char *text; /* as the record has it */
	char *folded;
	int edits;
	int records;
} NearWord;

static bool
is_letter(char c)
{
	return IS_HIGHBIT_SET(c) || isalnum((unsigned char) c);
}

/* The next word of a text, palloc'd, and the text behind it; NULL: there is none. */
static char *
next_word(const char **text)
{
	const char *begin;

	while (**text != '\0' && !is_letter(**text))
		(*text)++;
	for (begin = *text; **text != '\0' && is_letter(**text);)
		(*text)++;
	return *text > begin ? pnstrdup(begin, *text - begin) : NULL;
}

/* Count a word of a record, if it is near another one, which is folded. */
static void
note_word(List **near, const char *sought, int most, char *text)
{
	char *folded = cat_fold_text(text, strlen(text));
	NearWord *word;
	int edits;

	if (strlen(folded) > MAX_MULTIBYTE_CHAR_LEN * LETTERS_MOST)
		return;
	edits = varstr_levenshtein_less_equal(sought, (int) strlen(sought), folded,
										  (int) strlen(folded), 1, 1, 1, most, true);
	if (edits > most)
		return;
	foreach_ptr(NearWord, known, *near)
		if (strcmp(known->folded, folded) == 0)
		{
			known->records++;
			return;
		}
	word = palloc(sizeof(NearWord));
	*word = (NearWord){text, folded, edits, 1};
	*near = lappend(*near, word);
}

static int
by_nearness(const ListCell *left, const ListCell *right)
{
	const NearWord *one = lfirst(left);
	const NearWord *other = lfirst(right);

	if (one->edits != other->edits)
		return one->edits - other->edits;
	return one->records != other->records ? other->records - one->records
										  : strcmp(one->folded, other->folded);
}

/* Return the words near a folded one, List of NearWord *, of the names of the records that a list may have. */
static List *
words_near(const RequestParams *params, const Source *source, const Field *name, const char *sought)
{
	int letters = pg_mbstrlen(sought);
	int half = pg_mbcharcliplen(sought, (int) strlen(sought), letters / 2);
	RequestParams *halves = cat_request_params_read(
		params->resource, psprintf("query=%.*s,%s", half, sought, sought + half), params->actor);
	List *near = NIL;
	SqlBuilder query;
	SPITupleTable *rows;
	uint64 count;

	halves->then = params->then;
	cat_sql_builder_begin(&query, params->access, params->then);
	query.indexed = cat_search_is_served(halves);
	appendStringInfo(&query.sql, "SELECT left(t.%s::text, %d)", name->quoted, CHARACTERS);
	cat_list_page_source(&query, halves, source);
	appendStringInfo(&query.sql, " LIMIT %d", RECORDS);
	cat_sql_builder_run(&query);
	rows = SPI_tuptable;
	count = SPI_processed;
	for (uint64 i = 0; i < count; i++)
	{
		const char *text = SPI_getvalue(rows->vals[i], rows->tupdesc, 1);
		char *word;

		CHECK_FOR_INTERRUPTS();
		while (text != NULL && (word = next_word(&text)) != NULL)
			note_word(&near, sought, letters < LONG ? 1 : 2, word);
	}
	list_sort(near, by_nearness);
	return near;
}

/* Return the nearest words to each of the search that is in no name, List of char *. */
static List *
all_words_near(const RequestParams *params, const Source *source, const Field *name)
{
	const char *text = params->searched;
	List *words = NIL;
	char *word;

	for (int i = 0; i < WORDS && (word = next_word(&text)) != NULL; i++)
	{
		int letters = pg_mbstrlen(word);
		List *near = letters >= LETTERS_LEAST && letters <= LETTERS_MOST
						 ? words_near(params, source, name, word)
						 : NIL;

		/* a word that there is needs no other one */
		if (near == NIL || ((NearWord *) linitial(near))->edits == 0)
			continue;
		foreach_ptr(NearWord, known, near)
			if (foreach_current_index(known) < TOLD)
				words = lappend(words, known->text);
	}
	return words;
}

char *
cat_nearest_words(const RequestParams *params, const Source *source)
{
	const Field *name = cat_registry_field(params->resource, "name");
	List *words;

	if (name == NULL || name->element || !cat_visibility_field(name, params->access))
		return NULL;
	words = all_words_near(params, source, name);
	return psprintf("\"nearest\":%s", words == NIL ? "[]" : cat_json_array(words));
}
