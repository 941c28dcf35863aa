/*
 * statement_timeout.c
 *	  statement_timeout of functions that return their result in pieces.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/timeout.h"

#include "pg/pg.h"

/*
 * Stop the timeout between pieces, since the client's time is not that of the statement;
 * statement_timeout applies to each piece.  An expired timeout that has not been reported yet is
 * preserved.
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
