/*
 * word_search.c
 *	  Searches for words by their stems (match=WORDS): terms, conditions, ranks.
 *
 * A record is found by stems, through the index of words, or by letters like in other searches.
 * What is found by stems is divided into classes, each of them a tsquery that the index answers
 * alone; a page is put together from classes like from ranks.
 */
#include "catalogue.h"

#include "query/search_internal.h"

bool
cat_word_search_stems(const RequestParams *params)
{
	return params->words && params->words->query;
}

WordSearch *
cat_word_search_begin(void)
{
	return palloc0(sizeof(WordSearch));
}

/* ---- Terms ---- */

/* Return a copy of a text with straight quotes in place of other ones. */
static char *
straight_quotes(const char *text)
{
	static const char *const quotes[] = {"“", "”", "„", "«", "»"};
	StringInfo straight = makeStringInfo();

	while (*text)
	{
		size_t i = 0;

		while (i < lengthof(quotes) && strncmp(text, quotes[i], strlen(quotes[i])) != 0)
			i++;
		appendStringInfoChar(straight, i < lengthof(quotes) ? '"' : *text);
		text += i < lengthof(quotes) ? strlen(quotes[i]) : 1;
	}
	return straight->data;
}

/* Return a part of a text, folded and without blanks at its ends. */
static char *
letters_of(const char *text, size_t length)
{
	char *folded = cat_fold_text(text, length);
	size_t size;

	cat_search_text_undelimit(folded);
	folded += strspn(folded, SPACES);
	for (size = strlen(folded); size > 0 && strchr(SPACES, folded[size - 1]); size--)
		;
	return pnstrdup(folded, size);
}

/* Return SQL of the queries of units, joined. */
static char *
joined(List *queries, const char *operator)
{
	StringInfo sql = makeStringInfo();

	foreach_ptr(char, part, queries)
		appendStringInfo(sql, "%s%s", sql->len > 0 ? operator : "(", part);
	appendStringInfoChar(sql, ')');
	return queries == NIL ? NULL : sql->data;
}

/* Return the queries of units for a field. */
static List *
queries_of(List *units, WordField field)
{
	List *queries = NIL;

	foreach_ptr(SearchUnit, unit, units)
		queries = lappend(queries, unit->queries[field]);
	return queries;
}

/* Return the length of a text up to the end of a number of words. */
static size_t
length_of_words(const char *text, size_t length, int number)
{
	size_t at = 0;

	for (int i = 0; i < number && at < length; i++)
	{
		at += strspn(text + at, SPACES);
		at += strcspn(text + at, SPACES);
	}
	return Min(at, length);
}

/* Add words, or a phrase, to a term; at most as many words as are left. */
static void
add_part(SearchTerm *term, const char *text, size_t length, bool is_phrase, bool is_last, int *left)
{
	size_t size = length_of_words(text, length, Max(*left, 0));
	char *letters = letters_of(text, size);
	List *words = cat_search_split_words(letters);

	if (words == NIL)
		return;
	*left -= list_length(words);
	term->words = list_concat(term->words, is_phrase ? list_make1(letters) : words);
	term->text = *term->text ? psprintf("%s %s", term->text, letters) : letters;
	term->units =
		list_concat(term->units, cat_search_words_read(pnstrdup(text, size),
													   is_last && !is_phrase && size == length,
													   WORDS_MAX - list_length(term->units)));
	if (is_phrase)
		term->phrases = lappend(term->phrases, letters);
}

/*
 * Return the term of a search for words at *text, and advance *text past it.
 *
 * Quotes without a partner are blanks.
 */
static SearchTerm *
next_words(const char **text, int *left)
{
	SearchTerm *term = palloc0(sizeof(SearchTerm));
	const char *p = *text;

	term->text = "";
	while (*p && *p != ',')
	{
		bool quoted = *p == '"';
		const char *begin = p + quoted;
		const char *end = quoted ? strchr(begin, '"') : NULL;

		if (!end)
			end = begin + strcspn(begin, ",\"");
		p = end + (quoted && *end == '"');
		/* a quote in front of it has no partner */
		add_part(term, begin, end - begin, quoted && *end == '"', *end == '\0', left);
	}
	*text = p;
	if (list_length(term->words) == 1)
		term->words = NIL;
	term->query = joined(queries_of(term->units, IN_ANY_FIELD), "&");
	return term;
}

