/*
 * byte_order_mark.h
 *	  The byte order mark with which a text in UTF-8 may begin, also for the worker.
 */
#ifndef BYTE_ORDER_MARK_H
#define BYTE_ORDER_MARK_H

#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* The bytes of the byte order mark that a text begins with, 0 without one. */
static inline size_t
byte_order_mark_length(const char *text)
{
	return strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0 ? strlen(BYTE_ORDER_MARK)
																		: 0;
}

#endif /* BYTE_ORDER_MARK_H */
