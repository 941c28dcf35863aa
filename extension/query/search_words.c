/*
 * search_words.c
 *	  Words of texts, as tsvector and tsquery: stems in several languages at once.
 *
 * A word has several lexemes: its stem in each language, of the word as it is written and of the
 * folded one, since stemmers need the accents that people leave out.  Two words match if they share
 * a lexeme.  Words that any of the languages leaves out (stop words) have none.
 *
 * Lexemes of the name of a record have a prefix, so that the index alone tells where a word
 * stands.  Words of the name are lexemes as a whole, too, for searches for their beginnings; the
 * whole name is one more.
 */
#include "catalogue.h"

#include "catalog/namespace.h"
#include "common/string.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "tsearch/ts_cache.h"
#include "tsearch/ts_public.h"
#include "tsearch/ts_type.h"
#include "utils/formatting.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "base/base.h"
#include "base/settings.h"
#include "query/search_internal.h"

/* Longer words have no lexemes; they are found by their letters. */
#define WORD_BYTES 64

/* Limit of the lexemes of a record, in bytes, below that of tsvector. */
#define VECTOR_BYTES (512 * 1024)

/* Limit of the lexeme that is a whole name, in bytes. */
#define WHOLE_BYTES 255

/* Words that are kept with their lexemes, which saves nine tenths of the time of a record. */
#define WORDS_KEPT 16384

/* Minimum length in characters of the beginning of a word. */
#define BEGINNING 3

#define NAMED SEARCH_DELIMITER /* before a lexeme of the name */
#define WHOLE SEARCH_BREAK	   /* before the whole name */

/* A word with its lexemes. */
typedef struct Word
{
	char text[WORD_BYTES]; /* as it is written */
	int count;			   /* 0: it is a stop word */
	int stems;			   /* the first ones; the folded word follows if it is none */
	char *lexemes;		   /* each after NAMED, ended by a zero byte */
} Word;

/* The words that are kept, and the languages of their lexemes. */
static struct
{
	MemoryContext context;
	HTAB *words;
	char *languages; /* NULL: none are kept */
	Oid dictionaries[SEARCH_LANGUAGES_MAX];
	int count;
} kept;

/* ---- Words of a text ---- */

/* Ranges of characters beyond ASCII that separate words. */
static const struct
{
	pg_wchar first, last;
} separators[] = {
	{0x0080, 0x00A9}, {0x00AB, 0x00B4}, {0x00B6, 0x00B9}, {0x00BB, 0x00BF},
	{0x00D7, 0x00D7}, {0x00F7, 0x00F7}, {0x2000, 0x2BFF}, {0x2E00, 0x2E7F},
	{0x3000, 0x3004}, {0x3008, 0x3020}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE6F},
	{0xFF00, 0xFF0F}, {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65},
};

/* Return the length in bytes of the word character at the start of a text, 0 if it is none. */
static size_t
word_character(const char *text)
{
	unsigned char first = *text;
	pg_wchar c;

	if (!IS_HIGHBIT_SET(first))
		return isalnum(first) ? 1 : 0;
	if (GetDatabaseEncoding() != PG_UTF8)
		return pg_mblen(text);
	c = utf8_to_unicode((const unsigned char *) text);
	for (size_t i = 0; i < lengthof(separators); i++)
		if (c >= separators[i].first && c <= separators[i].last)
			return 0;
	return pg_utf_mblen((const unsigned char *) text);
}

/* Return the next word of a text and its length; NULL if there is none.  *text is moved past it. */
static const char *
next_word(const char **text, const char *end, size_t *length)
{
	const char *begin = *text;
	size_t size;

	while (begin < end && word_character(begin) == 0)
		begin += IS_HIGHBIT_SET(*begin) ? pg_mblen(begin) : 1;
	for (*text = begin; *text < end && (size = word_character(*text)) > 0; *text += size)
		;
	*length = *text - begin;
	return *length > 0 ? begin : NULL;
}

/* ---- Lexemes of a word ---- */

