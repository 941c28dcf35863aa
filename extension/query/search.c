/*
 * search.c
 *	  Searches: their terms, and conditions and ranks in SQL.
 *
 * A condition has one of two forms.  For the search index, each term is an operator that
 * catalogue.search_ops serves.  For a scan of all records in order, one function call examines each
 * record.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"

#include "query/search_internal.h"

/* Minimum length in characters of a word that the index finds efficiently. */
#define LONG_WORD 3

static const char *const match_names[] = {
	[MATCH_CONTAINS] = "CONTAINS",
	[MATCH_BEGINS] = "BEGINS",
	[MATCH_ENDS] = "ENDS",
	[MATCH_EXACT] = "EXACT",
};

/* Read the parameter "match". */
void
cat_search_read_match(RequestParams *params, const char *value)
{
	bool by_words = pg_strcasecmp(value, "WORDS") == 0;

	params->words = by_words ? cat_word_search_begin() : NULL;
	params->match = MATCH_CONTAINS;
	if (!by_words && !cat_search_text_find_match(value, &params->match))
		cat_query_string_refuse("match", value, "It takes BEGINS, ENDS, EXACT, CONTAINS or WORDS.");
}

/* Read the parameter "query".  cat_search_split() follows when "match" has been read, too. */
void
cat_search_read(RequestParams *params, const char *value)
{
	const char *plain = cat_query_string_decode_again(value);
	char *folded = cat_fold_text(plain, strlen(plain));

	cat_search_text_undelimit(folded);
	/* stemmers know letters with their accents */
	plain = cat_compose_text(plain);
	params->given = params->given ? psprintf("%s,%s", params->given, plain) : pstrdup(plain);
	params->searched = params->searched ? psprintf("%s,%s", params->searched, folded) : folded;
}

/* Return the words of a text. */
List *
cat_search_split_words(const char *text)
{
	List *words = NIL;

	while (*(text += strspn(text, SPACES)))
	{
		size_t length = strcspn(text, SPACES);

		words = lappend(words, pnstrdup(text, length));
		text += length;
	}
	return words;
}

/* Likewise; NIL if it is a single word. */
static List *
words_of(const char *text)
{
	List *words = cat_search_split_words(text);

	return list_length(words) > 1 ? words : NIL;
}

/*
 * Return the term at *text and advance *text past it.
 *
 * A quoted term may contain commas, and its words must be adjacent.  Words must also be adjacent in
 * a term that has to match the beginning, the end or the whole of a field.
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

/* Split the search into terms at the commas.  Raises OD422 if there are too many terms or words. */
void
cat_search_split(RequestParams *params)
{
	const char *text = params->searched;
	int words = 0;

	if (params->words)
	{
		cat_word_search_split(params);
		return;
	}

	while (*(text += strspn(text, "," SPACES)))
	{
		SearchTerm *term = next_term(&text, params->match);

		if (*term->text)
			params->terms = lappend(params->terms, term);
		words += list_length(term->words);
	}
	if (list_length(params->terms) > TERMS_MAX || words > WORDS_MAX)
		ereport(ERROR, (errcode(OD422), errmsg("too many terms in parameter \"query\""),
						errhint("It takes at most %d terms, of %d words in total.", TERMS_MAX,
								WORDS_MAX)));
}

bool
cat_search_has_words(const RequestParams *params)
{
	foreach_ptr(SearchTerm, term, params->terms)
		if (term->words)
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

/* Return whether there are searchable fields that the caller does not see. */
bool
cat_search_hides(const Resource *resource, AccessLevel access)
{
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].searchable && !cat_visibility_field(&resource->fields[i], access))
			return true;
	return false;
}

/*
 * Append the text of a record: searchable columns in the order of the table, those that are visible
 * at the access level.  With ACCESS_ALL it is the expression of the search index, where columns of
 * unlike collations have to get one; letters are compared byte by byte.
 */
void
cat_search_document_write(StringInfo sql, const Resource *resource, const char *alias,
						  AccessLevel access)
{
	const char *separator = "";

	appendStringInfoString(sql, "catalogue.search_text(");
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].searchable && cat_visibility_field(&resource->fields[i], access))
		{
			appendStringInfo(sql, "%s%s.%s%s", separator, alias, resource->fields[i].quoted,
							 resource->fields[i].collated ? " COLLATE \"C\"" : "");
			separator = ", ";
		}
	appendStringInfoChar(sql, ')');
}

/* Append the condition that a folded text occurs in a searchable field. */
void
cat_search_found_write(SqlBuilder *query, const Resource *resource, const char *alias,
					   const char *text, Match match)
{
	bool begins = match == MATCH_BEGINS || match == MATCH_EXACT;
	bool ends = match == MATCH_ENDS || match == MATCH_EXACT;
	char *part =
		psprintf("%s%s%s", begins ? SEARCH_DELIMITER : "", text, ends ? SEARCH_DELIMITER : "");

	cat_search_document_write(&query->sql, resource, alias, ACCESS_ALL);
	appendStringInfo(&query->sql, " OPERATOR(catalogue.@>) %s", cat_sql_builder_param(query, part));
}

/*
 * Append, followed by AND, the condition that restricts a filter on one field to the records that
 * the search index finds.
 */
