/*
 * state_action.h
 *	  States of datasets, files, charts and maps, and the actions between them.
 */
#ifndef STATE_ACTION_H
#define STATE_ACTION_H

#include "catalogue.h"

#include "base/actions.h"

/* A row of STATE_ACTIONS. */
typedef struct StateAction
{
	const char *action;
	const char *status;
	const char *time_column;
	bool cascades;
	const char *from;
} StateAction;

static const StateAction cat_state_actions[] = {
#define ROW(...) {__VA_ARGS__},
	STATE_ACTIONS(ROW)
#undef ROW
};

/* The name of the state that a status stands for, such as "published"; NULL for none. */
extern const char *cat_state_action_state_name(const char *status);
/* The action that leads to a status, NULL for none. */
extern const StateAction *cat_state_action_to(const char *status);
/* Whether an action, by its name, leads from one state to another. */
extern bool cat_state_action_is(const char *name);
/* Whether an action is allowed from a status. */
extern bool cat_state_action_is_allowed(const StateAction *action, const char *status);
/* Whether an action, by its name, leads from one state to another, and is allowed from this one. */
extern bool cat_state_action_allows(const char *name, const char *status);

#endif
