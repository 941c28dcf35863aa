/*
 * search_text.c
 *	  Searched text of a record: its searchable fields; its ranks by the terms of a search.
 *
 * Each field is folded; a delimiter precedes the first field and follows each one.  "Begins with", "ends
 * with" and "equals" therefore become "contains" with a delimiter at one end or both, and one index
 * serves all of them.
 *
 * Of a column of JSON the texts in its member "translations" are searched, each like a field.
 */
#include "catalogue.h"

#include "utils/lsyscache.h"

#include "base/body.h"
#include "query/search_internal.h"

/* How the values of one argument are converted to text. */
typedef struct Output
{
	bool is_text; /* they are of type text or varchar */
	bool is_json;
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
						errmsg("%s() takes fields, not an array of them",
							   get_func_name(fcinfo->flinfo->fn_oid))));
	outputs = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Output) * PG_NARGS());
	for (int i = 0; i < PG_NARGS(); i++)
	{
		Oid type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, i));
		Oid function;
		bool varlena;

		outputs[i].is_json = type == JSONOID || type == JSONBOID;
		outputs[i].is_text = type == TEXTOID || type == VARCHAROID;
		getTypeOutputInfo(type, &function, &varlena);
		fmgr_info_cxt(function, &outputs[i].function, fcinfo->flinfo->fn_mcxt);
	}
	fcinfo->flinfo->fn_extra = outputs;
	return outputs;
}

/* Append the texts of a value of JSON, with delimiters between. */
static void
append_texts(StringInfo texts, const Member *value)
{
	List *parts = value->kind == MEMBER_OBJECT	? cat_body_members(value->raw, strlen(value->raw))
				  : value->kind == MEMBER_ARRAY ? cat_body_elements(value->raw)
												: NIL;

	if (value->kind == MEMBER_STRING && value->text)
	{
		cat_search_text_undelimit(value->text);
		appendStringInfo(texts, "%s%s", texts->len > 0 ? SEARCH_DELIMITER : "", value->text);
	}
	foreach_ptr(const Member, part, parts)
		append_texts(texts, part);
}

/* Return the texts in the translations of a value of JSON, with delimiters between; NULL for none. */
static const char *
translations_of(const char *json, size_t *length)
{
	static const char name[] = "\"translations\"";
	StringInfo texts = makeStringInfo();
	const Member *value =
		memmem(json, *length, name, strlen(name)) ? cat_body_value_if(json, *length) : NULL;
	const Member *translations =
		value && value->kind == MEMBER_OBJECT
			? cat_body_member(cat_body_members(value->raw, strlen(value->raw)), "translations")
			: NULL;

	if (translations && translations->kind == MEMBER_OBJECT)
		append_texts(texts, translations);
	*length = texts->len;
	return texts->len > 0 ? texts->data : NULL;
}

const char *
cat_search_text_value(FunctionCallInfo fcinfo, int number, size_t *length)
{
	Output *output = &outputs_of(fcinfo)[number];
	char *plain;

	if (PG_ARGISNULL(number))
		return NULL;
	if (output->is_text)
	{
		text *value = PG_GETARG_TEXT_PP(number);

		*length = VARSIZE_ANY_EXHDR(value);
		return VARDATA_ANY(value);
	}
	plain = OutputFunctionCall(&output->function, PG_GETARG_DATUM(number));
	*length = strlen(plain);
	return output->is_json ? translations_of(plain, length) : plain;
}

void
cat_search_text_undelimit(char *text)
{
	for (; (text = strpbrk(text, SEARCH_DELIMITER SEARCH_BREAK)); text++)
		*text = ' ';
}

CAT_FUNCTION(catalogue_search_text)
{
	StringInfo document = makeStringInfo();

	appendStringInfoSpaces(document, VARHDRSZ);
	appendStringInfoString(document, SEARCH_DELIMITER);
	for (int i = 0; i < PG_NARGS(); i++)
	{
		int begin = document->len;
		size_t length;
		const char *value = cat_search_text_value(fcinfo, i, &length);

		if (!value)
			continue;
		cat_fold_append(document, value, length);
		if (!outputs_of(fcinfo)[i].is_json)
			cat_search_text_undelimit(document->data + begin);
		appendStringInfoString(document, SEARCH_DELIMITER);
	}
	SET_VARSIZE(document->data, document->len);
	PG_RETURN_TEXT_P(document->data);
}

/* Return whether there are words, separated by a character, and each occurs in the document. */
static bool
has_words(const char *document, size_t length, const char *words, const char *end,
		  const char *separator)
{
	bool any = words < end;

	while (words < end)
	{
		const char *stop = memchr(words, *separator, end - words);
		size_t size = (stop ? stop : end) - words;

		if (!memmem(document, length, words, size))
			return false;
		words += size + 1;
	}
	return any;
}

CAT_FUNCTION(catalogue_search_has)
{
	text *document = PG_GETARG_TEXT_PP(ARG_SEARCH_HAS_DOCUMENT);
	text *part = PG_GETARG_TEXT_PP(ARG_SEARCH_HAS_PART);

	PG_RETURN_BOOL(VARSIZE_ANY_EXHDR(part) == 0 ||
				   has_words(VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document), VARDATA_ANY(part),
							 VARDATA_ANY(part) + VARSIZE_ANY_EXHDR(part), SEARCH_BREAK));
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
		bool begins = at > document && at[-1] == *SEARCH_DELIMITER;
		bool ends = at + size < end && at[size] == *SEARCH_DELIMITER;
		SearchRank rank = begins && ends ? SEARCH_EXACT : begins ? SEARCH_BEGINS : SEARCH_CONTAINS;

		if (fits(match, begins, ends) && (best == SEARCH_NONE || rank < best))
			best = rank;
		at++;
	}
	return best;
}

/*
 * Return the rank of a term: that of its text, else of the words that follow the text after a delimiter.
 */
static SearchRank
rank_of_words(const text *document, const char *term, size_t size, Match match)
{
	const char *words = memchr(term, *SEARCH_DELIMITER, size);
	const char *data = VARDATA_ANY(document);
	size_t length = VARSIZE_ANY_EXHDR(document);
	size_t text = words ? (size_t) (words - term) : size;
	SearchRank rank = rank_of_term(data, length, term, text, match);

	if (rank == SEARCH_NONE && words &&
		has_words(data, length, words + 1, term + size, SEARCH_DELIMITER))
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

bool
cat_search_text_find_match(const char *name, Match *match)
{
	static const char *const names[] = {"CONTAINS", "BEGINS", "ENDS", "EXACT"};

	for (size_t i = 0; i < lengthof(names); i++)
		if (pg_strcasecmp(name, names[i]) == 0)
		{
			*match = (Match) i;
			return true;
		}
	return false;
}

Match
cat_search_text_match(const char *name)
{
	Match match;

	if (cat_search_text_find_match(name, &match))
		return match;
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
