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

typedef struct CallReply
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
} CallReply;

/* One call that changes a record. */
typedef struct WriteCall
{
	Resource *resource;
	Actor actor;
	const Actor *outer; /* of the call that this one is made in, for its triggers; or NULL */
	const char *action;
	const char *id;
	const char *match; /* state tags that are still to be looked at; NULL: none */
	List *ignored;	   /* of char *: members of the body that mean nothing */
} WriteCall;

/* write_call.c */
extern void cat_write_call_begin(WriteCall *writer, FunctionCallInfo fcinfo, const char *action,
								 int actor);
extern void cat_write_call_open(WriteCall *writer, FunctionCallInfo fcinfo, const char *resource,
								const char *action, int actor);
extern void cat_write_call_leave(const WriteCall *writer);
extern void cat_write_call_take(WriteCall *writer, const char *id, const char *match);
extern void cat_write_call_target(WriteCall *writer, FunctionCallInfo fcinfo, int match);
extern bool cat_write_call_lock(const Resource *resource, const char *id);
extern void cat_write_call_require_met(const Resource *resource, const char *id);
extern Datum cat_write_call_end(WriteCall *writer, FunctionCallInfo fcinfo, int wanted);
/* precondition.c */
extern void cat_precondition_require(WriteCall *writer);
/* call_reply.c, packed.c */
extern void cat_call_reply_begin(void);
extern void cat_call_reply_append(StringInfo out, const CallReply *reply);
extern void cat_call_reply_close(void);
extern Datum cat_call_reply_end(FunctionCallInfo fcinfo, const CallReply *reply);
extern const char *cat_call_reply_argument(FunctionCallInfo fcinfo, int number);
extern const char *cat_call_reply_required(FunctionCallInfo fcinfo, int number);
extern Resource *cat_call_reply_resource(FunctionCallInfo fcinfo);
extern bool cat_call_reply_argument_is(FunctionCallInfo fcinfo, int number, const char *word);
extern void cat_packed_append(StringInfo out, const char *const *members);

#endif /* REPLY_H */
