/*
 * selection.c - the rows that the query of a job of kind convert selects.
 */
#include "jobs/jobs_internal.h"

char *
selection_sheets(Session *session, Job *job)
{
	const char *map = job_detail(job, "map");
	const char *query = job_detail(job, "query");
	Value values[] = {TEXT(map != NULL ? map : job->resource),
					  query != NULL ? TEXT(query) : job_number(job, "revision"),
					  TEXT(job_detail(job, "actor"))};

	return session_text(session,
						map != NULL		? ASK_SELECTION_MAP
						: query != NULL ? ASK_SELECTION
										: ASK_SHEETS,
						values);
}

/* Declare the cursor. */
static bool
declare(Session *session, Job *job, const char *format)
{
	const char *map = job_detail(job, "map");
	Value values[] = {TEXT(map != NULL ? map : job->resource), TEXT(job_detail(job, "query")),
					  TEXT(job_detail(job, "actor")), TEXT(format)};

	return session_do(session, ASK_BEGIN, NULL) &&
		   session_do(session, map != NULL ? ASK_SELECTED_MAP : ASK_SELECTED, values);
}

bool
selection_read(Session *session, Job *job, const char *format,
			   bool (*take)(void *target, const char *piece, size_t length), void *target)
{
	bool good = declare(session, job, format);
	bool end = false;

	while (good && !end)
	{
		PGresult *pieces = session_ask(session, ASK_SELECTED_NEXT, NULL);

		good = pieces != NULL;
		end = good && PQntuples(pieces) == 0;
		for (int i = 0; good && !end && i < PQntuples(pieces); i++)
		{
			good = take(target, PQgetvalue(pieces, i, 0), (size_t) PQgetlength(pieces, i, 0));
			job->progress->done += PQgetlength(pieces, i, 0);
		}
		PQclear(pieces);
	}
	return session_do(session, ASK_COMMIT, NULL) && good;
}
