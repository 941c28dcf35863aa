/*
 * statement_timeout.c
 *	  statement_timeout of functions that return their result in pieces.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/timeout.h"

#include "pg/pg.h"

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
