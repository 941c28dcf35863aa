/*
 * settings.c
 *	  Configuration parameters of the extension.
 */
#include "catalogue.h"

#include <limits.h>

#include "utils/guc.h"

#include "base/settings.h"

int cat_max_limit;
bool cat_check_references;
bool cat_log_refusals;
int cat_history_retention;
int cat_log_retention;
int cat_name_retention;
int cat_question_retention;
int cat_dataset_questions;
int cat_login_window;
int cat_login_failures_name;
int cat_login_failures_address;
int cat_public_creations;
int cat_parallel_hashes;
char *cat_secret_key_file;
char *cat_former_secret_key_file;
int cat_upload_limit;
int cat_upload_retention;
int cat_store_retention;
int cat_store_check;
bool cat_hold_uploads;
int cat_query_timeout;
int cat_query_memory;
int cat_query_rows;
int cat_map_features;
int cat_facets_age;
int cat_facets_exact;
char *cat_search_languages;
int cat_visitor_addresses;
int cat_visitor_address_days;

/* Protection of passwords against guessing; only superusers change these parameters. */
static void
define_login_settings(void)
{
	DefineCustomIntVariable(
		"catalogue.login_failures_name", "Maximum number of failed logins of a user name.",
		"They are counted during catalogue.login_window; 0 means no limit.",
		&cat_login_failures_name, 10, 0, INT_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.login_failures_address", "Maximum number of failed logins from an address.",
		"IPv6 addresses are compared by their first 64 bits. They are counted during "
		"catalogue.login_window; 0 means no limit.",
		&cat_login_failures_address, 100, 0, INT_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.public_creations",
		"Maximum number of records that anonymous clients at an address may create.",
		"IPv6 addresses are compared by their first 64 bits. They are counted during "
		"catalogue.login_window; 0 means no limit.",
		&cat_public_creations, 20, 0, INT_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("catalogue.login_window", "Period for which failed logins are counted.",
							"It begins with the first failure; at its end the count is reset.",
							&cat_login_window, 15 * SECS_PER_MINUTE, 1, SECS_PER_DAY, PGC_SUSET,
							GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable("catalogue.parallel_hashes",
							"Maximum number of passwords that all sessions hash at the same time.",
							"0 means half of the processor cores. Further ones wait.",
							&cat_parallel_hashes, 0, 0, 1024, PGC_SUSET, 0, NULL, NULL, NULL);
}

static void
define_secret_settings(void)
{
	DefineCustomStringVariable(
		"catalogue.secret_key_file",
		"File with the key that encrypts secrets of services and webhooks.",
		"It contains 64 hexadecimal digits and must be readable by the server only. Without it "
		"secrets cannot be stored.",
		&cat_secret_key_file, "", PGC_SUSET, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"catalogue.former_secret_key_file", "File with the former key of secrets.",
		"It decrypts secrets until catalogue.reseal() has encrypted them with the present key.",
		&cat_former_secret_key_file, "", PGC_SUSET, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
}

/* Limits and checks of uploads; only superusers change these parameters. */
static void
define_upload_settings(void)
{
	DefineCustomIntVariable("catalogue.upload_limit", "Maximum size of an uploaded file.", NULL,
							&cat_upload_limit, 4 * 1024 * 1024, 1, INT_MAX, PGC_SUSET, GUC_UNIT_KB,
							NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.upload_retention", "Time during which an interrupted upload can be resumed.",
		"It begins with the last byte received. catalogue.sweep() removes older uploads.",
		&cat_upload_retention, SECS_PER_DAY, 0, INT_MAX, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable("catalogue.store_retention",
							"Time for which objects of the store are kept that nothing refers to.",
							"No backup of the database that is to be restored may be older.",
							&cat_store_retention, 30 * SECS_PER_DAY, 0, INT_MAX, PGC_SUSET,
							GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.store_check",
		"Time after which an object of the store is compared with its digest again.",
		"The worker reads all of its bytes; -1 means never.", &cat_store_check, 30 * SECS_PER_DAY,
		-1, INT_MAX, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomBoolVariable("catalogue.hold_uploads",
							 "Hold back uploaded files until the scanner has found them clean.",
							 NULL, &cat_hold_uploads, false, PGC_SUSET, 0, NULL, NULL, NULL);
}

/* Limits of clients' statements and maps; only superusers change these parameters. */
static void
define_query_settings(void)
{
	DefineCustomIntVariable("catalogue.query_timeout", "Maximum time of a client's query.",
							"statement_timeout ends it earlier, if that is less.",
							&cat_query_timeout, 5000, 1, INT_MAX, PGC_SUSET, GUC_UNIT_MS, NULL,
							NULL, NULL);
	DefineCustomIntVariable("catalogue.query_memory", "Maximum memory of a client's query.",
							"Its temporary files may have four times as much.", &cat_query_memory,
							128 * 1024, 8 * 1024, INT_MAX / 4, PGC_SUSET, GUC_UNIT_KB, NULL, NULL,
							NULL);
	DefineCustomIntVariable("catalogue.query_rows",
							"Maximum number of rows that a client's query returns.",
							"Further rows are not returned, which the reply says.", &cat_query_rows,
							10000, 1, 1000000, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.map_features", "Maximum number of rows of a map.",
		"Maps that web applications of earlier versions make have at most as many "
		"as the record mapPointsLimit says.",
		&cat_map_features, 1000000, 1, INT_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
}

static const struct config_enum_entry visitor_addresses[] = {
	{"whole", ADDRESSES_WHOLE, false},
	{"cut", ADDRESSES_CUT, false},
	{"none", ADDRESSES_NONE, false},
	{NULL, 0, false},
};

/* What the statistics keep of visitors; only superusers change these parameters. */
static void
define_privacy_settings(void)
{
	DefineCustomEnumVariable(
		"catalogue.visitor_addresses", "Which part of a client's address the statistics keep.",
		"\"cut\" keeps the network: of IPv4 the first 24 bits, of IPv6 the first 48; \"whole\" "
		"keeps all, \"none\" nothing. It applies to requests that are recorded from then on.",
		&cat_visitor_addresses, ADDRESSES_CUT, visitor_addresses, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.visitor_address_days",
		"Days after which an address in the statistics is removed.",
		"catalogue.prune() removes it; the record stays. 0 keeps it as long as the record.",
		&cat_visitor_address_days, 0, 0, 36500, PGC_SUSET, 0, NULL, NULL, NULL);
}

/* What visitors ask; only superusers change these parameters. */
static void
define_question_settings(void)
{
	DefineCustomIntVariable(
		"catalogue.question_retention", "Time for which questions about datasets are kept.",
		"catalogue.prune() removes older ones for good, replies as well; -1 keeps them forever.",
		&cat_question_retention, 730 * SECS_PER_DAY, -1, INT_MAX, PGC_SUSET, GUC_UNIT_S, NULL, NULL,
		NULL);
	DefineCustomIntVariable("catalogue.dataset_questions",
							"Maximum number of questions about one dataset in 24 hours.",
							"0 means no limit.", &cat_dataset_questions, 50, 0, INT_MAX, PGC_SUSET,
							0, NULL, NULL, NULL);
}

/* Languages that PostgreSQL has a stemmer of. */
static const char *const languages[] = {
	"arabic",  "armenian", "basque",	 "catalan", "danish",	 "dutch",	   "english",
	"finnish", "french",   "german",	 "greek",	"hindi",	 "hungarian",  "indonesian",
	"irish",   "italian",  "lithuanian", "nepali",	"norwegian", "portuguese", "romanian",
	"russian", "serbian",  "spanish",	 "swedish", "tamil",	 "turkish",	   "yiddish",
};

/* Return whether a word of a given length is the name of a language. */
static bool
is_language(const char *word, size_t length)
{
	for (size_t i = 0; i < lengthof(languages); i++)
		if (strlen(languages[i]) == length && strncmp(languages[i], word, length) == 0)
			return true;
	return false;
}

/* Check hook of catalogue.search_languages. */
static bool
check_languages(char **value, void **extra, GucSource source)
{
	const char *p = *value + strspn(*value, " ");
	int count = 0;

	while (*p)
	{
		size_t length = strcspn(p, ", ");

		if (!is_language(p, length) || ++count > SEARCH_LANGUAGES_MAX)
		{
			GUC_check_errhint(
				"It takes at most %d names of languages that PostgreSQL has a stemmer "
				"of, with commas between: spanish, english, portuguese …",
				SEARCH_LANGUAGES_MAX);
			return false;
		}
		p += length;
		p += strspn(p, ", ");
	}
	return true;
}

static void
define_search_settings(void)
{
	DefineCustomIntVariable(
		"catalogue.facets_age",
		"Time for which numbers of facets are kept that take long to count.",
		"They are those of lists with more than catalogue.facets_exact records that are not kept "
		"by triggers; an answer with such numbers tells their age. 0 counts them anew after each "
		"change. Numbers of searches are kept as long, and brought up to date.",
		&cat_facets_age, 60, 0, SECS_PER_DAY, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.facets_exact",
		"Number of records up to which the facets of a list are always those of its page.",
		"The number of a search that finds more is not counted anew after each change, but brought "
		"up to date.",
		&cat_facets_exact, 10000, 0, INT_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"catalogue.search_languages",
		"Languages by whose rules a search for words compares them, with commas between; in this "
		"order an "
		"import takes texts.",
		"The indexes of search follow when catalogue.index_searches() is called; until then such "
		"a search reads all records. An empty value compares whole words.",
		&cat_search_languages, "spanish, english, portuguese", PGC_SUSET, 0, check_languages, NULL,
		NULL);
}

void
cat_settings_init(void)
{
	DefineCustomIntVariable("catalogue.max_limit", "Maximum number of records of a page.",
							"A greater limit in a request is reduced to it.", &cat_max_limit, 10000,
							1, 1000000, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("catalogue.check_references",
							 "Check immediately that referenced records exist and are not deleted.",
							 "Turn it off to load records that refer to each other; foreign keys "
							 "are still checked at commit.",
							 &cat_check_references, true, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("catalogue.log_refusals",
							 "Write what is wrong with a request to the log of the server.",
							 "The shim turns it off: the client is told, and the log of the shim "
							 "has the request. So it is with what a standby refuses.",
							 &cat_log_refusals, true, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("catalogue.history_retention",
							"Time for which earlier states of records are kept.",
							"A page can be requested as of any instant in this period. "
							"catalogue.prune() removes older states.",
							&cat_history_retention, SECS_PER_DAY, 0, INT_MAX, PGC_USERSET,
							GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.log_retention", "Time for which records of the action log are kept.",
		"catalogue.prune() removes older ones; -1 keeps them forever. Only superusers can change "
		"it.",
		&cat_log_retention, -1, -1, INT_MAX, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.name_retention",
		"Time for which a slug or file name that a record gave up by renaming is not given to "
		"another "
		"one.",
		"A new record of that name gets a number meanwhile. The former address leads to the record "
		"until another one has it.",
		&cat_name_retention, 365 * SECS_PER_DAY, 0, INT_MAX, PGC_SUSET, GUC_UNIT_S, NULL, NULL,
		NULL);
	define_login_settings();
	define_secret_settings();
	define_upload_settings();
	define_query_settings();
	define_privacy_settings();
	define_question_settings();
	define_search_settings();
	MarkGUCPrefixReserved("catalogue");
}
