/*
 * search.c
 *	  Searches: their terms, and the conditions that find the records.
 *
 * A condition is written in one of two ways.  For the index: each term is an
 * operator that catalogue.search_ops serves.  For a walk through the records
 * in order: one call that looks at each record.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"

/* Terms of one search, and words of all of them. */
#define TERMS_MAX 32
#define WORDS_MAX 100

/* Characters of a word from which on the index finds few records by it. */
#define LONG_WORD 3

static const char *const match_names[] = {
	[MATCH_CONTAINS] = "CONTAINS",
	[MATCH_BEGINS] = "BEGINS",
	[MATCH_ENDS] = "ENDS",
	[MATCH_EXACT] = "EXACT",
};

#define SPACES " \t\n\v\f\r"

/* Read what is searched for; cat_search_split() comes when "match" has been read too. */
void
cat_search_read(RequestParams *params, const char *value)
{
	const char *plain = cat_query_string_decode_again(value);
	char *folded = cat_fold_text(plain, strlen(plain));

	cat_search_text_unmark(folded);
	params->sought = params->sought ? psprintf("%s,%s", params->sought, folded) : folded;
}

/* The words of a text; NIL where it is one. */
static List *
words_of(const char *text)
{
	List *words = NIL;

	while (*(text += strspn(text, SPACES)))
	{
		size_t length = strcspn(text, SPACES);

		words = lappend(words, pnstrdup(text, length));
		text += length;
	}
	return list_length(words) > 1 ? words : NIL;
}

/*
 * The term at *text, which is moved behind it.
 *
 * In quotes it may have commas, and its words must stand side by side; so must those of what is to
 * begin or end a field, or be all of it.
 */
static SearchTerm *
next_term(const char **text, Match match)
{
	SearchTerm *term = palloc0(sizeof(SearchTerm));
	const char *begin = *text;
	bool quoted = *begin == '"';
	size_t length;

	begin += quoted;
	length = strcspn(begin, quoted ? "\"" : ",");
	*text = begin + length + (quoted && begin[length] == '"');
	while (length > 0 && strchr(SPACES, begin[length - 1]))
		length--;
	term->text = pnstrdup(begin, length);
	if (match == MATCH_CONTAINS && !quoted)
		term->words = words_of(term->text);
	return term;
}

/* Split what was read into terms, at the commas; OD422 where there are too many, or their words. */
void
cat_search_split(RequestParams *params)
{
	const char *text = params->sought;
	int words = 0;

	while (*(text += strspn(text, "," SPACES)))
	{
		SearchTerm *term = next_term(&text, params->match);

		if (*term->text)
			params->terms = lappend(params->terms, term);
		words += list_length(term->words);
	}
	if (list_length(params->terms) > TERMS_MAX || words > WORDS_MAX)
		ereport(ERROR, (errcode(OD422), errmsg("too many terms in parameter \"query\""),
						errhint("It takes %d, of %d words in all.", TERMS_MAX, WORDS_MAX)));
}

/* Whether records may be found by words that do not stand side by side. */
bool
cat_search_has_words(const RequestParams *params)
{
	ListCell *cell;

	foreach(cell, params->terms)
		if (((SearchTerm *) lfirst(cell))->words)
			return true;
	return false;
}

static bool
has_searchable(const Resource *resource)
{
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].searchable)
			return true;
	return false;
}

/* Write the text that is searched, as the index has it: its columns in the order of the table. */
static void
write_document(StringInfo sql, const Resource *resource, const char *alias)
{
	const char *separator = "";

	appendStringInfoString(sql, "catalogue.search_text(");
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].searchable)
		{
			appendStringInfo(sql, "%s%s.%s", separator, alias, resource->fields[i].quoted);
			separator = ", ";
		}
	appendStringInfoChar(sql, ')');
}

/* Write that a folded text is found in some field. */
static void
write_found(SqlBuilder *query, const Resource *resource, const char *alias, const char *text,
			Match match)
{
	bool begins = match == MATCH_BEGINS || match == MATCH_EXACT;
	bool ends = match == MATCH_ENDS || match == MATCH_EXACT;
	char *part = psprintf("%s%s%s", begins ? SEARCH_MARK : "", text, ends ? SEARCH_MARK : "");

	write_document(&query->sql, resource, alias);
	appendStringInfo(&query->sql, " OPERATOR(catalogue.@>) %s", cat_sql_builder_param(query, part));
}

/*
 * Write, with AND behind it, what the index knows of a record whose one field
 * fits a filter with these values.
 */
void
cat_search_narrow(SqlBuilder *query, const Resource *resource, const char *alias, List *values,
				  Match match)
{
	ListCell *cell;

	appendStringInfoChar(&query->sql, '(');
	foreach(cell, values)
	{
		char *folded = cat_fold_text(lfirst(cell), strlen(lfirst(cell)));

		cat_search_text_unmark(folded);
		if (foreach_current_index(cell) > 0)
			appendStringInfoString(&query->sql, " OR ");
		write_found(query, resource, alias, folded, match);
	}
	appendStringInfoString(&query->sql, ") AND ");
}

