/*
 * call.h
 *	  One call of the interface: its arguments, its reply, who calls, and what that caller may do.
 */
#ifndef CATALOGUE_CALL_CALL_H
#define CATALOGUE_CALL_CALL_H

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

/* call_reply.c */

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
	pg_attribute_printf(2, 3);
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
/* Return the resource that argument 0 names.  Raises 22004 if it is null, OD404 if there is no
 * such resource. */
extern Resource *cat_call_reply_resource(FunctionCallInfo fcinfo);
/* Return whether an argument of type text is this word. */
extern bool cat_call_reply_argument_is(FunctionCallInfo fcinfo, int number, const char *word);
/* Get the key of the active snapshot; false if it has none.  A snapshot consists of the first
 * transaction ID that had not been assigned (xmax) and the earlier transactions still in
 * progress.  While xmax is unchanged, no transaction can join the latter, so their count
 * identifies them.  There is no key if the transaction may have changed rows itself, or if it is
 * serializable and its reads must be tracked. */
extern bool cat_snapshot_key_take(SnapshotKey *snapshot_key);
/* Return whether two snapshots see the same rows; now is the later one. */
extern bool cat_snapshot_key_equal(const SnapshotKey *before, const SnapshotKey *now);

/* actor.c */

/* Read the argument "actor": {"user": id} for a user, {"consumer": id} for an application, with
 * "key" if its own credential was verified; both for a user of an application; {} for an
 * anonymous caller. "session" accompanies "user" with the session start in the user's token.
 * "color": "css" shows colours with a leading "#"; "handling": "strict" refuses unknown names;
 * "base" is the address of the service that a change was sent to.  NULL stands for a database
 * user who calls the function directly; he is trusted if he has the rights of the catalogue's
 * owner, else anonymous. */
extern void cat_actor_read(FunctionCallInfo fcinfo, int number, Actor *actor);
/* Set the actor that triggers see; NULL for none. */
extern void cat_actor_set(const Actor *actor);
/* Return the actor of the running API call, NULL outside of a call. */
extern const Actor *cat_actor_current(void);
/* Return the hint for errors of a record: what a database user does whose new record lacks a
 * creator, if that is one of the errors; else where to read what the fields take. */
extern const char *cat_actor_hint(const Resource *resource, List *errors);
/* Return whether the actor's API key includes a resource. */
extern bool cat_consumer_may_ask(const Actor *actor, const char *resource);
extern bool cat_consumer_may_send(const Actor *actor, const char *verb);
/* Raise OD403 unless the actor's API key includes a resource. */
extern void cat_consumer_require(const Actor *actor, const char *resource);
extern void cat_consumer_require_method(const Actor *actor, const char *method);
/* Return whether the actor's API key allows changes of a record, in its state in this
 * transaction.  A key of an organization includes only that organization's records.  Returns
 * true if there is no such record. */
extern bool cat_consumer_may_change(const Actor *actor, const Resource *resource, const char *id);
/* Raise OD403 unless the actor's API key allows changes of a record. */
extern void cat_consumer_require_record(const Actor *actor, const Resource *resource,
										const char *id);

/* permission.c */

/* Return whether a rule that names the action grants it to the role, or to everybody: for
 * actions that are not on records, which "*" does not include. */
extern bool cat_rules_name(Oid role, const char *action);
/* Return the OID of the superadmin role in pg_enum. */
extern Oid cat_rules_superadmin(void);
/* Return whether an action is a reading one. */
extern bool cat_permission_is_reading(const char *action);
/* Return whether the actor may perform an action on at least some records of a resource. */
extern bool cat_permission_decides(const Actor *actor, const Resource *resource,
								   const char *action);
/* Return whether the actor may perform an action on a record.  For a record that the actor does
 * not see, the result is that of cat_permission_decides(). */
extern bool cat_permission_reaches(const Actor *actor, const Resource *resource, const char *action,
								   const char *id);
/* Return those of the actions that the actor may perform on a visible record: List of char *. */
extern List *cat_permission_granted(const Actor *actor, const Resource *resource, const char *id,
									List *actions);
/* Raise OD401 (without a user) or OD403 if no rule grants the action. */
extern void cat_permission_require(const Actor *actor, const Resource *resource,
								   const char *action);
/* Like cat_permission_require(), for one record, which is locked if the decision depends on its
 * contents.  Raises OD404 if the actor does not see the record. */
extern void cat_permission_require_record(const Actor *actor, const Resource *resource,
										  const char *action, const char *id);
/* Raise OD401 or OD403 if no grant covers a record in the state that the actor has just written. */
extern void cat_permission_require_written(const Actor *actor, const Resource *resource,
										   const char *action, const char *id);
/* Return whether a user may restore some deleted records of a resource. */
extern bool cat_permission_restores(const Actor *actor, const Resource *resource);
/* Return SQL for the condition that the caller may restore the record t.  Raises OD401 or OD403
 * if he may restore none. */
extern const char *cat_permission_restorable(const Actor *actor, const Resource *resource);
/* Return whether the actor may change only his own records; his new records are his drafts. */
extern bool cat_permission_is_own(const Actor *actor, const Resource *resource);
/* Return whether the actor may perform all state changes on all records of a resource. */
extern bool cat_permission_moves(const Actor *actor, const Resource *resource);
/* Return whether the actor may write a field; creating: of a new record. */
extern bool cat_permission_writes(const Actor *actor, const Resource *resource, const Field *field,
								  bool creating);

#endif /* CATALOGUE_CALL_CALL_H */
