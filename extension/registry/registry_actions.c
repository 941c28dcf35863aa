/*
 * registry_actions.c
 *	  Actions whose paths exist although nobody may perform them.
 */
#include "catalogue.h"

#include "registry/registry.h"

/* A read-only resource has the paths of these actions, too. */
static const char *const changes[] = {"create", "update", "delete", "restore", "deactivate"};

bool
cat_registry_actions_refuse(const Resource *resource, const char *action)
{
	for (size_t i = 0; i < lengthof(changes) && resource->read_only; i++)
		if (strcmp(changes[i], action) == 0)
			return true;
	return false;
}

List *
cat_registry_actions_refused(const Resource *resource)
{
	List *refused = NIL;

	for (size_t i = 0; i < lengthof(changes); i++)
		if (cat_registry_actions_refuse(resource, changes[i]))
			refused = lappend(refused, unconstify(char *, changes[i]));
	return refused;
}