/*
 * Write that each word is found.  By one or two characters the index finds many records, so where
 * there are longer words these alone are asked of it.
 */
static void
write_words(SqlBuilder *query, const Resource *resource, const char *alias, List *words)
{
	bool any = false;
	ListCell *cell;

	foreach(cell, words)
		any |= pg_mbstrlen(lfirst(cell)) >= LONG_WORD;
	appendStringInfoChar(&query->sql, '(');
	foreach(cell, words)
	{
		if (foreach_current_index(cell) > 0)
			appendStringInfoString(&query->sql, " AND ");
		if (!any || pg_mbstrlen(lfirst(cell)) >= LONG_WORD)
		{
			write_found(query, resource, alias, lfirst(cell), MATCH_CONTAINS);
			continue;
		}
		appendStringInfoString(&query->sql, "catalogue.search_has(");
		write_document(&query->sql, resource, alias);
		appendStringInfo(&query->sql, ", %s)", cat_sql_builder_param(query, lfirst(cell)));
	}
	appendStringInfoChar(&query->sql, ')');
}

/* Write what the index shall look for: the records of the wanted rank, and not many more. */
static void
write_indexed(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	bool best = query->rank == SEARCH_EXACT || query->rank == SEARCH_BEGINS;
	Match match = query->rank == SEARCH_EXACT	 ? MATCH_EXACT
				  : query->rank == SEARCH_BEGINS ? MATCH_BEGINS
												 : params->match;
	ListCell *cell;

	appendStringInfoString(&query->sql, " AND (");
	foreach(cell, params->terms)
	{
		const SearchTerm *term = lfirst(cell);

		if (foreach_current_index(cell) > 0)
			appendStringInfoString(&query->sql, params->all && !best ? " AND " : " OR ");
		if (term->words && !best)
			write_words(query, params->resource, alias, term->words);
		else
			write_found(query, params->resource, alias, term->text, match);
	}
	appendStringInfoChar(&query->sql, ')');
}

/* The terms as catalogue.search_rank() takes them. */
static char *
terms_text(List *terms)
{
	StringInfoData text;
	ListCell *cell;
	ListCell *word;

	initStringInfo(&text);
	foreach(cell, terms)
	{
		const SearchTerm *term = lfirst(cell);

		appendStringInfo(&text, "%s%s", text.len ? SEARCH_BREAK : "", term->text);
		foreach(word, term->words)
			appendStringInfo(&text, "%s%s", SEARCH_MARK, (char *) lfirst(word));
	}
	return text.data;
}

/* Write what is looked up in each record: the rank that it has. */
static void
write_rank(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	appendStringInfoString(&query->sql, " AND catalogue.search_rank(");
	write_document(&query->sql, params->resource, alias);
	appendStringInfo(&query->sql, ", %s, '%s', %s)",
					 cat_sql_builder_param(query, terms_text(params->terms)),
					 match_names[params->match], params->all ? "true" : "false");
	if (query->rank == SEARCH_NONE)
		appendStringInfo(&query->sql, " > %d", SEARCH_NONE);
	else
		appendStringInfo(&query->sql, " = %d", query->rank);
}

/* Write, with AND before it, that a record is found. */
void
cat_search_write(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	if (params->terms == NIL)
		return;
	if (!has_searchable(params->resource))
	{
		appendStringInfoString(&query->sql, " AND false");
		return;
	}
	if (query->indexed)
		write_indexed(query, params, alias);
	if (!query->indexed || query->rank != SEARCH_NONE)
		write_rank(query, params, alias);
}

/* Whether the index of search, here or of a related resource, serves a filter. */
static bool
serves(Resource *resource, const Filter *filter)
{
	ListCell *cell;

	foreach(cell, filter->path)
	{
		CatRelation *relation = cat_registry_relation(resource, lfirst(cell));
		Field *field = cat_registry_field(resource, lfirst(cell));

		if (!lnext(filter->path, cell))
			return field && cat_filter_value_is_served(field, filter);
		resource = cat_registry_resource(relation->target);
	}
	return false;
}

/* Whether the index of search serves a list: it finds all records of it, and few others. */
bool
cat_search_is_served(const RequestParams *params)
{
	bool served = params->terms != NIL;
	int alternatives = 0;
	int served_alternatives = 0;
	ListCell *cell;

	foreach(cell, params->filters)
	{
		const Filter *filter = lfirst(cell);
		bool is_alternative = !filter->required;

		alternatives += is_alternative;
		if (!serves(params->resource, filter))
			continue;
		served_alternatives += is_alternative;
		served |= !is_alternative;
	}
	return served ||
		   (served_alternatives > 0 && (params->all || served_alternatives == alternatives));
}
