/*
 * field.h - values of records as HTML.
 */
#ifndef FIELD_H
#define FIELD_H

#include "page/value.h"

typedef struct Page Page;

/* field.c */
/* What a record is called: its name or whatever it has instead. */
extern const char *field_title(const Value *record);
/* Append a value; link: address of what it refers to, or NULL. */
extern void field_value(Page *page, const Value *value, const char *link);
/* Append an instant as a date, with the time if wanted; any other text as it is. */
extern void field_date(Page *page, const char *instant, bool time);
/* A date of ISO 8601, with or without a time, and a period of two with a slash between, as people write them; any other
 * text, and NULL, stays. */
extern const char *field_day(const Page *page, const char *value);
extern const char *field_period(const Page *page, const char *value);
/* Append the members of an object as a list of terms, except the comma-separated ones. */
extern void field_list(Page *page, const Value *object, const Value *links, const char *without);
/* Append a heading of level 2 to 4 with a word. */
extern void field_heading(Page *page, const char *level, const char *text);
/* Begin a section with a heading of level 2. */
extern void field_section(Page *page, const char *class, const char *heading);
/* Say that there are no records. */
extern void field_nothing(Page *page);

#endif
