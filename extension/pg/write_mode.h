/*
 * write_mode.h
 *	  How triggers treat a statement that the service runs by itself.
 *
 * A mode belongs to one statement.  It is set for the statement by cat_write_mode_call(), and the
 * one before is restored when the statement ends, by an error as well.  It applies to triggers that
 * the statement fires itself.  Statements that those triggers execute, such as one of a table
 * owner's trigger function, have the mode WRITE_BY_RULES unless they are given another one.  A mode
 * is not a setting: SQL can neither set nor read it.
 */
#ifndef CATALOGUE_PG_WRITE_MODE_H
#define CATALOGUE_PG_WRITE_MODE_H

typedef enum WriteMode
{
	WRITE_BY_RULES,		/* like any statement: validation, action log, history */
	WRITE_UNRECORDED,	/* data that no client sees, or physical removal: none of them */
	WRITE_LISTS,		/* lists of ids are updated from a join table: history only */
	WRITE_LINKS,		/* rows of a join table whose lists of ids are written by the caller */
	WRITE_FORMER_STATE, /* records that were unpublished with another one regain their status */
	WRITE_ACTION_LOG,	/* action log: not itself logged, the user in it is not looked up */
	WRITE_MADE,			/* columns made from a file have their values: they are not made again */
} WriteMode;

/* Return the mode of the statement that fired the running trigger, WRITE_BY_RULES outside
 * triggers. */
extern WriteMode cat_write_mode(void);
/* An error leaves by PG_FINALLY(), so the mode is restored before a subtransaction is aborted. */
extern void cat_write_mode_call(WriteMode mode, void (*work)(void *argument), void *argument);

#endif /* CATALOGUE_PG_WRITE_MODE_H */
