/*
 * search.c
 *	  Searches: terms, the text of a record, the operator class of its index, and conditions.
 *
 * A condition has one of two forms.  For the search index, each term is an operator that
 * catalogue.search_ops serves.  For a scan of all records in order, one function call examines each
 * record.
 */
#include "catalogue.h"

#include "access/gin.h"
#include "mb/pg_wchar.h"
#include "utils/lsyscache.h"

#include "query/query_internal.h"

/*
 * ---- GIN operator class of the search index, over the character runs of a text ----
 *
 * Keys are all runs of three characters and all single characters.  The text is treated as if two
 * empty characters followed it, so that a run of two characters is always the beginning of a
 * three-character key and is found by a partial match.  A query of up to three characters is
 * answered by the index alone; a longer one needs all its runs, and the row is rechecked.
 */

/* Maximum number of keys of a query; the recheck of the row covers the rest. */
#define QUERY_KEYS_MAX 64

/* Number of bits of a character in a key. */
#define CHARACTER_BITS 21

static pg_wchar *
characters_of(const text *value, int *count)
{
	size_t length = VARSIZE_ANY_EXHDR(value);
	pg_wchar *characters = palloc(sizeof(pg_wchar) * (length + 3));

	*count = pg_mb2wchar_with_len(VARDATA_ANY(value), characters, (int) length);
	characters[*count] = characters[*count + 1] = 0;
	return characters;
}

static int64
key_of(pg_wchar first, pg_wchar second, pg_wchar third)
{
	return (int64) first << 2 * CHARACTER_BITS | (int64) second << CHARACTER_BITS | (int64) third;
}

#define ST_SORT sort_keys
#define ST_ELEMENT_TYPE int64
#define ST_COMPARE(a, b) ((*(a) > *(b)) - (*(a) < *(b)))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * extractValue: return the keys of a stored text.
 *
 * They are sorted and unique.  GIN would do that itself, but with a function call for each
 * comparison.
 */
CAT_FUNCTION(catalogue_grams_value)
{
	int32 *nkeys = (int32 *) PG_GETARG_POINTER(ARG_GRAMS_VALUE_NKEYS);
	int count;
	pg_wchar *c = characters_of(PG_GETARG_TEXT_PP(ARG_GRAMS_VALUE_DOCUMENT), &count);
	int64 *found = palloc(sizeof(int64) * (2 * count + 1));
	Datum *keys = palloc(sizeof(Datum) * (2 * count + 1));

	for (int i = 0; i < count; i++)
	{
		found[2 * i] = key_of(c[i], c[i + 1], c[i + 2]);
		found[2 * i + 1] = key_of(c[i], 0, 0);
	}
	sort_keys(found, 2 * count);
	*nkeys = 0;
	for (int i = 0; i < 2 * count; i++)
		if (i == 0 || found[i] != found[i - 1])
			keys[(*nkeys)++] = Int64GetDatum(found[i]);
	PG_RETURN_POINTER(keys);
}

/* extractQuery: return the keys of a query text. */
CAT_FUNCTION(catalogue_grams_query)
{
	int32 *nkeys = (int32 *) PG_GETARG_POINTER(ARG_GRAMS_QUERY_NKEYS);
	bool **partial = (bool **) PG_GETARG_POINTER(ARG_GRAMS_QUERY_PARTIAL);
	int32 *mode = (int32 *) PG_GETARG_POINTER(ARG_GRAMS_QUERY_MODE);
	int count;
	pg_wchar *c = characters_of(PG_GETARG_TEXT_PP(ARG_GRAMS_QUERY_QUERY), &count);
	Datum *keys = palloc(sizeof(Datum) * (count + 1));

	if (count == 0)
		*mode = GIN_SEARCH_MODE_ALL;
	*nkeys = count <= 3 ? Min(count, 1) : Min(count - 2, QUERY_KEYS_MAX);
	*partial = palloc0(sizeof(bool) * (count + 1));
	(*partial)[0] = count == 2;
	for (int i = 0; i < *nkeys; i++)
		keys[i] = Int64GetDatum(key_of(c[i], c[i + 1], c[i + 2]));
	PG_RETURN_POINTER(keys);
}

