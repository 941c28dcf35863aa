/*
 * state_action.c
 *	  Actions between states, and the states in which they are allowed.
 */
#include "catalogue.h"

#include "base/state_action.h"

const StateAction cat_state_actions[STATE_ACTIONS] = {
	{"review", UNDER_REVIEW, "reviewed_at", false, DRAFT " " REJECTED " " UNPUBLISHED},
	{"cancel", DRAFT, "cancelled_at", false, UNDER_REVIEW},
	{"reject", REJECTED, "rejected_at", true, UNDER_REVIEW},
	{"publish", PUBLISHED, "published_at", false, NULL},
	{"unpublish", UNPUBLISHED, "un_published_at", true, PUBLISHED},
};

const StateAction *
cat_state_action_to(const char *status)
{
	for (size_t i = 0; i < STATE_ACTIONS; i++)
		if (strcmp(cat_state_actions[i].status, status) == 0)
			return &cat_state_actions[i];
	return NULL;
}

bool
cat_state_action_is_allowed(const StateAction *action, const char *status)
{
	if (!action->from)
		return strcmp(action->status, status) != 0;
	return strstr(action->from, status) != NULL;
}

bool
cat_state_action_allows(const char *name, const char *status)
{
	for (size_t i = 0; i < STATE_ACTIONS; i++)
		if (strcmp(cat_state_actions[i].action, name) == 0)
			return cat_state_action_is_allowed(&cat_state_actions[i], status);
	return false;
}
