/*
 * statement_timeout.c
 *	  The time limit of answers that are given in pieces.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/timeout.h"

#include "pg/pg.h"

/*
 * The time that the reader of the pieces takes is not the statement's:
 * statement_timeout limits the making of each piece.  One that has passed, and
 * is still to be told of, stays so.
 */
void
cat_statement_timeout_pause(void)
{
	if (get_timeout_active(STATEMENT_TIMEOUT))
		disable_timeout(STATEMENT_TIMEOUT, true);
}

void
cat_statement_timeout_resume(void)
{
	if (StatementTimeout > 0 && !get_timeout_active(STATEMENT_TIMEOUT) &&
		!get_timeout_indicator(STATEMENT_TIMEOUT, false))
		enable_timeout_after(STATEMENT_TIMEOUT, StatementTimeout);
}
