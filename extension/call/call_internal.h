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

/* permission.c */

/* Return the access level of a user with the rights to read what is closed that rules grant. */
extern AccessLevel cat_permission_access(const Actor *actor);

/* consumer.c */

/* Look up the actor's consumer, and what its key is limited to.  key: NULL for a consumer that a
 * gateway vouches for.  Raises OD401 unless both are registered and have not ended. */
extern void cat_consumer_look_up(Actor *actor, const char *key);

#endif /* CATALOGUE_CALL_CALL_INTERNAL_H */