/* triConsistent: all keys must be present; for up to three characters that suffices. */
CAT_FUNCTION(catalogue_grams_consistent)
{
	GinTernaryValue *found = (GinTernaryValue *) PG_GETARG_POINTER(ARG_GRAMS_CONSISTENT_FOUND);
	int32 nkeys = PG_GETARG_INT32(ARG_GRAMS_CONSISTENT_NKEYS);
	GinTernaryValue result = nkeys == 1 ? GIN_TRUE : GIN_MAYBE;

	for (int i = 0; i < nkeys; i++)
	{
		if (found[i] == GIN_FALSE)
			PG_RETURN_GIN_TERNARY_VALUE(GIN_FALSE);
		if (found[i] == GIN_MAYBE)
			result = GIN_MAYBE;
	}
	PG_RETURN_GIN_TERNARY_VALUE(nkeys == 0 ? GIN_TRUE : result);
}

/*
 * comparePartial: return 0 if a key begins with the two characters of the query key, 1 if it comes
 * after them.
 */
CAT_FUNCTION(catalogue_grams_partial)
{
	int64 wanted = PG_GETARG_INT64(ARG_GRAMS_PARTIAL_WANTED) >> CHARACTER_BITS;
	int64 key = PG_GETARG_INT64(ARG_GRAMS_PARTIAL_KEY) >> CHARACTER_BITS;

	PG_RETURN_INT32(key == wanted ? 0 : 1);
}

/*
 * ---- Searched text of a record: its searchable fields ----
 *
 * Each field is folded; a mark precedes the first field and follows each one.  "Begins with", "ends
 * with" and "equals" therefore become "contains" with a mark at one end or both, and one index
 * serves all of them.
 */

/* How the values of one argument are converted to text. */
typedef struct Output
{
	bool is_text; /* they are of type text or varchar */
	FmgrInfo function;
} Output;

/* Return the output functions of the arguments; they are cached in fn_extra. */
static Output *
outputs_of(FunctionCallInfo fcinfo)
{
	Output *outputs = fcinfo->flinfo->fn_extra;

	if (outputs)
		return outputs;
	if (get_fn_expr_variadic(fcinfo->flinfo))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("search_text() takes fields, not an array of them")));
	outputs = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Output) * PG_NARGS());
	for (int i = 0; i < PG_NARGS(); i++)
	{
		Oid type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, i));
		Oid function;
		bool varlena;

		outputs[i].is_text = type == TEXTOID || type == VARCHAROID;
		getTypeOutputInfo(type, &function, &varlena);
		fmgr_info_cxt(function, &outputs[i].function, fcinfo->flinfo->fn_mcxt);
	}
	fcinfo->flinfo->fn_extra = outputs;
	return outputs;
}

static void
append_argument(StringInfo document, FunctionCallInfo fcinfo, int number, Output *output)
{
	char *plain;

	if (output->is_text)
	{
		text *value = PG_GETARG_TEXT_PP(number);

		cat_fold_append(document, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
		return;
	}
	plain = OutputFunctionCall(&output->function, PG_GETARG_DATUM(number));
	cat_fold_append(document, plain, strlen(plain));
}

/* Replace marks inside a field or a term, which would be taken for its end. */
static void
search_text_unmark(char *text)
{
	for (; (text = strpbrk(text, SEARCH_MARK SEARCH_BREAK)); text++)
		*text = ' ';
}

CAT_FUNCTION(catalogue_search_text)
{
	Output *outputs = outputs_of(fcinfo);
	StringInfo document = makeStringInfo();

	appendStringInfoSpaces(document, VARHDRSZ);
	appendStringInfoString(document, SEARCH_MARK);
	for (int i = 0; i < PG_NARGS(); i++)
	{
		int begin = document->len;

		if (PG_ARGISNULL(i))
			continue;
		append_argument(document, fcinfo, i, &outputs[i]);
		search_text_unmark(document->data + begin);
		appendStringInfoString(document, SEARCH_MARK);
	}
	SET_VARSIZE(document->data, document->len);
	PG_RETURN_TEXT_P(document->data);
}

CAT_FUNCTION(catalogue_search_has)
{
	text *document = PG_GETARG_TEXT_PP(ARG_SEARCH_HAS_DOCUMENT);
	text *part = PG_GETARG_TEXT_PP(ARG_SEARCH_HAS_PART);

	PG_RETURN_BOOL(memmem(VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document), VARDATA_ANY(part),
						  VARSIZE_ANY_EXHDR(part)) != NULL);
}

/*
 * Return whether an occurrence fits the match; begins and ends: it is at the beginning or end of a
 * field.
 */
static bool
fits(Match match, bool begins, bool ends)
{
	return (begins || match == MATCH_CONTAINS || match == MATCH_ENDS) &&
		   (ends || match == MATCH_CONTAINS || match == MATCH_BEGINS);
}

