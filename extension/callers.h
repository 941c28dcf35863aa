/*
 * callers.h
 *	  Who asks, what they may do, and what they see.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef CALLERS_H
#define CALLERS_H

/* Who asks.  "trusted" is a database user who calls without an actor. */
typedef struct Actor
{
	bool trusted;
	AccessLevel sight;
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
extern void cat_security_context_init(void);
extern void cat_security_context_take(void);
extern void cat_security_context_take_owners(void);
extern void cat_security_context_return(void);
extern bool cat_security_context_is_trusted(void);
extern int cat_security_context_pin(void);
extern void cat_security_context_unpin(int nest);
/* actor.c */
extern void cat_actor_read(FunctionCallInfo fcinfo, int number, Actor *actor);
extern void cat_actor_set(const Actor *actor);
extern const Actor *cat_actor_current(void);
extern const char *cat_actor_hint(List *faults);
/* consumer.c */
extern void cat_consumer_look_up(Actor *actor, const char *key);
extern bool cat_consumer_may_ask(const Actor *actor, const char *resource);
extern void cat_consumer_require(const Actor *actor, const char *resource);
extern bool cat_consumer_may_send(const Actor *actor, const char *verb);
extern bool cat_consumer_may_change(const Actor *actor, const Resource *resource, const char *id);
extern void cat_consumer_require_record(const Actor *actor, const Resource *resource,
										const char *id);
/* rules.c, permission.c */
extern void cat_rules_init(void);
extern List *cat_rules_all(void);
extern Oid cat_rules_superadmin(void);
extern bool cat_permission_is_super(const Actor *actor);
extern bool cat_permission_decides(const Actor *actor, const Resource *resource,
								   const char *action);
extern bool cat_permission_reaches(const Actor *actor, const Resource *resource, const char *action,
								   const char *id);
extern bool cat_permission_is_reading(const char *action);
extern List *cat_permission_granted(const Actor *actor, const Resource *resource, const char *id,
									List *actions);
extern void cat_permission_require(const Actor *actor, const Resource *resource,
								   const char *action);
extern void cat_permission_require_record(const Actor *actor, const Resource *resource,
										  const char *action, const char *id);
extern void cat_permission_require_written(const Actor *actor, const Resource *resource,
										   const char *action, const char *id);
extern const char *cat_permission_organization(const Resource *resource);
extern bool cat_permission_restores(const Actor *actor, const Resource *resource);
extern const char *cat_permission_restorable(const Actor *actor, const Resource *resource);
extern bool cat_permission_is_own(const Actor *actor, const Resource *resource);
extern bool cat_permission_moves(const Actor *actor, const Resource *resource);
extern bool cat_permission_writes(const Actor *actor, const Resource *resource, const Field *field,
								  bool creating);
/* describe.c, action_log.c */
extern void cat_action_log_require_owner(Relation table);
extern void cat_action_log_all_removed(const Resource *resource);
/* user.c */
extern bool cat_user_governs(Resource *users, struct TupleTableSlot *slot);
extern void cat_user_require_superadmin(void);
/* password.c, throttle.c */
extern char *cat_password_hash(const char *password);
extern bool cat_password_is_hash(const char *text);
extern const char *cat_password_fault(const char *password, const char **message);
extern bool cat_password_verify(const char *password, const char *hash);
extern void cat_throttle_begin(const char *name, const char *address);
extern void cat_throttle_end(const char *name, const char *address);
extern void cat_throttle_id(const char *address);
extern void cat_throttle_wrong_id(const char *address);
extern void cat_throttle_creation(const char *address);
/* shown.c */
extern void cat_shown_fill(Resource *resource, Datum *values, bool *nulls, const bool *changed);
extern bool cat_shown_leads(const Resource *resource);
extern bool cat_shown_turns(const Resource *resource, HeapTuple old, HeapTuple new);
extern void cat_shown_cascade(const Resource *resource, const char *id, bool shown, bool deleted);
/* visibility.c */
extern bool cat_visibility_is_flag(const Field *field);
extern void cat_visibility_load(Resource *resource, Datum shown);
extern bool cat_visibility_field(const Field *field, AccessLevel sight);
extern bool cat_visibility_relation(const CatRelation *relation, AccessLevel sight);
extern void cat_visibility_require(const Resource *resource, AccessLevel sight);
extern bool cat_visibility_record(const Resource *resource, HeapTuple tuple, AccessLevel sight);
extern void cat_visibility_write_conditions(StringInfo sql, const Resource *resource,
											const char *alias, AccessLevel sight);
extern void cat_visibility_write(StringInfo sql, const Resource *resource, const char *alias,
								 AccessLevel sight);
extern bool cat_visibility_past(const Resource *resource, HeapTuple present, AccessLevel sight);
extern void cat_visibility_write_past(StringInfo sql, const Resource *resource, const char *alias,
									  AccessLevel sight);
extern const KeyIndex *cat_visibility_lead(const Resource *resource, AccessLevel sight, Datum *key);
extern bool cat_visibility_is_partial(const Resource *resource, AccessLevel sight);
extern bool cat_visibility_is_counted(const Resource *resource, AccessLevel sight);

#endif /* CALLERS_H */
