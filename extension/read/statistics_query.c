/*
 * statistics_query.c
 *	  Query string of a request for numbers of requests or downloads.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "base/base.h"
#include "query/query.h"
#include "read/statistics_query_internal.h"

/* Return the words of an array that ends with NULL. */
static List *
words_of(const char *const *words)
{
	List *list = NIL;

	while (*words)
		list = lappend(list, unconstify(char *, *words++));
	return list;
}

/* Refuse a value; the hint names those that there are. */
pg_noreturn static void
refuse_word(const char *name, const char *value, List *words)
{
	cat_query_string_refuse(name, value, cat_query_string_hint(words, ""));
}

static void
read_keys(Summary *summary, const char *value)
{
	List *known = words_of(summary->kind->lists);
	ListCell *cell;

	summary->keys = NIL;
	foreach(cell, cat_query_string_split(value, ','))
		if (!cat_query_string_has_word(known, lfirst(cell)))
			refuse_word("groupBy", value, known);
		else if (!cat_query_string_has_word(summary->keys, lfirst(cell)))
			summary->keys = lappend(summary->keys, lfirst(cell));
	if (summary->keys == NIL)
		refuse_word("groupBy", value, known);
}

static DateADT
date_of(const char *name, const char *value)
{
	if (!cat_literal_date(value))
		refuse_word(name, value, list_make1("a date such as 2026-01-31"));
	return DatumGetDateADT(DirectFunctionCall1(date_in, CStringGetDatum(value)));
}

/* Read a list of values; those of day and month must be such. */
static void
read_list(Summary *summary, int number, const char *value)
{
	const char *name = summary->kind->lists[number];
	ListCell *cell;

	summary->lists[number] = cat_query_string_split(value, ',');
	if (summary->lists[number] == NIL)
		refuse_word(name, value, list_make1("values, with commas between"));
	foreach(cell, summary->lists[number])
	{
		if (strcmp(name, "day") == 0)
			(void) date_of(name, lfirst(cell));
		if (strcmp(name, "month") == 0 &&
			!cat_literal_date(psprintf("%s-01", (char *) lfirst(cell))))
			refuse_word(name, value, list_make1("months such as 2026-01"));
	}
}

/* Read an end of the time; of several the strictest counts. */
static void
read_bound(Summary *summary, const char *name, Comparison comparison, const char *value)
{
	DateADT day = date_of(name, value);

	if (comparison == COMPARE_MORE)
		day++;
	if (comparison == COMPARE_LESS)
		day--;
	if (comparison == COMPARE_AT_LEAST || comparison == COMPARE_MORE)
		summary->since = Max(summary->since, day);
	else
		summary->until = Min(summary->until, day);
}

/* Read a parameter that selects what is counted; false if it is another one. */
static bool
read_filter(Summary *summary, const char *name, const char *value)
{
	char *bare = pstrdup(name);
	Comparison comparison = cat_comparison_cut(bare);

	if (strcmp(bare, "day") == 0 && cat_comparison_is_range(comparison))
	{
		read_bound(summary, name, comparison, value);
		return true;
	}
	for (int i = 0; summary->kind->lists[i]; i++)
		if (strcmp(summary->kind->lists[i], name) == 0)
		{
			read_list(summary, i, value);
			return true;
		}
	return false;
}

static void
read_sort(Summary *summary, const char *value)
{
	summary->descending = pg_strcasecmp(value, "DESC") == 0;
	if (!summary->descending && pg_strcasecmp(value, "ASC") != 0)
		refuse_word("sort", value, list_make2("ASC", "DESC"));
}

static void
read_word(Summary *summary, const char *name, const char *value)
{
	if (strcmp(name, "limit") == 0 || strcmp(name, "skip") == 0 || strcmp(name, "version") == 0)
	{
		(void) cat_request_params_read_common(summary->params, name, value);
		summary->limited |= *name == 'l' && strcmp(value, "0") != 0;
	}
	else if (strcmp(name, "groupBy") == 0)
		read_keys(summary, value);
	else if (strcmp(name, "orderBy") == 0)
		summary->order = value;
	else if (strcmp(name, "sort") == 0)
		read_sort(summary, value);
	else if (!read_filter(summary, name, value))
		cat_ignored_add(summary->params, name);
}

/* Complete what the query left open, and check what depends on several parameters. */
static void
settle(Summary *summary)
{
	static const char *const words[] = {"limit",   "skip", "version", "groupBy",
										"orderBy", "sort", NULL};
	const SummaryKind *kind = summary->kind;
	List *sortable;

	if (summary->keys == NIL)
		read_keys(summary, kind->usual);
	sortable = lappend(list_copy(summary->keys), unconstify(char *, kind->value));
	if (summary->order && !cat_query_string_has_word(sortable, summary->order))
		refuse_word("orderBy", summary->order, sortable);
	if (!summary->order)
		summary->order = linitial(summary->keys);
	cat_ignored_require_known(summary->params->actor, summary->params->ignored,
							  list_concat(words_of(words), words_of(kind->lists)));
}

void
cat_statistics_query_read(Summary *summary, const char *query)
{
	char *name;
	char *value;

	while (cat_query_string_next(&query, &name, &value))
		read_word(summary, name, value);
	settle(summary);
}
