/*
 * search.c
 *	  Searches: their terms, and the conditions that find the records.
 *
 * A condition is written in one of two ways.  For the index: each term is an
 * operator that catalogue.search_ops serves.  For a walk through the records
 * in order: one call that looks at each record.
 */
#include "catalogue.h"

/* Terms of one search. */
#define TERMS_MAX 32

static const char *const match_names[] = {
	[MATCH_CONTAINS] = "CONTAINS",
	[MATCH_BEGINS] = "BEGINS",
	[MATCH_ENDS] = "ENDS",
	[MATCH_EXACT] = "EXACT",
};

#define SPACES " \t\n\v\f\r"

/* Read what is searched for; search_split() comes when "match" has been read too. */
void
search_read(Params *params, const char *value)
{
	const char *plain = words_decode_again(value);
	char *folded = fold_text(plain, strlen(plain));

	document_unmark(folded);
	params->whole = params->whole ? psprintf("%s,%s", params->whole, folded) : folded;
}

/* The term at *text, which is moved behind it; in quotes it may have what else would end it. */
static char *
next_term(const char **text, const char *ends)
{
	const char *begin = *text;
	bool quoted = *begin == '"';
	size_t length;

	begin += quoted;
	length = strcspn(begin, quoted ? "\"" : ends);
	*text = begin + length + (quoted && begin[length] == '"');
	while (length > 0 && strchr(SPACES, begin[length - 1]))
		length--;
	return pnstrdup(begin, length);
}

/*
 * Split what was read into terms.
 *
 * Commas separate them.  White space does so too where a term may be found
 * anywhere; what must begin or end a field, or be all of it, may have spaces.
 * OD422 where there are too many.
 */
void
search_split(Params *params)
{
	const char *text = params->whole;
	const char *ends = params->match == MATCH_CONTAINS ? "," SPACES : ",";
	StringInfoData whole;
	ListCell *cell;

	while (*(text += strspn(text, "," SPACES)))
	{
		char *term = next_term(&text, ends);

		if (*term)
			params->terms = lappend(params->terms, term);
	}
	if (list_length(params->terms) > TERMS_MAX)
		ereport(ERROR, (errcode(OD422), errmsg("too many terms in parameter \"query\""),
						errhint("It takes %d.", TERMS_MAX)));
	initStringInfo(&whole);
	foreach(cell, params->terms)
		appendStringInfo(&whole, "%s%s", whole.len ? " " : "", (char *) lfirst(cell));
	params->whole = whole.data;
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
write_found(CatQuery *query, const Resource *resource, const char *alias, const char *text,
			Match match)
{
	bool begins = match == MATCH_BEGINS || match == MATCH_EXACT;
	bool ends = match == MATCH_ENDS || match == MATCH_EXACT;
	char *part = psprintf("%s%s%s", begins ? SEARCH_MARK : "", text, ends ? SEARCH_MARK : "");

	write_document(&query->sql, resource, alias);
	appendStringInfo(&query->sql, " OPERATOR(catalogue.@>) %s", query_param(query, part));
}

/*
 * Write, with AND behind it, what the index knows of a record whose one field
 * fits a filter with these values.
 */
void
search_narrow(CatQuery *query, const Resource *resource, const char *alias, List *values,
			  Match match)
{
	ListCell *cell;

	appendStringInfoChar(&query->sql, '(');
	foreach(cell, values)
	{
		char *folded = fold_text(lfirst(cell), strlen(lfirst(cell)));

		document_unmark(folded);
		if (foreach_current_index(cell) > 0)
			appendStringInfoString(&query->sql, " OR ");
		write_found(query, resource, alias, folded, match);
	}
	appendStringInfoString(&query->sql, ") AND ");
}

/* Write that the terms are found, joined by a word. */
static void
write_terms(CatQuery *query, const Params *params, const char *alias, List *terms, Match match,
			const char *word)
{
	ListCell *cell;

	appendStringInfoString(&query->sql, " AND (");
	foreach(cell, terms)
	{
		if (foreach_current_index(cell) > 0)
			appendStringInfoString(&query->sql, word);
		write_found(query, params->resource, alias, lfirst(cell), match);
	}
	appendStringInfoChar(&query->sql, ')');
}

/* Write what the index shall look for: the records of the wanted rank, and not many more. */
static void
write_indexed(CatQuery *query, const Params *params, const char *alias)
{
	List *exact = list_copy(params->terms);

	if (list_length(exact) > 1)
		exact = lappend(exact, params->whole);
	if (query->rank == SEARCH_EXACT)
		write_terms(query, params, alias, exact, MATCH_EXACT, " OR ");
	else if (query->rank == SEARCH_BEGINS)
		write_terms(query, params, alias, params->terms, MATCH_BEGINS, " OR ");
	else
		write_terms(query, params, alias, params->terms, params->match,
					params->all ? " AND " : " OR ");
}

/* Write what is looked up in each record: the rank that it has. */
static void
write_rank(CatQuery *query, const Params *params, const char *alias)
{
	StringInfoData terms;
	ListCell *cell;

	initStringInfo(&terms);
	foreach(cell, params->terms)
		appendStringInfo(&terms, "%s%s", terms.len ? SEARCH_BREAK : "", (char *) lfirst(cell));
	appendStringInfoString(&query->sql, " AND catalogue.search_rank(");
	write_document(&query->sql, params->resource, alias);
	appendStringInfo(&query->sql, ", %s, %s, '%s', %s)", query_param(query, terms.data),
					 query_param(query, params->whole), match_names[params->match],
					 params->all ? "true" : "false");
	if (query->rank == SEARCH_NONE)
		appendStringInfo(&query->sql, " > %d", SEARCH_NONE);
	else
		appendStringInfo(&query->sql, " = %d", query->rank);
}

/* Write, with AND before it, that a record is found. */
void
search_write(CatQuery *query, const Params *params, const char *alias)
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
		CatRelation *relation = registry_relation(resource, lfirst(cell));
		Field *field = registry_field(resource, lfirst(cell));

		if (!lnext(filter->path, cell))
			return field && compare_is_served(field, filter);
		resource = registry_resource(relation->target);
	}
	return false;
}

/* Whether the index of search serves a list: it finds all records of it, and few others. */
bool
search_is_served(const Params *params)
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