/* Use the stemmers of these languages, names separated by commas.  Raises 42704 for another one. */
static void
use_languages(const char *languages)
{
	HASHCTL control = {.keysize = WORD_BYTES, .entrysize = sizeof(Word)};

	if (kept.languages && strcmp(kept.languages, languages) == 0 &&
		hash_get_num_entries(kept.words) < WORDS_KEPT)
		return;
	if (!kept.context)
		kept.context =
			AllocSetContextCreate(TopMemoryContext, "catalogue words", ALLOCSET_DEFAULT_SIZES);
	MemoryContextReset(kept.context);
	kept.languages = NULL;
	kept.count = 0;
	foreach_ptr(char, name, cat_query_string_split(languages, ','))
	{
		if (kept.count == SEARCH_LANGUAGES_MAX)
			ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
							errmsg("more than %d languages of the search", SEARCH_LANGUAGES_MAX)));
		kept.dictionaries[kept.count++] = get_ts_dict_oid(
			list_make2(makeString("pg_catalog"), makeString(psprintf("%s_stem", name))), false);
	}
	control.hcxt = kept.context;
	kept.words =
		hash_create("catalogue words", 1024, &control, HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	kept.languages = MemoryContextStrdup(kept.context, languages);
}

/* Add a lexeme to those of a word, unless it is among them. */
static void
add_lexeme(StringInfo lexemes, int *count, const char *lexeme)
{
	for (const char *p = lexemes->data; p < lexemes->data + lexemes->len; p += strlen(p) + 1)
		if (strcmp(p + 1, lexeme) == 0)
			return;
	appendStringInfo(lexemes, "%s%s", NAMED, lexeme);
	appendStringInfoChar(lexemes, '\0');
	(*count)++;
}

/* Add the stems of a lower-case word, folded; return false if a language leaves it out. */
static bool
add_stems(StringInfo lexemes, int *count, const char *lower)
{
	for (int i = 0; i < kept.count; i++)
	{
		TSDictionaryCacheEntry *dictionary = lookup_ts_dictionary_cache(kept.dictionaries[i]);
		DictSubState state = {0};
		const TSLexeme *stem = (const TSLexeme *) DatumGetPointer(FunctionCall4(
			&dictionary->lexize, PointerGetDatum(dictionary->dictData), PointerGetDatum(lower),
			Int32GetDatum((int32) strlen(lower)), PointerGetDatum(&state)));

		if (stem && !stem->lexeme)
			return false;
		for (; stem && stem->lexeme; stem++)
			add_lexeme(lexemes, count, cat_fold_text(stem->lexeme, strlen(stem->lexeme)));
	}
	return true;
}

/* Append the lexemes of a word; return their number, 0 for a stop word. */
static int
append_lexemes(StringInfo lexemes, const char *word, int *stems)
{
	char *folded = cat_fold_text(word, strlen(word));
	/* of other words than those of ASCII, with their accents */
	const char *lower =
		pg_is_ascii(word) ? folded : str_tolower(word, strlen(word), cat_fold_collation());
	int count = 0;

	/* stems of numbers are these, and no language leaves one out */
	if (word[strspn(word, "0123456789")] == '\0')
	{
		add_lexeme(lexemes, &count, folded);
		return *stems = count;
	}
	if (!add_stems(lexemes, &count, lower) ||
		(strcmp(lower, folded) != 0 && !add_stems(lexemes, &count, folded)))
		return 0;
	*stems = count;
	add_lexeme(lexemes, &count, folded);
	if (*stems == 0)
		*stems = count;
	return count;
}

/* Return a word with its lexemes; NULL if it has none. */
static const Word *
word_of(const char *text, size_t length)
{
	char key[WORD_BYTES] = {0};
	StringInfoData lexemes;
	Word *word;
	int count;

	if (length >= WORD_BYTES)
		return NULL;
	memcpy(key, text, length);
	word = hash_search(kept.words, key, HASH_FIND, NULL);
	if (!word)
	{
		char *copy;
		int stems = 0;

		initStringInfo(&lexemes);
		count = append_lexemes(&lexemes, key, &stems);
		copy = MemoryContextAlloc(kept.context, lexemes.len + 1);
		memcpy(copy, lexemes.data, lexemes.len);
		word = hash_search(kept.words, key, HASH_ENTER, NULL);
		word->count = count;
		word->stems = stems;
		word->lexemes = copy;
	}
	return word->count > 0 ? word : NULL;
}

/* ---- The vector of a record ---- */

typedef struct Lexeme
{
	const char *text;
	size_t length;
} Lexeme;

typedef struct Lexemes
{
	Lexeme *all;
	int count, room;
	size_t bytes;
} Lexemes;