/* Set the query of the whole search, and the units that it is ranked by: words, or alternative terms. */
static void
join_terms(RequestParams *params)
{
	WordSearch *words = params->words;
	bool alternatives = !params->all && list_length(params->terms) > 1;
	List *queries = NIL;
	List *wholes = NIL;

	foreach_ptr(SearchTerm, term, params->terms)
	{
		char *whole = cat_search_words_whole(term->text);
		SearchUnit *unit = palloc0(sizeof(SearchUnit));

		words->apart |= term->phrases != NIL || (params->all && !term->query);
		wholes = whole ? lappend(wholes, whole) : wholes;
		if (!term->query)
			continue;
		queries = lappend(queries, term->query);
		unit->queries[IN_ANY_FIELD] = term->query;
		unit->queries[IN_NAME] = joined(queries_of(term->units, IN_NAME), "&");
		words->units =
			alternatives ? lappend(words->units, unit) : list_concat(words->units, term->units);
	}
	words->query = joined(queries, params->all ? "&" : "|");
	words->whole = joined(wholes, "|");
}

/* Split a search for words into terms at the commas; what is too much is left out. */
void
cat_word_search_split(RequestParams *params)
{
	const char *text = straight_quotes(params->given);
	int left = WORDS_MAX;

	while (left > 0 && list_length(params->terms) < TERMS_MAX &&
		   *(text += strspn(text, "," SPACES)))
	{
		SearchTerm *term = next_words(&text, &left);

		if (*term->text)
			params->terms = lappend(params->terms, term);
	}
	join_terms(params);
}

/* ---- Conditions ---- */

/*
 * How a condition is written: for the index, or for each record, from what the caller sees of it.  The
 * latter has functions in place of operators, which no index serves.
 */
typedef struct WordsForm
{
	bool indexed;
	AccessLevel access;
} WordsForm;

/* Return the field whose words rank before others: the name, else the first searchable one. */
static const Field *
name_of(const Resource *resource)
{
	const Field *first = NULL;

	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (field->searchable && strcmp(field->column, "name") == 0)
			return field;
		if (field->searchable && !first)
			first = field;
	}
	return first;
}

/* Append the words of a record, as catalogue.index_search() has them in the index with ACCESS_ALL. */
static void
write_vector(StringInfo sql, const Resource *resource, const char *alias, AccessLevel access)
{
	const Field *name = name_of(resource);

	appendStringInfo(sql, "catalogue.search_words('%s'", cat_search_words_languages());
	if (cat_visibility_field(name, access))
		appendStringInfo(sql, ", %s.%s", alias, name->quoted);
	else
		appendStringInfoString(sql, ", NULL::text");
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].searchable && &resource->fields[i] != name &&
			cat_visibility_field(&resource->fields[i], access))
			appendStringInfo(sql, ", %s.%s", alias, resource->fields[i].quoted);
	appendStringInfoChar(sql, ')');
}

/* Append the condition that a record has what a tsquery says. */
static void
write_has_query(SqlBuilder *query, const Resource *resource, const char *alias, WordsForm form,
				const char *sought)
{
	appendStringInfoString(&query->sql, form.indexed ? "" : "pg_catalog.ts_match_vq(");
	write_vector(&query->sql, resource, alias, form.access);
	appendStringInfo(&query->sql,
					 form.indexed ? " OPERATOR(pg_catalog.@@) %s::tsquery" : ", %s::tsquery)",
					 cat_sql_builder_param(query, sought));
}

/* Append the condition that a record has some letters. */
static void
write_has_letters(SqlBuilder *query, const Resource *resource, const char *alias, WordsForm form,
				  const char *letters)
{
	if (form.indexed)
	{
		cat_search_found_write(query, resource, alias, letters, MATCH_CONTAINS);
		return;
	}
	appendStringInfoString(&query->sql, "catalogue.search_has(");
	cat_search_document_write(&query->sql, resource, alias, form.access);
	appendStringInfo(&query->sql, ", %s)", cat_sql_builder_param(query, letters));
}

/* Append the condition that a record has a term: its words by their stems, its phrases by their letters. */
static void
write_term_words(SqlBuilder *query, const Resource *resource, const char *alias, WordsForm form,
				 const SearchTerm *term)
{
	List *letters = term->query	  ? term->phrases
					: term->words ? term->words
								  : list_make1(term->text);
	const char *separator = "(";

	/* letters first: they are compared in less time than words are taken from a record */
	foreach_ptr(char, part, letters)
	{
		appendStringInfoString(&query->sql, separator);
		write_has_letters(query, resource, alias, form, part);
		separator = " AND ";
	}
	if (term->query)
	{
		appendStringInfoString(&query->sql, separator);
		write_has_query(query, resource, alias, form, term->query);
	}
	appendStringInfoChar(&query->sql, ')');
}

/*
 * Append the condition that a record is found by stems.
 *
 * class: query of a part of these records, NULL for all of them
 */
