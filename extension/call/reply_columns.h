/*
 * reply_columns.h
 *	  The columns of type catalogue.reply (call.sql) by position.
 *
 * Shared by the extension, which writes a reply, and the shim, which reads it packed by
 * catalogue.packed(): the columns in this order, except the data, which follow the others.
 */
#ifndef CATALOGUE_CALL_REPLY_COLUMNS_H
#define CATALOGUE_CALL_REPLY_COLUMNS_H

typedef enum ReplyColumn
{
	REPLY_RESOURCE,
	REPLY_ID,
	REPLY_RELATIONS,
	REPLY_DATA,
	REPLY_COUNT,
	REPLY_LIMIT,
	REPLY_SKIP,
	REPLY_RETURNED,
	REPLY_VERSION,
	REPLY_IGNORED,
	REPLY_ETAG,
	REPLY_NEXT,
	REPLY_PREVIOUS,
	REPLY_LINKS,
	REPLY_META,
	REPLY_COLUMNS /* number of columns */
} ReplyColumn;

#endif /* CATALOGUE_CALL_REPLY_COLUMNS_H */
