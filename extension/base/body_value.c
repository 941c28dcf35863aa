/*
 * body_value.c
 *	  A JSON value that is a part of a text, of which other parts may be at fault.
 */
#include "catalogue.h"

#include "base/body.h"

Member *
cat_body_value_if(const char *text, size_t length)
{
	Member *volatile value = NULL;
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		value = cat_body_value(pnstrdup(text, length));
	}
	PG_CATCH();
	{
		int code;

		MemoryContextSwitchTo(context);
		code = geterrcode();
		if (code != OD400)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	return value;
}