static void
append_lexeme(Lexemes *lexemes, const char *text, size_t length)
{
	if (lexemes->count == lexemes->room)
	{
		lexemes->room = Max(128, 2 * lexemes->room);
		lexemes->all = lexemes->all ? repalloc(lexemes->all, sizeof(Lexeme) * lexemes->room)
									: palloc(sizeof(Lexeme) * lexemes->room);
	}
	lexemes->all[lexemes->count++] = (Lexeme){text, length};
	lexemes->bytes += length;
}

/* Append the lexemes of a text; those of the name with their prefix. */
static void
append_text(Lexemes *lexemes, const char *text, size_t length, bool named)
{
	const char *end = text + length;
	const char *begin;
	size_t size;

	while (lexemes->bytes < VECTOR_BYTES && (begin = next_word(&text, end, &size)))
	{
		const Word *word = word_of(begin, size);
		const char *lexeme = word ? word->lexemes : NULL;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; word && i < (named ? word->count : word->stems); i++)
		{
			size_t prefixed = strlen(lexeme);

			append_lexeme(lexemes, named ? lexeme : lexeme + 1, named ? prefixed : prefixed - 1);
			lexeme += prefixed + 1;
		}
	}
}

/* Return the lexeme that a whole name is: its folded words, as many as fit; NULL for no words. */
static char *
whole_name(const char *text, size_t length)
{
	const char *end = text + length;
	StringInfo whole = makeStringInfo();
	const char *begin;
	size_t size;

	appendStringInfoString(whole, WHOLE);
	while ((begin = next_word(&text, end, &size)))
	{
		char *folded = cat_fold_text(begin, size);

		if (whole->len + strlen(folded) > WHOLE_BYTES)
			break;
		appendStringInfo(whole, " %s", folded);
	}
	return whole->len > 1 ? whole->data : NULL;
}

static inline int
compare_lexemes(const Lexeme *left, const Lexeme *right)
{
	int order = memcmp(left->text, right->text, Min(left->length, right->length));

	return order != 0 ? order : (left->length > right->length) - (left->length < right->length);
}

#define ST_SORT sort_all
#define ST_ELEMENT_TYPE Lexeme
#define ST_COMPARE(a, b) compare_lexemes(a, b)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Sort the lexemes, and keep each once. */
static void
sort_lexemes(Lexemes *lexemes)
{
	int count = 0;

	if (lexemes->count > 1)
		sort_all(lexemes->all, lexemes->count);
	lexemes->bytes = 0;
	for (int i = 0; i < lexemes->count; i++)
		if (count == 0 || compare_lexemes(&lexemes->all[count - 1], &lexemes->all[i]) != 0)
		{
			lexemes->all[count++] = lexemes->all[i];
			lexemes->bytes += lexemes->all[i].length;
		}
	lexemes->count = count;
}

static TSVector
vector_of(Lexemes *lexemes)
{
	size_t size;
	size_t at = 0;
	TSVector vector;

	sort_lexemes(lexemes);
	size = CALCDATASIZE(lexemes->count, lexemes->bytes);
	vector = palloc0(size);
	SET_VARSIZE(vector, size);
	vector->size = lexemes->count;
	for (int i = 0; i < lexemes->count; i++)
	{
		const Lexeme *lexeme = &lexemes->all[i];

		ARRPTR(vector)[i].len = (uint32) lexeme->length;
		ARRPTR(vector)[i].pos = (uint32) at;
		memcpy(STRPTR(vector) + at, lexeme->text, lexeme->length);
		at += lexeme->length;
	}
	return vector;
}

CAT_FUNCTION(catalogue_search_words)
{
	Lexemes lexemes = {0};

	if (PG_ARGISNULL(ARG_SEARCH_WORDS_LANGUAGES))
		PG_RETURN_NULL();
	use_languages(text_to_cstring(PG_GETARG_TEXT_PP(ARG_SEARCH_WORDS_LANGUAGES)));
	for (int i = ARG_SEARCH_WORDS_FIELDS; i < PG_NARGS(); i++)
	{
		size_t length;
		const char *text = cat_search_text_value(fcinfo, i, &length);
		char *whole = text && i == ARG_SEARCH_WORDS_FIELDS ? whole_name(text, length) : NULL;

		if (text)
			append_text(&lexemes, text, length, i == ARG_SEARCH_WORDS_FIELDS);
		if (whole)
			append_lexeme(&lexemes, whole, strlen(whole));
	}
	PG_RETURN_TSVECTOR(vector_of(&lexemes));
}

