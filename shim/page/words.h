/*
 * words.h - what a page says, in each language.
 */
#ifndef WORDS_H
#define WORDS_H

#include "base/settings.h"

/* Mark a text, or its forms for one and for several, that is written elsewhere than in a call of page_word(),
 * page_plural() or words_text(): xgettext finds it. */
#define WORD(text) text
#define PLURAL(one, several) one, several

/* A language of pages, whose texts .ci/translate has made of its catalogue in shim/po/ */
typedef struct Language
{
	const char *name;					  /* as in Accept-Language: "es" */
	size_t (*form)(unsigned long number); /* the form of a text that goes with a number */
	const char *const *texts;			  /* of words_keys; the forms of one follow each other */
	const char *const *messages;		  /* of words_patterns */
} Language;

/* The languages by name; English, in which the program is written, is one of them. */
extern const Language words_languages[];
extern const size_t words_languages_count;

/* What texts are asked for by, sorted: the name that is their context, else the English text. */
extern const char *const words_keys[];
extern const size_t words_count;

/* Patterns of messages, in which a name in braces stands for any text; the longest first. */
extern const char *const words_patterns[];
extern const size_t words_patterns_count;

/* words.c */
/* Complete the setting page_languages: all, English first, if it is empty.  False, with a message on stderr, if it
 * names a language that there is not. */
extern bool words_offer(Settings *settings);
/* The language that a list in the form of Accept-Language prefers, of those that are offered; else the first. */
extern const char *words_language(const char *offered, const char *list);
/* The language that is offered and has this name, in capitals or not; NULL: there is none. */
extern const char *words_named(const char *offered, const char *name, size_t length);
/* What a language is called in itself. */
extern const char *words_own_name(const char *language);
/* Is it the language that the program is written in? */
extern bool words_is_source(const char *language);
/* The text of a key; the key, if there is none. */
extern const char *words_text(const char *language, const char *key);
/* The text that goes with a whole number, of one with the two forms of English. */
extern const char *words_plural(const char *language, const char *digits, const char *one,
								const char *several);
/* An instant as ISO 8601 has it, such as 2026-11-26T09:40:31.887752Z, as a date, with the time if wanted. */
extern const char *words_date(Arena *arena, const char *language, const char *instant, bool time);
/* A whole number as PostgreSQL writes it, with its thousands separated. */
extern const char *words_number(Arena *arena, const char *language, const char *digits);
/* A number of bytes in the largest unit that it has one of. */
extern const char *words_size(Arena *arena, const char *language, const char *bytes);
/* A message of the service, in the language if its catalogue has it. */
extern const char *words_message(Arena *arena, const char *language, const char *message);
/* The name of a field or resource for people, from the catalogue or from the name itself. */
extern const char *words_label(Arena *arena, const char *language, const char *name);

#endif
