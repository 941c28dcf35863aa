/*
 * actions.h
 *	  States of datasets, files, charts and maps, the actions between them, and further actions.
 *
 * The extension and the shim include this header: an action between states is a row here, which
 * makes its path as well (shim/database/endpoints.h).  A table whose records have such an action has a
 * column for its time, and names the action (sql/tables).
 */
#ifndef ACTIONS_H
#define ACTIONS_H

/* Statuses of the five states.  Clients know these ids, so they are the same in every catalogue. */
#define DRAFT "nWRhpRV"
#define UNDER_REVIEW "oWRhpRV"
#define REJECTED "pWRhpRV"
#define PUBLISHED "qWRhpRV"
#define UNPUBLISHED "rWRhpRV"

/*
 * Name; the status that the action sets; the column that it sets to the time of the transaction;
 * whether files, charts and maps follow; the statuses that it is allowed from, NULL: any but its
 * own.
 */
#define STATE_ACTIONS(ROW)                                                                \
	ROW("review", UNDER_REVIEW, "reviewed_at", false, DRAFT " " REJECTED " " UNPUBLISHED) \
	ROW("cancel", DRAFT, "cancelled_at", false, UNDER_REVIEW)                             \
	ROW("reject", REJECTED, "rejected_at", true, UNDER_REVIEW)                            \
	ROW("publish", PUBLISHED, "published_at", false, NULL)                                \
	ROW("unpublish", UNPUBLISHED, "un_published_at", true, PUBLISHED)

/* Actions that only a rule with their name grants, not one for all actions. */
#define NAMED_ACTIONS "transfer", "erase"

#endif /* ACTIONS_H */
