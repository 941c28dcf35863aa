/*
 * reply.h
 *	  A call of the API: the record that it changes, and what it answers.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef REPLY_H
#define REPLY_H

/* Columns of catalogue.reply; and which is the data. */
#define REPLY_COLUMNS 14
#define REPLY_DATA 3

typedef struct Reply
{
	const char *resource;
	const char *id;
	const char *relations;
	StringInfo data;
	bool is_list;
	int64 count;
	int limit;
	int64 skip;
	int returned;
	TimestampTz version; /* 0 for none */
	const char *ignored;
	const char *etag;	  /* NULL where nothing cheap tells one state from another */
	const char *next;	  /* where the page ends, NULL at the end */
	const char *previous; /* where it begins, NULL at the beginning */
	const char *ways;	  /* on from the record, NULL for none */
} Reply;

/* One call that changes a record. */
typedef struct Writer
{
	Resource *resource;
	Actor actor;
	const Actor *outer; /* of the call that this one is made in, for its triggers; or NULL */
	const char *action;
	const char *id;
	const char *match; /* state tags that are still to be looked at; NULL: none */
	List *ignored;	   /* of char *: members of the body that mean nothing */
} Writer;

/* write_call.c, call_reply.c, packed.c */
extern void writer_begin(Writer *writer, FunctionCallInfo fcinfo, const char *action, int actor);
extern void writer_open(Writer *writer, FunctionCallInfo fcinfo, const char *resource,
						const char *action, int actor);
extern void writer_leave(const Writer *writer);
extern void writer_take(Writer *writer, const char *id, const char *match);
extern void writer_target(Writer *writer, FunctionCallInfo fcinfo, int match);
extern bool writer_lock(const Resource *resource, const char *id);
extern void writer_require_met(const Resource *resource, const char *id);
extern Datum writer_end(Writer *writer, FunctionCallInfo fcinfo, int wanted);
extern void reply_begin(void);
extern void reply_append(StringInfo out, const Reply *reply);
extern void reply_close(void);
extern Datum reply_end(FunctionCallInfo fcinfo, const Reply *reply);
extern const char *reply_argument(FunctionCallInfo fcinfo, int number);
extern const char *reply_required(FunctionCallInfo fcinfo, int number);
extern Resource *reply_resource(FunctionCallInfo fcinfo);
extern bool reply_argument_is(FunctionCallInfo fcinfo, int number, const char *word);
extern void packed_append(StringInfo out, const char *const *members);

#endif /* REPLY_H */
