/*
 * write_mode.c
 *	  The mode of the statement that fired a trigger: how triggers treat what the service writes.
 */
#include "catalogue.h"

#include "utils/fmgrprotos.h"

#include "pg/pg.h"

/* The last mode that was set, and the number of triggers that were running then. */
static struct
{
	WriteMode mode;
	int depth;
} current;

/* Return the number of triggers that are running, one inside the other. */
static int
trigger_depth(void)
{
	/* the function has no parameter and ignores this one */
	return DatumGetInt32(DirectFunctionCall1(pg_trigger_depth, (Datum) 0));
}

WriteMode
cat_write_mode(void)
{
	return trigger_depth() == current.depth + 1 ? current.mode : WRITE_BY_RULES;
}

void
cat_write_mode_call(WriteMode mode, void (*work)(void *argument), void *argument)
{
	WriteMode outer = current.mode;
	int depth = current.depth;

	current.mode = mode;
	current.depth = trigger_depth();
	PG_TRY();
	{
		work(argument);
	}
	PG_FINALLY();
	{
		current.mode = outer;
		current.depth = depth;
	}
	PG_END_TRY();
}
