/*
 * registry_actions.c
 *	  Actions of a resource that has their paths, and that nobody may do.
 */
#include "catalogue.h"

/* The paths of these are there on a resource that nobody changes, too. */
static const char *const changes[] = {"create", "update", "delete", "restore", "deactivate"};

/* Whether a resource has the path of an action that nobody may do. */
bool
cat_registry_actions_refuse(const Resource *resource, const char *action)
{
	for (size_t i = 0; i < lengthof(changes) && resource->read_only; i++)
		if (strcmp(changes[i], action) == 0)
			return true;
	return false;
}

/* The names of such actions: a List of char *. */
List *
cat_registry_actions_refused(const Resource *resource)
{
	List *refused = NIL;

	for (size_t i = 0; i < lengthof(changes); i++)
		if (cat_registry_actions_refuse(resource, changes[i]))
			refused = lappend(refused, unconstify(char *, changes[i]));
	return refused;
}