static void
write_stems(SqlBuilder *query, const RequestParams *params, const char *alias, WordsForm form,
			const char *class)
{
	const char *separator = "";
	bool apart = params->words->apart;

	appendStringInfoString(&query->sql, apart ? "((" : "(");
	foreach_ptr(const SearchTerm, term, params->terms)
	{
		/* of alternatives, only those with words to stem */
		if (!apart || !(term->query || params->all))
			continue;
		appendStringInfoString(&query->sql, separator);
		write_term_words(query, params->resource, alias, form, term);
		separator = params->all ? " AND " : " OR ";
	}
	appendStringInfoString(&query->sql, apart ? ")" : "");
	if (apart && class)
		appendStringInfoString(&query->sql, " AND ");
	if (class || !apart)
		write_has_query(query, params->resource, alias, form, class ? class : params->words->query);
	appendStringInfoChar(&query->sql, ')');
}

/* Append the condition on the rank in one form. */
static void
write_rank(SqlBuilder *query, const RequestParams *params, const char *alias, WordsForm form)
{
	bool hides = cat_search_hides(params->resource, query->access);
	/* the index may have more of a record than the caller sees, and so another class */
	const char *class = query->rank >= SEARCH_CLASS && !(form.indexed && hides)
							? list_nth(params->words->classes, (int) query->rank - SEARCH_CLASS)
							: NULL;

	appendStringInfoString(&query->sql, " AND (");
	if (query->rank < SEARCH_CLASS)
	{
		if (form.indexed)
			cat_search_indexed_write(query, params, alias);
		else
			cat_search_rank_write(query, params, alias);
		appendStringInfoString(&query->sql, query->rank == SEARCH_LETTERS ? " AND NOT " : " OR ");
		if (query->rank == SEARCH_LETTERS)
			form = (WordsForm){false, query->access};
	}
	write_stems(query, params, alias, form, class);
	appendStringInfoChar(&query->sql, ')');
}

void
cat_word_search_write(SqlBuilder *query, const RequestParams *params, const char *alias,
					  bool by_record)
{
	if (query->indexed)
		write_rank(query, params, alias, (WordsForm){true, ACCESS_ALL});
	if (by_record)
		write_rank(query, params, alias, (WordsForm){false, query->access});
}

const char *
cat_word_search_same(SqlBuilder *query, const RequestParams *params, const char *expression,
					 const char *word)
{
	List *units = params->words ? cat_search_words_read(word, false, 1) : NIL;

	return units == NIL
			   ? "false"
			   : psprintf("pg_catalog.ts_match_vq(catalogue.search_words('%s', %s), "
						  "%s::tsquery)",
						  cat_search_words_languages(), expression,
						  cat_sql_builder_param(query, joined(queries_of(units, IN_NAME), "&")));
}

/* ---- Ranks ---- */

/* Maximum number of words or terms that are counted, and of those that records are ranked by. */
#define COUNTED_MAX 8
#define RANKED_MAX 4

List *
cat_word_search_ranked(const RequestParams *params)
{
	List *units = params->words->units;

	return list_length(units) > 1 ? queries_of(list_copy_head(units, COUNTED_MAX), IN_ANY_FIELD)
								  : NIL;
}

bool
cat_word_search_is_frequent(const RequestParams *params, int64 most)
{
	foreach_ptr(const SearchUnit, unit, params->words ? params->words->units : NIL)
		if (unit->records > most)
			return true;
	return false;
}

static int
compare_units(const ListCell *one, const ListCell *other)
{
	const SearchUnit *left = lfirst(one);
	const SearchUnit *right = lfirst(other);

	if (left->records == right->records)
		return strcmp(left->queries[IN_ANY_FIELD], right->queries[IN_ANY_FIELD]);
	return left->records < right->records ? -1 : 1;
}

/*
 * Rank by words that few records have.
 *
 * Parts, the best first: the name is the search; it has all its words; it has the rarest one, the next
 * one …; of alternative terms: any field has the rarest one, the next one …; and all others.
 */
void
cat_word_search_rank(const RequestParams *params, const int64 *counts)
{
	WordSearch *words = params->words;
	List *units = list_copy_head(words->units, COUNTED_MAX);
	List *parts = words->whole ? list_make1(words->whole) : NIL;
	StringInfo before = makeStringInfo();

	if (list_length(units) > 1)
	{
		foreach_ptr(SearchUnit, unit, units)
			unit->records = counts[foreach_current_index(unit)];
		list_sort(units, compare_units);
		parts = lappend(parts, joined(queries_of(words->units, IN_NAME), "&"));
	}
	units = list_copy_head(units, RANKED_MAX);
	parts = list_concat(parts, queries_of(units, IN_NAME));
	if (!params->all && list_length(params->terms) > 1)
		parts = list_concat(parts, queries_of(units, IN_ANY_FIELD));
	words->classes = NIL;
	foreach_ptr(char, part, parts)
	{
		words->classes =
			lappend(words->classes, psprintf("%s&%s%s", words->query, part, before->data));
		appendStringInfo(before, "&!%s", part);
	}
	words->classes = lappend(words->classes, psprintf("%s%s", words->query, before->data));
}
