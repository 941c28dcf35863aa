/*
 * call.h
 *	  One call of the interface: its arguments, its reply, who calls, and what that caller may do.
 */
#ifndef CATALOGUE_CALL_CALL_H
#define CATALOGUE_CALL_CALL_H

#include "catalogue.h"

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
	const char *links;	  /* sub-paths of the record, NULL for none (record_links.c) */
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

/* Begin a call, until cat_call_reply_end(): SPI is open, with the rights of security_context.c. */
extern void cat_call_reply_begin(void);
/* Append a reply as catalogue.packed() gives it, whose data the caller appends. */
extern void cat_call_reply_append(StringInfo out, const CallReply *reply);
/* End a call without a reply. */
extern void cat_call_reply_close(void);
/* End a call: the reply as a row. */
extern Datum cat_call_reply_end(FunctionCallInfo fcinfo, const CallReply *reply);
/* An argument of type text as a string; a null counts as empty. */
extern const char *cat_call_reply_argument(FunctionCallInfo fcinfo, int number);
/* An argument of type text as a string; 22004 where it is null. */
extern const char *cat_call_reply_required(FunctionCallInfo fcinfo, int number);
/* The resource that argument 0 names: 22004 where it is null, OD404 where there is none. */
extern Resource *cat_call_reply_resource(FunctionCallInfo fcinfo);
/* Whether an argument of type text is this word. */
extern bool cat_call_reply_argument_is(FunctionCallInfo fcinfo, int number, const char *word);

/* actor.c */

/* Read an argument "actor" (actor.c).  {} is nobody; NULL is a database user: trusted with the
 * owner's rights, else nobody.  OD401 for a credential that is not valid. */
extern void cat_actor_read(FunctionCallInfo fcinfo, int number, Actor *actor);
/* Make an actor known to the triggers; NULL for nobody. */
extern void cat_actor_set(const Actor *actor);
/* The actor of the API call under way, NULL outside of one. */
extern const Actor *cat_actor_current(void);
/* A hint for errors of a record: to name an actor, or where to read what the fields take. */
extern const char *cat_actor_hint(const Resource *resource, List *errors);

/* consumer.c */

/* Whether the actor's key is for reads of a resource, or for requests with a method. */
extern bool cat_consumer_may_ask(const Actor *actor, const char *resource);
extern bool cat_consumer_may_send(const Actor *actor, const char *verb);
/* OD403 unless cat_consumer_may_ask(), or cat_consumer_may_send(). */
extern void cat_consumer_require(const Actor *actor, const char *resource);
extern void cat_consumer_require_method(const Actor *actor, const char *method);
/* Whether the actor's key is for changes of a record: one of its organization, if it has one. */
extern bool cat_consumer_may_change(const Actor *actor, const Resource *resource, const char *id);
/* OD403 unless cat_consumer_may_change(). */
extern void cat_consumer_require_record(const Actor *actor, const Resource *resource,
										const char *id);

/* rules.c */

/* Whether a rule grants a role, or everybody, an action by its name, which "*" is not. */
extern bool cat_rules_name(Oid role, const char *action);
/* The role that needs no rules, of pg_enum. */
extern Oid cat_rules_superadmin(void);

/* permission.c */

/* Whether an action changes nothing. */
extern bool cat_permission_is_reading(const char *action);
/* Whether the actor may do something with a resource at all, with some records if not with all. */
extern bool cat_permission_decides(const Actor *actor, const Resource *resource,
								   const char *action);
/* As cat_permission_decides(), of one record, if the actor sees it. */
extern bool cat_permission_reaches(const Actor *actor, const Resource *resource, const char *action,
								   const char *id);
/* Those of some actions that the actor may do with a record that it sees; List of char *. */
extern List *cat_permission_granted(const Actor *actor, const Resource *resource, const char *id,
									List *actions);
/* Raise unless a rule grants the action: OD401 for nobody, OD403 for a user or consumer. */
extern void cat_permission_require(const Actor *actor, const Resource *resource,
								   const char *action);
/* As cat_permission_require(), of one record, which may be locked; OD404 where it is not seen. */
extern void cat_permission_require_record(const Actor *actor, const Resource *resource,
										  const char *action, const char *id);
/* OD403 where no rule grants a record as the actor has just written it. */
extern void cat_permission_require_written(const Actor *actor, const Resource *resource,
										   const char *action, const char *id);
/* Whether a user may restore some deleted records of a resource. */
extern bool cat_permission_restores(const Actor *actor, const Resource *resource);
/* SQL of which records t those are; OD401 or OD403 where there are none. */
extern const char *cat_permission_restorable(const Actor *actor, const Resource *resource);
/* Whether the rules let the actor change at most its own records, which it creates as drafts. */
extern bool cat_permission_is_own(const Actor *actor, const Resource *resource);
/* Whether the actor may set every state of every record of a resource. */
extern bool cat_permission_moves(const Actor *actor, const Resource *resource);
/* Whether the actor may give a field a value now. */
extern bool cat_permission_writes(const Actor *actor, const Resource *resource, const Field *field,
								  bool creating);

/* throttle.c */

/* Begin an attempt to log in; cat_throttle_end() follows where the password is right.  address:
 * NULL for a database user.  OD429 after too many failures, with the seconds to wait as JSON in
 * the detail. */
extern void cat_throttle_begin(const char *name, const char *address);
/* The attempt did not fail: the failures of the name before it are forgotten. */
extern void cat_throttle_end(const char *name, const char *address);
/* A client names a consumer by its id; cat_throttle_wrong_id() follows for a wrong one.  OD429. */
extern void cat_throttle_id(const char *address);
/* There is no such consumer: count it as a failure of the address. */
extern void cat_throttle_wrong_id(const char *address);
/* Count a record made without a user, or a message; NULL is not counted.  OD429. */
extern void cat_throttle_creation(const char *address);
extern void cat_throttle_email(const char *address);

/* snapshot_key.c */

/* Describe what the active snapshot sees; false where that cannot be compared: the transaction
 * may have changed rows itself, or its reads must be recorded (SERIALIZABLE). */
extern bool cat_snapshot_key_take(SnapshotKey *snapshot_key);
/* Whether two snapshots see the same; the later one second. */
extern bool cat_snapshot_key_equal(const SnapshotKey *before, const SnapshotKey *now);

#endif /* CATALOGUE_CALL_CALL_H */
