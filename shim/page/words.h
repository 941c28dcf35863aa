/*
 * words.h - what a page says, in each language.
 */
#ifndef WORDS_H
#define WORDS_H

#include "base/base.h"

#define WORDS_LANGUAGES 2 /* English and Spanish */

/* Marks a key of words.txt that is written elsewhere than in a call of page_word() or words_text(). */
#define WORD(key) key

/* A line of words.txt */
typedef struct Word
{
	const char *key;
	const char *texts[WORDS_LANGUAGES];
} Word;

/* What .ci/words has made of words.txt, sorted by the keys. */
extern const Word words_table[];
extern const size_t words_count;

/* What it has made of messages.txt: patterns of messages, and their Spanish texts, the longest patterns first. */
typedef struct Message
{
	const char *pattern;
	const char *text;
} Message;

extern const Message messages_table[];
extern const size_t messages_count;

/* words.c */
/* The language that a list in the form of Accept-Language prefers, of those that pages have. */
extern const char *words_language(const char *list);
/* The language with this name; NULL: pages do not have it. */
extern const char *words_named(const char *name, size_t length);
/* The other language of two. */
extern const char *words_other(const char *language);
/* The text of a key of words.txt; the key, if there is none. */
extern const char *words_text(const char *language, const char *key);
/* An instant as ISO 8601 has it, such as 2026-11-26T09:40:31.887752Z, as a date, with the time if wanted. */
extern const char *words_date(Arena *arena, const char *language, const char *instant, bool time);
/* A whole number as PostgreSQL writes it, with its thousands separated. */
extern const char *words_number(Arena *arena, const char *language, const char *digits);
/* A number of bytes in the largest unit that it has one of. */
extern const char *words_size(Arena *arena, const char *language, const char *bytes);
/* A message of the service, in the language if messages.txt has it. */
extern const char *words_message(Arena *arena, const char *language, const char *message);
/* The name of a field or resource for people, from words.txt or from the name itself. */
extern const char *words_label(Arena *arena, const char *language, const char *name);

#endif
