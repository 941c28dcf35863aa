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

extern void cat_consumer_look_up(Actor *actor, const char *key);

/* permission.c */

extern bool cat_permission_is_super(const Actor *actor);
extern const char *cat_permission_organization(const Resource *resource);

/* rules.c */

extern List *cat_rules_all(void);

/* packed.c */

extern void cat_packed_append(StringInfo out, const char *const *members);

#endif /* CATALOGUE_CALL_CALL_INTERNAL_H */
