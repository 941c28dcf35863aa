/*
 * callers.h
 *	  Who asks, and what they may do.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef CALLERS_H
#define CALLERS_H

/* Who asks.  "trusted" is a database user who calls without an actor. */
typedef struct Actor
{
	bool trusted;
	Sight sight;
	char user[ID_LENGTH + 1];			/* empty: nobody */
	Oid role;							/* of pg_enum; InvalidOid: none */
	char consumer[CONSUMER_LENGTH + 1]; /* empty: none */
	List *resources;					/* of char *: what its key is for; NIL: all */
	List *verbs;						/* so, what requests it is for */
	char organization[ID_LENGTH + 1];	/* whose records may be changed with its key; empty: all */
	bool css;							/* who asks has colours shown as CSS has them, */
	bool strict;						/* and what is not known refused */
} Actor;

/* A grant of an action on a resource to a role. */
typedef struct Rule
{
	Oid role; /* of pg_enum; InvalidOid: whoever asks */
	char *resource;
	char *action;
	bool own;
	bool organization;
} Rule;

/* security_context.c */
extern void authority_init(void);
extern void authority_take(void);
extern void authority_take_owners(void);
extern void authority_return(void);
extern bool authority_is_trusted(void);
extern int authority_pin(void);
extern void authority_unpin(int nest);
/* actor.c */
extern void actor_read(FunctionCallInfo fcinfo, int number, Actor *actor);
extern void actor_set(const Actor *actor);
extern const Actor *actor_current(void);
extern const char *actor_hint(List *faults);
/* consumer.c */
extern void consumer_look_up(Actor *actor, const char *key);
extern bool consumer_may_ask(const Actor *actor, const char *resource);
extern void consumer_require(const Actor *actor, const char *resource);
extern bool consumer_may_send(const Actor *actor, const char *verb);
extern bool consumer_may_change(const Actor *actor, const Resource *resource, const char *id);
extern void consumer_require_record(const Actor *actor, const Resource *resource, const char *id);
/* rules.c, permission.c */
extern void rules_init(void);
extern List *rules_all(void);
extern Oid rules_superadmin(void);
extern bool permission_is_super(const Actor *actor);
extern bool permission_decides(const Actor *actor, const Resource *resource, const char *action);
extern bool permission_reaches(const Actor *actor, const Resource *resource, const char *action,
							   const char *id);
extern bool permission_is_reading(const char *action);
extern List *permission_granted(const Actor *actor, const Resource *resource, const char *id,
								List *actions);
extern void permission_require(const Actor *actor, const Resource *resource, const char *action);
extern void permission_require_record(const Actor *actor, const Resource *resource,
									  const char *action, const char *id);
extern void permission_require_written(const Actor *actor, const Resource *resource,
									   const char *action, const char *id);
extern const char *permission_organization(const Resource *resource);
extern bool permission_restores(const Actor *actor, const Resource *resource);
extern const char *permission_restorable(const Actor *actor, const Resource *resource);
extern bool permission_is_own(const Actor *actor, const Resource *resource);
extern bool permission_moves(const Actor *actor, const Resource *resource);
extern bool permission_writes(const Actor *actor, const Resource *resource, const Field *field,
							  bool creating);
/* describe.c, action_log.c */
extern bool describe_refuses(const Resource *resource, const char *action);
extern void log_require_owner(Relation table);
extern void log_all_removed(const Resource *resource);
/* user.c */
extern bool user_governs(Resource *users, struct TupleTableSlot *slot);
extern void user_require_superadmin(void);
/* password.c, throttle.c */
extern char *password_hash(const char *password);
extern bool password_is_hash(const char *text);
extern const char *password_fault(const char *password, const char **message);
extern bool password_verify(const char *password, const char *hash);
extern void throttle_begin(const char *name, const char *address);
extern void throttle_end(const char *name, const char *address);
extern void throttle_id(const char *address);
extern void throttle_wrong_id(const char *address);
extern void throttle_creation(const char *address);
/* shown.c */
extern bool shown_is_flag(const Field *field);
extern void shown_fill(Resource *resource, Datum *values, bool *nulls, const bool *changed);
extern bool shown_leads(const Resource *resource);
extern bool shown_turns(const Resource *resource, HeapTuple old, HeapTuple new);
extern void shown_cascade(const Resource *resource, const char *id, bool shown, bool deleted);

#endif /* CALLERS_H */