void
cat_search_narrow(SqlBuilder *query, const Resource *resource, const char *alias, List *values,
				  Match match)
{
	appendStringInfoChar(&query->sql, '(');
	foreach_ptr(char, value, values)
	{
		char *folded = cat_fold_text(value, strlen(value));

		cat_search_text_undelimit(folded);
		if (foreach_current_index(value) > 0)
			appendStringInfoString(&query->sql, " OR ");
		cat_search_found_write(query, resource, alias, folded, match);
	}
	appendStringInfoString(&query->sql, ") AND ");
}

/*
 * Append the condition that each word occurs.  For one or two characters the index finds many
 * records, so if there are longer words, only those use the index.
 */
static void
write_words(SqlBuilder *query, const Resource *resource, const char *alias, List *words)
{
	StringInfo longer = makeStringInfo();
	StringInfo shorter = makeStringInfo();

	foreach_ptr(char, word, words)
	{
		StringInfo parts = pg_mbstrlen(word) >= LONG_WORD ? longer : shorter;

		appendStringInfo(parts, "%s%s", parts->len > 0 ? SEARCH_BREAK : "", word);
	}
	appendStringInfoChar(&query->sql, '(');
	cat_search_found_write(query, resource, alias, longer->len > 0 ? longer->data : shorter->data,
						   MATCH_CONTAINS);
	if (longer->len > 0 && shorter->len > 0)
	{
		appendStringInfoString(&query->sql, " AND catalogue.search_has(");
		cat_search_document_write(&query->sql, resource, alias, ACCESS_ALL);
		appendStringInfo(&query->sql, ", %s)", cat_sql_builder_param(query, shorter->data));
	}
	appendStringInfoChar(&query->sql, ')');
}

/* Append the condition of a term for the index; whole: its words are sought side by side. */
static void
write_term(SqlBuilder *query, const RequestParams *params, const char *alias,
		   const SearchTerm *term, bool whole, Match match)
{
	if (term->words && !whole)
		write_words(query, params->resource, alias, term->words);
	else
		cat_search_found_write(query, params->resource, alias, term->text, match);
}

/* Append the condition for the index: it finds the records of the wanted rank and few others. */
void
cat_search_indexed_write(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	bool best = query->rank == SEARCH_EXACT || query->rank == SEARCH_BEGINS;
	/* one of several terms that are all required may have its words apart */
	bool alone = !params->all || list_length(params->terms) == 1;
	bool whole = best || (query->rank == SEARCH_CONTAINS && alone);
	Match match = query->rank == SEARCH_EXACT	 ? MATCH_EXACT
				  : query->rank == SEARCH_BEGINS ? MATCH_BEGINS
												 : params->match;

	appendStringInfoChar(&query->sql, '(');
	foreach_ptr(const SearchTerm, term, params->terms)
	{
		if (foreach_current_index(term) > 0)
			appendStringInfoString(&query->sql, params->all && !best ? " AND " : " OR ");
		write_term(query, params, alias, term, whole, match);
	}
	appendStringInfoChar(&query->sql, ')');
}

/* Return the terms in the format that catalogue.search_rank() takes. */
static char *
terms_text(List *terms)
{
	StringInfo text = makeStringInfo();

	foreach_ptr(const SearchTerm, term, terms)
	{
		appendStringInfo(text, "%s%s", text->len ? SEARCH_BREAK : "", term->text);
		foreach_ptr(char, name, term->words)
			appendStringInfo(text, "%s%s", SEARCH_DELIMITER, name);
	}
	return text->data;
}

/* Append the condition on the rank, which is computed for each record. */
void
cat_search_rank_write(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	appendStringInfoString(&query->sql, "catalogue.search_rank(");
	cat_search_document_write(&query->sql, params->resource, alias, query->access);
	appendStringInfo(&query->sql, ", %s, '%s', %s)",
					 cat_sql_builder_param(query, terms_text(params->terms)),
					 match_names[params->match], params->all ? "true" : "false");
	if (query->rank == SEARCH_NONE || cat_word_search_stems(params))
		appendStringInfo(&query->sql, " > %d", SEARCH_NONE);
	else
		appendStringInfo(&query->sql, " = %d", query->rank);
}

/* Append, preceded by AND, the conditions of the search. */
void
cat_search_write(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	/* the index has what the caller does not see as well */
	bool by_record = !query->indexed || cat_search_hides(params->resource, query->access);

	if (params->terms == NIL)
		return;
	if (!has_searchable(params->resource))
	{
		appendStringInfoString(&query->sql, " AND false");
		return;
	}
	if (cat_word_search_stems(params))
	{
		cat_word_search_write(query, params, alias, by_record);
		return;
	}
	if (query->indexed)
	{
		appendStringInfoString(&query->sql, " AND ");
		cat_search_indexed_write(query, params, alias);
	}
	if (by_record || query->rank != SEARCH_NONE)
	{
		appendStringInfoString(&query->sql, " AND ");
		cat_search_rank_write(query, params, alias);
	}
}

/* Return whether the search index of the resource or of a related one serves a filter. */
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

bool
cat_search_is_served(const RequestParams *params)
{
	bool served = params->terms != NIL;
	int alternatives = 0;
	int served_alternatives = 0;

	foreach_ptr(const Filter, filter, params->filters)
	{
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
