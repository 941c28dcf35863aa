/*
 * question.c
 *	  Questions of visitors about datasets, which are kept for a time only.
 */
#include "catalogue.h"

#include "base/settings.h"
#include "history/history.h"
#include "write/write_internal.h"

/* Texts of people do not stay for a restoration: a deleted question is kept as long as pages of an
 * earlier instant can show it. */
static const char purge_sql[] =
	"DELETE FROM catalogue.questions q WHERE q.id IN (SELECT o.id FROM catalogue.questions o "
	"WHERE o.deleted_at < least(catalogue.history_horizon(), now()) LIMIT $1)";

static const char expire_sql[] =
	"UPDATE catalogue.questions q SET deleted_at = now() WHERE q.id IN (SELECT o.id FROM "
	"catalogue.questions o WHERE o.deleted_at IS NULL AND o.created_at < now() - $2 * "
	"interval '1 second' ORDER BY o.created_at, o.id LIMIT $1)";

/*
 * Physically remove questions that are deleted, and delete at most limit ones that are older than
 * catalogue.question_retention.
 *
 * Returns the number of both.
 */
CAT_FUNCTION(catalogue_expire_questions)
{
	StatementParam limit = int8_param(PG_GETARG_INT64(ARG_EXPIRE_QUESTIONS_LIMIT));
	int64 count;

	cat_owner_call_begin();
	cat_statement_in(WRITE_UNRECORDED, purge_sql, limit);
	count = (int64) SPI_processed;
	if (cat_question_retention >= 0)
	{
		cat_statement_in(WRITE_BY_RULES, expire_sql, limit, int4_param(cat_question_retention));
		count += (int64) SPI_processed;
	}
	cat_owner_call_end();
	PG_RETURN_INT64(count);
}
