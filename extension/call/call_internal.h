/*
 * call_internal.h
 *	  Rules, keys of consumers and packed replies: used inside call/ only.
 */
#ifndef CATALOGUE_CALL_CALL_INTERNAL_H
#define CATALOGUE_CALL_CALL_INTERNAL_H

#include "catalogue.h"

/* A grant of an action on a resource to a role. */
typedef struct Rule
{
	Oid role; /* of pg_enum; InvalidOid: whoever asks */
	char *resource;
	char *action;
	bool own;
	bool organization;
} Rule;

/* consumer.c */

/* Look up the key of actor->consumer, or the consumer itself where key is NULL, and take its
 * limits.  OD401 where it is unknown, revoked or expired. */
extern void cat_consumer_look_up(Actor *actor, const char *key);

/* permission.c */

/* Whether the actor is a user with the role of a superadmin. */
extern bool cat_permission_is_super(const Actor *actor);
/* SQL of the organization of the record t: its key, itself, or that of its creator; NULL where
 * the records have none. */
extern const char *cat_permission_organization(const Resource *resource);

/* rules.c */

/* All rules, a List of Rule *; good until the next look at them. */
extern List *cat_rules_all(void);

/* packed.c */

/* Append the members of a reply, but for its data: each as text, ended by a byte 0, in the order
 * of catalogue.reply; one that is missing is empty.  The data follow, to the end. */
extern void cat_packed_append(StringInfo out, const char *const *members);

#endif /* CATALOGUE_CALL_CALL_INTERNAL_H */
