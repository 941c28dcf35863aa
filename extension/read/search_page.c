/*
 * search_page.c
 *	  Pages of lists that the search index serves; words near those of a search that finds nothing.
 *
 * A search returns records rank by rank, so a page is put together from its ranks.  Few matches of
 * a rank are collected by the index and sorted; with many matches, scanning all records in list
 * order finds the page sooner.  A recent count of the matches decides.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/varlena.h"

#include "base/settings.h"
#include "read/list_internal.h"

/* In tables with fewer rows the planner's choice is as good. */
#define WALK_FROM 10000
/* By the time of their last change they are scanned only if one in so many matches: what was changed together is often
 * alike, so that the page may be far from the end where the scan begins. */
#define ORDERED_PART 8

/* How many times as long as to collect a record it takes to find its words in a scan. */
#define STEMS_COST 8

/* The ranks of each kind of match, the best first. */
#define RANKS 4

static const SearchRank ranks[][RANKS] = {
	[MATCH_CONTAINS] = {SEARCH_EXACT, SEARCH_BEGINS, SEARCH_CONTAINS, SEARCH_WORDS},
	[MATCH_BEGINS] = {SEARCH_EXACT, SEARCH_BEGINS},
	[MATCH_ENDS] = {SEARCH_EXACT, SEARCH_CONTAINS},
	[MATCH_EXACT] = {SEARCH_EXACT},
};

/*
 * Return the rank number "at" of a search, the best first; SEARCH_NONE if it has no such rank.
 *
 * What a search for words finds by letters follows its classes.
 */
static SearchRank
rank_at(const RequestParams *params, int at)
{
	int classes = cat_word_search_stems(params) ? list_length(params->words->classes) : 0;
	SearchRank rank;

	if (cat_word_search_stems(params))
		return at < classes	   ? (SearchRank) (SEARCH_CLASS + at)
			   : at == classes ? SEARCH_LETTERS
							   : SEARCH_NONE;
	rank = at < RANKS ? ranks[params->match][at] : SEARCH_NONE;
	return rank == SEARCH_WORDS && !cat_search_has_words(params) ? SEARCH_NONE : rank;
}

/* Count about how many records have each of the words or terms that a search for words ranks by, and rank it. */
static void
rank_by_words(const ReadPlan *plan)
{
	RequestParams params = *plan->params;
	ReadPlan counted = {.params = &params, .resources = plan->resources};
	WordSearch words = *params.words;
	List *sought = cat_word_search_ranked(&params);
	StringInfo any = makeStringInfo();
	int64 *counts = palloc(sizeof(int64) * (list_length(sought) + 1));

	params.words = &words;
	params.filters = NIL;
	foreach_ptr(char, part, sought)
		appendStringInfo(any, "%s%s", any->len > 0 ? "|" : "", part);
	words.query = any->data;
	words.apart = false;
	words.classes = sought;
	for (int i = 0; i < list_length(sought); i++)
		counts[i] = cat_count_rank_rough(&counted, (SearchRank) (SEARCH_CLASS + i));
	cat_word_search_rank(plan->params, counts);
}

/* Part of a page that is still to be read, rank by rank. */
typedef struct Rest
{
	int limit;
	int64 skip;
} Rest;

/*
 * Return whether scanning all records in list order finds the page sooner.
 *
 * With n matches among N records, the scan passes about N / n records for each one of the page;
 * collecting visits all n matches.
 */
static bool
is_walk_better(const ReadPlan *plan, SearchRank rank, const Rest *rest)
{
	const RequestParams *params = plan->params;
	double all = cat_list_source_table_rows(params->resource);
	SearchRank last = cat_search_has_words(params) ? SEARCH_WORDS : SEARCH_CONTAINS;
	double matches;

	if (plan->source.relation || all < WALK_FROM ||
		(params->orders != NIL ? !cat_order_is_by_update(params)
							   : !OidIsValid(params->resource->order_index)))
		return false;
	/* the matches of any rank are few more than those of the last rank, and counted faster */
	matches = (double) cat_count_rank_about(plan, rank == last ? SEARCH_NONE : rank);
	if (params->orders != NIL && matches < all / ORDERED_PART)
		return false;
	return matches * matches > ((double) rest->limit + (double) rest->skip) * all *
								   (cat_word_search_stems(params) ? STEMS_COST : 1);
}

/*
 * Read a part of a page by the search index.  OFFSET 0 keeps the planner from scanning in list
 * order.
 */
static void
gather(SqlBuilder *query, const ReadPlan *plan, bool backwards, const Rest *rest)
{
	query->indexed = true;
	appendStringInfoString(&query->sql, "SELECT ");
	cat_sql_builder_columns(query, plan->selection, "t");
	appendStringInfoString(&query->sql, " FROM (SELECT t.*");
	cat_list_source_write(query, plan);
	appendStringInfoString(&query->sql, " OFFSET 0) t");
	cat_order_write(query, plan->params, "t", backwards);
	appendStringInfo(&query->sql, " LIMIT %d OFFSET %s::bigint", rest->limit,
					 cat_sql_builder_param(query, psprintf(INT64_FORMAT, rest->skip)));
}

