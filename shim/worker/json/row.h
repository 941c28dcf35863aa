/*
 * row.h - rows as objects of JSON, as the extension writes them.
 */
#ifndef WORKER_JSON_ROW_H
#define WORKER_JSON_ROW_H

#include <stddef.h>

struct json_t;

/* The length of the object at the beginning of the bytes; 0: it does not end there. */
extern size_t row_length(const char *bytes, size_t length);
/*
 * Read an object; an integer that has no room in 64 bits becomes a text.  NULL: it is no JSON, or there
 * is no memory.
 */
extern struct json_t *row_load(const char *bytes, size_t length);

#endif
