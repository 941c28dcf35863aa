/*
 * definition_hook.c
 *	  Checks of definitions while tables are read.
 *
 * A table can be redefined while a statement or an index scan waits for its lock.  The folder that
 * caches definitions decides what that means for the running call; it sets its functions here, so
 * that this folder does not depend on it.
 */
#include "catalogue.h"

#include "pg/pg.h"

static void (*after_lock)(void);
static void (*after_error)(void);

void
cat_definition_hook_set(void (*lock)(void), void (*error)(void))
{
	after_lock = lock;
	after_error = error;
}

void
cat_definition_hook_lock(void)
{
	if (after_lock)
		after_lock();
}

void
cat_definition_hook_error(void)
{
	if (after_error)
		after_error();
	PG_RE_THROW();
}