/* Return the rank of a term's best occurrence; SEARCH_NONE if it does not occur. */
static SearchRank
rank_of_term(const char *document, size_t length, const char *term, size_t size, Match match)
{
	SearchRank best = SEARCH_NONE;
	const char *end = document + length;
	const char *at = document;

	while (size > 0 && best != SEARCH_EXACT && (at = memmem(at, end - at, term, size)))
	{
		bool begins = at > document && at[-1] == *SEARCH_MARK;
		bool ends = at + size < end && at[size] == *SEARCH_MARK;
		SearchRank rank = begins && ends ? SEARCH_EXACT : begins ? SEARCH_BEGINS : SEARCH_CONTAINS;

		if (fits(match, begins, ends) && (best == SEARCH_NONE || rank < best))
			best = rank;
		at++;
	}
	return best;
}

/* Return whether there are words, separated by marks, and each occurs in the document. */
static bool
has_words(const char *document, size_t length, const char *words, const char *end)
{
	bool any = words < end;

	while (words < end)
	{
		const char *stop = memchr(words, *SEARCH_MARK, end - words);
		size_t size = (stop ? stop : end) - words;

		if (!memmem(document, length, words, size))
			return false;
		words += size + 1;
	}
	return any;
}

/*
 * Return the rank of a term: that of its text, else of the words that follow the text after a mark.
 */
static SearchRank
rank_of_words(const text *document, const char *term, size_t size, Match match)
{
	const char *words = memchr(term, *SEARCH_MARK, size);
	const char *data = VARDATA_ANY(document);
	size_t length = VARSIZE_ANY_EXHDR(document);
	size_t text = words ? (size_t) (words - term) : size;
	SearchRank rank = rank_of_term(data, length, term, text, match);

	if (rank == SEARCH_NONE && words && has_words(data, length, words + 1, term + size))
		return SEARCH_WORDS;
	return rank;
}

/* Return the best rank of the terms; SEARCH_NONE if every term is required and one is missing. */
static SearchRank
rank_of_terms(const text *document, const text *terms, Match match, bool every)
{
	SearchRank best = SEARCH_NONE;
	const char *term = VARDATA_ANY(terms);
	const char *end = term + VARSIZE_ANY_EXHDR(terms);

	while (term < end)
	{
		const char *stop = memchr(term, *SEARCH_BREAK, end - term);
		size_t size = (stop ? stop : end) - term;
		SearchRank rank = rank_of_words(document, term, size, match);

		if (rank == SEARCH_NONE && every)
			return SEARCH_NONE;
		if (rank != SEARCH_NONE && (best == SEARCH_NONE || rank < best))
			best = rank;
		term += size + 1;
	}
	return best;
}

/* Return the match of a name, ignoring case.  Raises OD422 if it is unknown. */
Match
cat_search_text_match(const char *name)
{
	static const char *const names[] = {"CONTAINS", "BEGINS", "ENDS", "EXACT"};

	for (size_t i = 0; i < lengthof(names); i++)
		if (pg_strcasecmp(name, names[i]) == 0)
			return (Match) i;
	ereport(ERROR, (errcode(OD422), errmsg("invalid value for parameter \"match\": \"%s\"", name),
					errhint("It takes BEGINS, ENDS, EXACT or CONTAINS.")));
}

CAT_FUNCTION(catalogue_search_rank)
{
	PG_RETURN_INT32(rank_of_terms(
		PG_GETARG_TEXT_PP(ARG_SEARCH_RANK_DOCUMENT), PG_GETARG_TEXT_PP(ARG_SEARCH_RANK_TERMS),
		cat_search_text_match(text_to_cstring(PG_GETARG_TEXT_PP(ARG_SEARCH_RANK_MATCH))),
		PG_GETARG_BOOL(ARG_SEARCH_RANK_EVERY)));
}

/* Maximum numbers of terms in a search, and of words in all terms. */
#define TERMS_MAX 32
#define WORDS_MAX 100

/* Minimum length in characters of a word that the index finds efficiently. */
#define LONG_WORD 3

/* A term of a search; terms are separated by commas. */
typedef struct SearchTerm
{
	char *text;	 /* folded */
	List *words; /* of char *, if several that need not be adjacent */
} SearchTerm;

static const char *const match_names[] = {
	[MATCH_CONTAINS] = "CONTAINS",
	[MATCH_BEGINS] = "BEGINS",
	[MATCH_ENDS] = "ENDS",
	[MATCH_EXACT] = "EXACT",
};

#define SPACES " \t\n\v\f\r"

