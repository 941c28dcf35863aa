/*
 * state_action.h
 *	  States of datasets, files, charts and maps, and the actions between them.
 */
#ifndef STATE_ACTION_H
#define STATE_ACTION_H

#include "catalogue.h"

/* Statuses of the five states.  Clients know these ids, so they are the same in every catalogue. */
#define DRAFT "nWRhpRV"
#define UNDER_REVIEW "oWRhpRV"
#define REJECTED "pWRhpRV"
#define PUBLISHED "qWRhpRV"
#define UNPUBLISHED "rWRhpRV"

typedef struct StateAction
{
	const char *action;
	const char *status;		 /* that the action sets */
	const char *time_column; /* set to the time of the transaction */
	bool cascades;			 /* to files, charts and maps */
	const char *from;		 /* identifiers that it is allowed from; NULL: any but its own */
} StateAction;

#define STATE_ACTIONS 5
extern const StateAction cat_state_actions[STATE_ACTIONS];

/* The name of the state that a status stands for, such as "published"; NULL for none. */
extern const char *cat_state_name(const char *status);
/* The action that leads to a status, NULL for none. */
extern const StateAction *cat_state_action_to(const char *status);
/* Whether an action, by its name, leads from one state to another. */
extern bool cat_state_action_is(const char *name);
/* Whether an action is allowed from a status. */
extern bool cat_state_action_is_allowed(const StateAction *action, const char *status);
/* Whether an action, by its name, leads from one state to another, and is allowed from this one. */
extern bool cat_state_action_allows(const char *name, const char *status);

#endif
