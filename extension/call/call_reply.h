/*
 * call_reply.h
 *	  The arguments and the reply of one call of the interface.
 */
#ifndef CATALOGUE_CALL_CALL_REPLY_H
#define CATALOGUE_CALL_CALL_REPLY_H

#include "catalogue.h"

#include "registry/registry.h"

typedef struct CallReply
{
	const char *resource;
	const char *id;
	const char *relations;
	StringInfo data;
	bool is_list;
	int64 count;
	bool estimated; /* it is about that number, which "meta" has; the column is null */
	int limit;
	int64 skip;
	int returned;
	TimestampTz version; /* 0 for none */
	const char *ignored;
	const char *etag;	  /* NULL where nothing cheap tells one state from another */
	const char *next;	  /* where the page ends, NULL at the end */
	const char *previous; /* where it begins, NULL at the beginning */
	const char *links;	  /* sub-paths of the record, NULL for none (embedding.c) */
	const char *meta;	  /* further members of meta, JSON without the braces, NULL for none */
} CallReply;

/* What a snapshot sees; all zero: nothing that could be compared. */
typedef struct SnapshotKey
{
	Oid user;			  /* who looks */
	TransactionId behind; /* the last transaction that had ended */
	uint32 running;		  /* transactions before it that had not, */
	int32 subrunning;	  /* and subtransactions */
	TimestampTz taken;	  /* when */
} SnapshotKey;

/* Begin the definition of a function that SQL calls and that returns catalogue.reply: its body fills
 * in *reply, of which all is zero, between cat_call_reply_begin() and cat_call_reply_end(). */
#define CAT_REPLY(name)                                                   \
	static void name##_answer(FunctionCallInfo fcinfo, CallReply *reply); \
	CAT_FUNCTION(name)                                                    \
	{                                                                     \
		return cat_call_reply_run(fcinfo, name##_answer);                 \
	}                                                                     \
	static void name##_answer(FunctionCallInfo fcinfo, CallReply *reply)

/* Set the data of a reply. */
extern void cat_call_reply_format(CallReply *reply, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Begin a call: connect to SPI and switch to the rights described in security_context.c, both
 * until cat_call_reply_end(). */
extern void cat_call_reply_begin(void);
/* Append a reply in the format of catalogue.packed(); the caller appends the data. */
extern void cat_call_reply_append(StringInfo out, const CallReply *reply);
/* End a call, whatever its result is. */
extern void cat_call_reply_close(void);
/* End a call; return its reply as a row. */
extern Datum cat_call_reply_end(FunctionCallInfo fcinfo, const CallReply *reply);
/* Make a call: begin, fill in the reply, end. */
extern Datum cat_call_reply_run(FunctionCallInfo fcinfo,
								void (*answer)(FunctionCallInfo fcinfo, CallReply *reply));
/* Return an argument of type text as a string; "" for null. */
extern const char *cat_call_reply_argument(FunctionCallInfo fcinfo, int number);
/* Likewise, NULL for null. */
extern const char *cat_call_reply_optional(FunctionCallInfo fcinfo, int number);
/* Return an argument of type text as a string.  Raises 22004 if it is null. */
extern const char *cat_call_reply_required(FunctionCallInfo fcinfo, int number);
/* Return the resource that an argument names.  Raises 22004 if it is null, OD404 if there is no
 * such resource. */
extern Resource *cat_call_reply_resource(FunctionCallInfo fcinfo, int number);
/* Return whether an argument of type text is this word. */
extern bool cat_call_reply_argument_is(FunctionCallInfo fcinfo, int number, const char *word);

/* snapshot_key.c */

/* Get the key of the active snapshot; false if it has none.  A snapshot consists of the first
 * transaction ID that had not been assigned (xmax) and the earlier transactions still in
 * progress.  While xmax is unchanged, no transaction can join the latter, so their count
 * identifies them.  There is no key if the transaction may have changed rows itself, or if it is
 * serializable and its reads must be tracked. */
extern bool cat_snapshot_key_take(SnapshotKey *snapshot_key);
/* Return whether two snapshots see the same rows; now is the later one. */
extern bool cat_snapshot_key_equal(const SnapshotKey *before, const SnapshotKey *now);

#endif /* CATALOGUE_CALL_CALL_REPLY_H */
