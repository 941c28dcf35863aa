/*
 * state_action.c
 *	  States, actions between them, and the states in which these are allowed.
 */
#include "catalogue.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "base/state_action.h"

static const struct
{
	const char *name;
	const char *status;
} states[] = {
	{"draft", DRAFT},		  {"review", UNDER_REVIEW},		{"rejected", REJECTED},
	{"published", PUBLISHED}, {"unpublished", UNPUBLISHED},
};

const char *
cat_state_action_state_name(const char *status)
{
	for (size_t i = 0; i < lengthof(states); i++)
		if (strcmp(states[i].status, status) == 0)
			return states[i].name;
	return NULL;
}

/* Return the names of the states, with the ids of their statuses. */
CAT_FUNCTION(catalogue_states)
{
	const ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (size_t i = 0; i < lengthof(states); i++)
	{
		Datum values[] = {CStringGetTextDatum(states[i].name),
						  CStringGetTextDatum(states[i].status)};
		bool nulls[lengthof(values)] = {false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

const StateAction *
cat_state_action_to(const char *status)
{
	for (size_t i = 0; i < lengthof(cat_state_actions); i++)
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

/* Return the action of a name; NULL for none. */
static const StateAction *
named(const char *name)
{
	for (size_t i = 0; i < lengthof(cat_state_actions); i++)
		if (strcmp(cat_state_actions[i].action, name) == 0)
			return &cat_state_actions[i];
	return NULL;
}

bool
cat_state_action_is(const char *name)
{
	return named(name) != NULL;
}

bool
cat_state_action_allows(const char *name, const char *status)
{
	const StateAction *action = named(name);

	return action && cat_state_action_is_allowed(action, status);
}
