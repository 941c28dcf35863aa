/*
 * call.h
 *	  One call of the interface: who calls, and what that caller may do.
 *	  Decisions: docs/explanation/decisions.md#extensioncall
 */
#ifndef CATALOGUE_CALL_CALL_H
#define CATALOGUE_CALL_CALL_H

#include "catalogue.h"

#include "call/call_reply.h"
#include "pg/statement.h"

/* actor.c */

/* Read the argument "actor": {"user": id} for a user, {"consumer": id} for an application, with
 * "key" if its own credential was verified; both for a user of an application; {} for an
 * anonymous caller. "session" accompanies "user" with the session start in the user's token.
 * "color": "css" shows colours with a leading "#"; "handling": "strict" refuses unknown names;
 * "base" is the address of the service that a change was sent to.  NULL stands for a database
 * user who calls the function directly; he is trusted if he has the rights of the catalogue's
 * owner, else anonymous. */
extern void cat_actor_read(FunctionCallInfo fcinfo, int number, Actor *actor);
/* Return the hint for errors of a record: what a database user does whose new record lacks a
 * creator, if that is one of the errors; else where to read what the fields take. */
extern const char *cat_actor_hint(const Resource *resource, List *errors);

/* consumer.c */

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

/* throttle.c */

/* Begin a login attempt; cat_throttle_end() follows if the password is right.  address: the
 * client's, NULL for a database user.  Raises OD429, with the seconds to wait as JSON in the
 * detail, after too many failures. */
extern void cat_throttle_begin(const char *name, const char *address);
/* End a successful attempt: forget earlier failures of the name. */
extern void cat_throttle_end(const char *name, const char *address);
/* Check an address before a consumer is looked up by its id; cat_throttle_wrong_id() follows if
 * there is no such consumer.  Applications send their id with each visitor's request, so a right
 * id causes no write.  Nothing is counted by consumer: the id is public, and anybody could lock
 * the consumer out.  Raises OD429 like cat_throttle_begin(), whose failures from the address are
 * counted together with these. */
extern void cat_throttle_id(const char *address);
/* There is no such consumer: count it as a failure of the address. */
extern void cat_throttle_wrong_id(const char *address);
/* Count a record created by an anonymous caller.  If the creation fails, the count is rolled
 * back with it.  address: NULL if it is unknown; then nothing is counted.  Raises OD429 like
 * cat_throttle_begin(). */
extern void cat_throttle_creation(const char *address);
extern void cat_throttle_email(const char *address);

/* permission.c */

/* Return whether a rule that names the action grants it to the role, or to everybody: for
 * actions that are not on records, which "*" does not include. */
extern bool cat_permission_rule_names(Oid role, const char *action);
/* Return the OID of the superadmin role in pg_enum. */
extern Oid cat_permission_superadmin(void);
/* Return whether an action is a reading one. */
extern bool cat_permission_is_reading(const char *action);
/* Return whether the actor is a superadmin, who needs no rule. */
extern bool cat_permission_is_super(const Actor *actor);
/* Raise OD401 for an actor without a user, OD403 with this message for one that is no superadmin, and OD403 for a key
 * that is not for the resource. */
extern void cat_permission_require_super(const Actor *actor, const char *resource,
										 const char *refusal);
/* Return whether a rule has to name an action, which one for any action does not grant: it cannot be
 * undone, or concerns the records of others.  Every state of a record allows such an action. */
extern bool cat_permission_is_named_only(const char *action);
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
/* Note in the actor the organization that a change of the record is limited to: that of the actor's
 * key, or of the user if only a rule for records of the organization grants the action on it. */
extern void cat_permission_take_limit(Actor *actor, const Resource *resource, const char *action,
									  const char *id);
/* Return the organization that all new records of the actor must be of, for the same reasons, as
 * palloc'd text; NULL for no limit. */
extern const char *cat_permission_limit(const Actor *actor, const Resource *resource,
										const char *action);
/* Return the id of a user's organization, as palloc'd text; NULL if there is no such user. */
extern char *cat_permission_organization_of(const char *user);
/* Raise OD403, which names it, if a record t for which the SQL "where" holds is not of the
 * organization that the running change is limited to.  actor: NULL for a database user; id, value:
 * the parameters $1 and $2 of "where". */
extern void cat_permission_require_within(const Actor *actor, const Resource *resource,
										  const char *where, const char *id, StatementParam value);
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
/* Return the resources that the actor's key is for, by name: List of Resource *.  private: those as
 * well whose records the actor does not see. */
extern List *cat_permission_resources(const Actor *actor, bool private);

#endif /* CATALOGUE_CALL_CALL_H */