/*
 * Read a part of a page by the records of a key, which an index has in list order: as soon as enough of them match, the
 * others are not looked at.
 */
static void
walk_key(SqlBuilder *query, const ReadPlan *plan, const ListIndex *key, bool backwards,
		 const Rest *rest)
{
	const char *direction = plan->params->resource->newest_first != backwards ? "DESC" : "ASC";

	appendStringInfoString(&query->sql, "SELECT ");
	cat_sql_builder_columns(query, plan->selection, "t");
	cat_list_index_write(query, plan->params, key, direction);
	appendStringInfo(
		&query->sql,
		" ORDER BY k.deleted_at %s, k.created_at %s, k.id %s LIMIT %d OFFSET %s::bigint", direction,
		direction, direction, rest->limit,
		cat_sql_builder_param(query, psprintf(INT64_FORMAT, rest->skip)));
}

static Rows
read_rank(const ReadPlan *plan, SearchRank rank, bool backwards, const Rest *rest)
{
	ListIndex key;
	bool narrows = plan->params->orders == NIL && cat_list_index_narrows(plan, rank, &key);
	bool walks = !narrows && is_walk_better(plan, rank, rest);
	SqlBuilder query;

	cat_sql_builder_begin(&query, plan->selection->access, plan->params->then);
	query.rank = rank;
	if (narrows)
		walk_key(&query, plan, &key, backwards, rest);
	else if (walks)
		cat_list_page_range_write(&query, plan, backwards, rest->limit, rest->skip);
	else
		gather(&query, plan, backwards, rest);
	query.plan = CURSOR_OPT_GENERIC_PLAN;
	cat_sql_builder_run(&query);
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
subtract_rank(Rest *rest, const ReadPlan *plan, SearchRank rank, int count)
{
	if (count == 0 && rest->skip > 0)
		rest->skip -= cat_count_rank(plan, rank);
	else
		rest->skip = 0;
	rest->limit -= count;
}

/* Append the records of a rank to a page, as many as are still to be read. */
static void
read_part(const ReadPlan *plan, SearchRank rank, bool backwards, Rest *rest, Rows *rows)
{
	/* the index of words takes long for a frequent one, even if no record is found */
	bool frequent = cat_word_search_is_frequent(plan->params, cat_facets_exact);
	Rows some;

	if (frequent && cat_count_rank_is_none(plan, rank))
		return;
	some = read_rank(plan, rank, backwards, rest);
	if (frequent && some.count == 0 && rest->skip == 0)
		cat_count_rank_set_none(plan, rank);
	append_rows(rows, &some);
	subtract_rank(rest, plan, rank, some.count);
}

Rows
cat_search_page_read(const ReadPlan *plan, bool backwards)
{
	const RequestParams *params = plan->params;
	Rest rest = {params->limit, params->skip};
	Rows rows = {0};
	int count = 0;

	if (params->terms == NIL || params->orders != NIL)
		return read_rank(plan, SEARCH_NONE, backwards, &rest);
	if (cat_word_search_stems(params))
		rank_by_words(plan);
	while (rank_at(params, count) != SEARCH_NONE)
		count++;
	for (int i = 0; i < count && rest.limit > 0; i++)
		read_part(plan, rank_at(params, backwards ? count - 1 - i : i), backwards, &rest, &rows);
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
#define FREQUENT \
	4 /* a word is told in place of one that exists if more than so many times as many names have it */

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

/* The number of edits between two folded words of at most 255 bytes; more than the maximum: one more. */
CAT_FUNCTION(catalogue_edits)
{
	const text *one = PG_GETARG_TEXT_PP(ARG_EDITS_ONE);
	const text *other = PG_GETARG_TEXT_PP(ARG_EDITS_OTHER);

	PG_RETURN_INT32(varstr_levenshtein_less_equal(
		VARDATA_ANY(one), (int) VARSIZE_ANY_EXHDR(one), VARDATA_ANY(other),
		(int) VARSIZE_ANY_EXHDR(other), 1, 1, 1, PG_GETARG_INT32(ARG_EDITS_MOST), false));
}

/*
 * The words of the names in column 1 of n that are near $%1$s, with their edits and the number of names that have each
 * of them; same: they are another form of the word, as %4$s says; own: the number of names with such forms.
 */
static const char near_sql[] =
	"SELECT (array_agg(w.word))[1] AS word, w.folded, min(w.edits) AS edits, count(*) AS number, "
	"bool_or(w.same) AS same, "
	"coalesce(sum(CASE WHEN bool_or(w.same) THEN count(*) END) OVER (), 0) AS own "
	"FROM (SELECT w.word, f.folded, f.folded = %1$s OR %4$s AS same, "
	"catalogue.edits(%1$s, f.folded, %2$d) AS edits FROM n CROSS JOIN LATERAL "
	"regexp_split_to_table("
	"n.name, '[\\u0001-\\u002F\\u003A-\\u0040\\u005B-\\u0060\\u007B-\\u007F]+') w(word) CROSS "
	"JOIN LATERAL catalogue.fold(w.word) f(folded) WHERE octet_length(f.folded) BETWEEN 1 AND "
	"%3$d) w WHERE w.edits <= %2$d GROUP BY w.folded";

/*
 * Return the words near a folded one, the nearest first, of the names of the records that a list may have: List of
 * char *.  Of a word that names have, those that are much more frequent.
 */
static List *
words_near(const ReadPlan *plan, const Field *name, const char *sought)
{
	const RequestParams *params = plan->params;
	int letters = pg_mbstrlen(sought);
	int half = pg_mbcharcliplen(sought, (int) strlen(sought), letters / 2);
	ReadPlan halves = {.source = plan->source};
	SqlBuilder query;

	halves.params = cat_request_params_read(
		params->resource, psprintf("query=%.*s,%s", half, sought, sought + half), params->actor);
	halves.params->then = params->then;
	cat_sql_builder_begin(&query, params->access, params->then);
	query.indexed = cat_search_is_served(halves.params);
	appendStringInfo(
		&query.sql,
		"SELECT w.word FROM (WITH n AS (SELECT left(t.%s::text, %d) COLLATE \"C\" AS name",
		name->quoted, CHARACTERS);
	cat_list_source_write(&query, &halves);
	appendStringInfo(&query.sql, " LIMIT %d) ", RECORDS);
	appendStringInfo(&query.sql, near_sql, cat_sql_builder_param(&query, sought),
					 letters < LONG ? 1 : 2, MAX_MULTIBYTE_CHAR_LEN * LETTERS_MOST,
					 cat_word_search_same(&query, params, "f.folded", sought));
	appendStringInfo(&query.sql,
					 ") w WHERE NOT w.same AND w.number > %d * w.own "
					 "ORDER BY w.edits, w.number DESC, w.folded COLLATE \"C\" LIMIT %d",
					 FREQUENT, TOLD);
	cat_sql_builder_run(&query);
	return cat_result_texts(1);
}

/* A word of a search with the words near it. */
typedef struct Correction
{
	const char *begin; /* in the text that was given */
	size_t length;
	List *near; /* of char * */
} Correction;

/* Return the first words of a search that have others near them; List of Correction *. */
static List *
corrections_of(const ReadPlan *plan, const Field *name)
{
	const char *text = plan->params->given;
	List *corrections = NIL;
	char *word;

	for (int i = 0; i < WORDS && (word = next_word(&text)) != NULL; i++)
	{
		const char *folded = cat_fold_text(word, strlen(word));
		const char *sought = next_word(&folded);
		int letters = sought ? pg_mbstrlen(sought) : 0;
		Correction *correction = palloc0(sizeof(Correction));

		if (letters < LETTERS_LEAST || letters > LETTERS_MOST)
			continue;
		correction->length = strlen(word);
		correction->begin = text - correction->length;
		correction->near = words_near(plan, name, sought);
		if (correction->near != NIL)
			corrections = lappend(corrections, correction);
	}
	return corrections;
}

/* Append a member of an object with a text. */
static void
add_member(StringInfo out, const char *name, const char *text, size_t length)
{
	appendStringInfo(out, "\"%s\":%s,", name, cat_json_quoted(pnstrdup(text, length)));
}

/* Return corrections in their places, as a member of "meta". */
static char *
corrections_json(List *corrections, const char *given)
{
	StringInfo out = makeStringInfo();

	foreach_ptr(const Correction, correction, corrections)
	{
		const char *end = correction->begin + correction->length;

		appendStringInfoString(out, foreach_current_index(correction) > 0 ? ",{" : "{");
		add_member(out, "word", correction->begin, correction->length);
		add_member(out, "before", given, correction->begin - given);
		add_member(out, "after", end, strlen(end));
		appendStringInfo(out, "\"nearest\":%s}", cat_json_array(correction->near));
	}
	return out->data;
}

char *
cat_search_page_nearest_words(const ReadPlan *plan)
{
	const RequestParams *params = plan->params;
	const Field *name = cat_registry_field(params->resource, "name");
	List *corrections;
	List *words = NIL;

	if (name == NULL || name->element || !cat_visibility_field(name, params->access))
		return NULL;
	corrections = corrections_of(plan, name);
	foreach_ptr(const Correction, correction, corrections)
		words = list_concat(words, correction->near);
	if (words == NIL)
		return pstrdup("\"nearest\":[]");
	return psprintf("\"nearest\":%s,\"corrections\":[%s]", cat_json_array(words),
					corrections_json(corrections, params->given));
}