/* ---- Words of a search ---- */

char *
cat_search_words_languages(void)
{
	StringInfo languages = makeStringInfo();

	for (const char *p = cat_search_languages; *(p += strspn(p, ", ")); p += strcspn(p, ", "))
		appendStringInfo(languages, "%s%.*s", languages->len > 0 ? "," : "", (int) strcspn(p, ", "),
						 p);
	return languages->data;
}

CAT_FUNCTION(catalogue_search_languages)
{
	PG_RETURN_TEXT_P(cstring_to_text(cat_search_words_languages()));
}

/* Endings as people write them without accents, and with them. */
static const struct
{
	const char *plain, *accented;
} endings[] = {
	{"ion", "ión"}, {"cao", "ção"}, {"coes", "ções"}, {"ao", "ão"}, {"oes", "ões"},
};

/* Append a lexeme, quoted; prefix: NAMED, or empty.  begins: as the beginning of lexemes. */
static void
write_lexeme(StringInfo query, const char *prefix, const char *lexeme, bool begins)
{
	appendStringInfo(query, "%s'%s", query->len > 0 ? "|" : "", prefix);
	for (; *lexeme; lexeme++)
	{
		if (*lexeme == '\'' || *lexeme == '\\')
			appendStringInfoChar(query, *lexeme);
		appendStringInfoChar(query, *lexeme);
	}
	appendStringInfoString(query, begins ? "':*" : "'");
}

/* Append the stems of a word, and of the name the word itself. */
static void
write_word(StringInfo query, const char *prefix, const Word *word)
{
	const char *lexeme = word->lexemes;

	for (int i = 0; i < (*prefix ? word->count : word->stems); i++)
	{
		write_lexeme(query, prefix, lexeme + 1, false);
		lexeme += strlen(lexeme) + 1;
	}
}

/* Return the word with the accents that its ending has in languages with them; NULL if it has none. */
static const Word *
accented(const char *text, size_t length)
{
	for (size_t i = 0; GetDatabaseEncoding() == PG_UTF8 && i < lengthof(endings); i++)
	{
		size_t size = strlen(endings[i].plain);

		if (length > size + 1 && pg_strncasecmp(text + length - size, endings[i].plain, size) == 0)
		{
			char *word = psprintf("%.*s%s", (int) (length - size), text, endings[i].accented);

			return word_of(word, strlen(word));
		}
	}
	return NULL;
}

/*
 * Append the query for a word in a field.
 *
 * prefix: NAMED, or empty for other fields.  beginning: folded, of words that are found, too, or NULL
 */
static void
write_field(StringInfo query, const char *prefix, const Word *word, const Word *other,
			const char *beginning)
{
	write_word(query, prefix, word);
	if (other)
		write_word(query, prefix, other);
	if (beginning && pg_mbstrlen(beginning) >= BEGINNING)
		write_lexeme(query, prefix, beginning, true);
}

/* Return the queries for a word. */
static SearchUnit *
unit_of(const Word *word, const Word *other, const char *beginning)
{
	SearchUnit *unit = palloc0(sizeof(SearchUnit));
	StringInfo query = makeStringInfo();

	write_field(query, NAMED, word, other, beginning);
	unit->queries[IN_NAME] = psprintf("(%s)", query->data);
	write_field(query, "", word, other, beginning);
	unit->queries[IN_ANY_FIELD] = psprintf("(%s)", query->data);
	return unit;
}

List *
cat_search_words_read(const char *text, bool begins, int most)
{
	const char *end = text + strlen(text);
	List *units = NIL;
	const char *word;
	size_t length;

	use_languages(cat_search_words_languages());
	while (list_length(units) < most && (word = next_word(&text, end, &length)))
	{
		const char *next = text;
		size_t more;
		bool is_last = begins && !next_word(&next, end, &more) && text == end;
		const Word *found = word_of(word, length);

		if (found)
			units = lappend(units, unit_of(found, accented(word, length),
										   is_last ? cat_fold_text(word, length) : NULL));
	}
	return units;
}

char *
cat_search_words_whole(const char *text)
{
	StringInfo query = makeStringInfo();
	char *whole = whole_name(text, strlen(text));

	if (!whole)
		return NULL;
	write_lexeme(query, "", whole, false);
	return query->data;
}
