/*
 * words.h - what a page says, in each language.
 */
#ifndef WORDS_H
#define WORDS_H

#include "base/base.h"

typedef enum Word
{
	WORD_CATALOGUE,
	WORD_DESCRIBED,
	WORD_SKIP,
	WORD_SEARCH,
	WORD_SEARCH_HINT,
	WORD_MENU,
	WORD_MAIN_MENU,
	WORD_OTHER_LANGUAGE,
	WORD_NEWEST,
	WORD_SUBJECTS,
	WORD_CHOSEN,
	WORD_ALL,
	WORD_RESULT,
	WORD_RESULTS,
	WORD_RESULTS_FOR,
	WORD_SEARCH_ALL,
	WORD_CLEAR,
	WORD_NOTHING,
	WORD_PAGES,
	WORD_PAGE,
	WORD_FIRST,
	WORD_PREVIOUS,
	WORD_NEXT,
	WORD_LAST,
	WORD_SORT,
	WORD_RELEVANT_FIRST,
	WORD_NEWEST_FIRST,
	WORD_OLDEST_FIRST,
	WORD_RECENTLY_CHANGED,
	WORD_BY_NAME,
	WORD_FACETS,
	WORD_REMOVE,
	WORD_MORE_VALUES,
	WORD_DETAILS,
	WORD_TECHNICAL,
	WORD_ABOUT,
	WORD_CONTACT,
	WORD_SOURCE,
	WORD_SOURCE_CHANGED,
	WORD_PERIOD,
	WORD_AREA,
	WORD_RELATED,
	WORD_VERSIONS,
	WORD_DOWNLOAD,
	WORD_DOWNLOAD_ALL,
	WORD_OPEN_AT,
	WORD_DATA_OF,
	WORD_VALUE,
	WORD_ROW,
	WORD_ROWS,
	WORD_ROWS_OF,
	WORD_COLUMNS,
	WORD_FILTER_BY,
	WORD_FILTER,
	WORD_TEXTS,
	WORD_FIRST_COLUMNS,
	WORD_CONTAINS,
	WORD_IS,
	WORD_BEGINS,
	WORD_ENDS,
	WORD_FROM,
	WORD_TO,
	WORD_ASCENDING,
	WORD_DESCENDING,
	WORD_ALL_ROWS,
	WORD_DOWNLOAD_THESE,
	WORD_FILE_OF,
	WORD_CHARTS,
	WORD_MAPS,
	WORD_API,
	WORD_API_HINT,
	WORD_FEED,
	WORD_OPENAPI,
	WORD_HOME,
	WORD_YES,
	WORD_NO,
	WORD_NONE,
	WORD_FAULTS,
	WORD_REQUEST_ID,
	WORD_BAD_REQUEST,
	WORD_UNAUTHORIZED,
	WORD_FORBIDDEN,
	WORD_NOT_FOUND,
	WORD_UNPROCESSABLE,
	WORD_TOO_MANY,
	WORD_UNAVAILABLE,
	WORD_BEING_MADE,
	WORD_WAIT,
	WORD_FAILED,
	WORDS
} Word;

/* words.c */
/* The language that a list in the form of Accept-Language prefers, of those that pages have. */
extern const char *words_language(const char *list);
/* The language with this name; NULL: pages do not have it. */
extern const char *words_named(const char *name, size_t length);
/* The other language of two. */
extern const char *words_other(const char *language);
extern const char *words_text(const char *language, Word word);
/* An instant as ISO 8601 has it, such as 2026-11-26T09:40:31.887752Z, as a date, with the time if wanted. */
extern const char *words_date(Arena *arena, const char *language, const char *instant, bool time);
/* A whole number as PostgreSQL writes it, with its thousands separated. */
extern const char *words_number(Arena *arena, const char *language, const char *digits);
/* A number of bytes in the largest unit that it has one of. */
extern const char *words_size(Arena *arena, const char *language, const char *bytes);
/* The name of a field or resource for people, from a table or from the name itself. */
extern const char *words_label(Arena *arena, const char *language, const char *name);

#endif