/* Read the parameter "query".  cat_search_split() follows when "match" has been read, too. */
void
cat_search_read(RequestParams *params, const char *value)
{
	const char *plain = cat_query_string_decode_again(value);
	char *folded = cat_fold_text(plain, strlen(plain));

	search_text_unmark(folded);
	params->searched = params->searched ? psprintf("%s,%s", params->searched, folded) : folded;
}

/* Return the words of a text; NIL if it is a single word. */
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
static bool
hides_searchable(const Resource *resource, AccessLevel access)
{
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].searchable && !cat_visibility_field(&resource->fields[i], access))
			return true;
	return false;
}

/*
 * Append the text of a record: searchable columns in the order of the table, those that are visible
 * at the access level.  With ACCESS_ALL it is the expression of the search index.
 */
static void
write_document(StringInfo sql, const Resource *resource, const char *alias, AccessLevel access)
{
	const char *separator = "";

	appendStringInfoString(sql, "catalogue.search_text(");
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].searchable && cat_visibility_field(&resource->fields[i], access))
		{
			appendStringInfo(sql, "%s%s.%s", separator, alias, resource->fields[i].quoted);
			separator = ", ";
		}
	appendStringInfoChar(sql, ')');
}

/* Append the condition that a folded text occurs in a searchable field. */
static void
write_found(SqlBuilder *query, const Resource *resource, const char *alias, const char *text,
			Match match)
{
	bool begins = match == MATCH_BEGINS || match == MATCH_EXACT;
	bool ends = match == MATCH_ENDS || match == MATCH_EXACT;
	char *part = psprintf("%s%s%s", begins ? SEARCH_MARK : "", text, ends ? SEARCH_MARK : "");

	write_document(&query->sql, resource, alias, ACCESS_ALL);
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

		search_text_unmark(folded);
		if (foreach_current_index(value) > 0)
			appendStringInfoString(&query->sql, " OR ");
		write_found(query, resource, alias, folded, match);
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
	bool any = false;

	foreach_ptr(char, word, words)
		any |= pg_mbstrlen(word) >= LONG_WORD;
	appendStringInfoChar(&query->sql, '(');
	foreach_ptr(char, name, words)
	{
		if (foreach_current_index(name) > 0)
			appendStringInfoString(&query->sql, " AND ");
		if (!any || pg_mbstrlen(name) >= LONG_WORD)
		{
			write_found(query, resource, alias, name, MATCH_CONTAINS);
			continue;
		}
		appendStringInfoString(&query->sql, "catalogue.search_has(");
		write_document(&query->sql, resource, alias, ACCESS_ALL);
		appendStringInfo(&query->sql, ", %s)", cat_sql_builder_param(query, name));
	}
	appendStringInfoChar(&query->sql, ')');
}

/* Append the condition for the index: it finds the records of the wanted rank and few others. */
static void
write_indexed(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	bool best = query->rank == SEARCH_EXACT || query->rank == SEARCH_BEGINS;
	Match match = query->rank == SEARCH_EXACT	 ? MATCH_EXACT
				  : query->rank == SEARCH_BEGINS ? MATCH_BEGINS
												 : params->match;

	appendStringInfoString(&query->sql, " AND (");
	foreach_ptr(const SearchTerm, term, params->terms)
	{
		if (foreach_current_index(term) > 0)
			appendStringInfoString(&query->sql, params->all && !best ? " AND " : " OR ");
		if (term->words && !best)
			write_words(query, params->resource, alias, term->words);
		else
			write_found(query, params->resource, alias, term->text, match);
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
			appendStringInfo(text, "%s%s", SEARCH_MARK, name);
	}
	return text->data;
}

/* Append the condition on the rank, which is computed for each record. */
static void
write_rank(SqlBuilder *query, const RequestParams *params, const char *alias)
{
	appendStringInfoString(&query->sql, " AND catalogue.search_rank(");
	write_document(&query->sql, params->resource, alias, query->access);
	appendStringInfo(&query->sql, ", %s, '%s', %s)",
					 cat_sql_builder_param(query, terms_text(params->terms)),
					 match_names[params->match], params->all ? "true" : "false");
	if (query->rank == SEARCH_NONE)
		appendStringInfo(&query->sql, " > %d", SEARCH_NONE);
	else
		appendStringInfo(&query->sql, " = %d", query->rank);
}

/* Append, preceded by AND, the conditions of the search. */
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
	/* the index has what the caller does not see as well */
	if (!query->indexed || query->rank != SEARCH_NONE ||
		hides_searchable(params->resource, query->access))
		write_rank(query, params, alias);
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
