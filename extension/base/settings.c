/*
 * settings.c
 *	  Configuration parameters of the extension.
 */
#include "catalogue.h"

#include "utils/guc.h"

#include "base/settings.h"

int cat_max_limit;
bool cat_check_references;
int cat_history_retention;
int cat_log_retention;
int cat_login_window;
int cat_login_failures_name;
int cat_login_failures_address;
int cat_public_creations;
int cat_parallel_hashes;
char *cat_secret_key_file;
char *cat_former_secret_key_file;
int cat_upload_limit;
int cat_upload_retention;
bool cat_hold_uploads;

/* Protection of passwords against guessing; only superusers change these parameters. */
static void
define_login_settings(void)
{
	DefineCustomIntVariable("catalogue.login_failures_name",
							"Failed logins of one user name, after which further ones are refused.",
							"They are counted for catalogue.login_window; 0 for no limit.",
							&cat_login_failures_name, 10, 0, INT_MAX, PGC_SUSET, 0, NULL, NULL,
							NULL);
	DefineCustomIntVariable("catalogue.login_failures_address",
							"Failed logins from one address, after which further ones are refused.",
							"Of IPv6 the first 64 bits count. They are counted for "
							"catalogue.login_window; 0 for no limit.",
							&cat_login_failures_address, 100, 0, INT_MAX, PGC_SUSET, 0, NULL, NULL,
							NULL);
	DefineCustomIntVariable("catalogue.public_creations",
							"Records that one address may create without a user.",
							"Of IPv6 the first 64 bits count. They are counted for "
							"catalogue.login_window; 0 for no limit.",
							&cat_public_creations, 20, 0, INT_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("catalogue.login_window", "How long failed logins are counted.",
							"From the first of them; with its end they are forgotten.",
							&cat_login_window, 15 * SECS_PER_MINUTE, 1, SECS_PER_DAY, PGC_SUSET,
							GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable("catalogue.parallel_hashes",
							"Passwords that are hashed at once, in all sessions together.",
							"0 is half of the cores. Further ones wait.", &cat_parallel_hashes, 0,
							0, 1024, PGC_SUSET, 0, NULL, NULL, NULL);
}

static void
define_secret_settings(void)
{
	DefineCustomStringVariable(
		"catalogue.secret_key_file", "File of the key that secrets of services are sealed with.",
		"It holds 64 hexadecimal digits, and only the server may read it. "
		"Without it no such secret is stored.",
		&cat_secret_key_file, "", PGC_SUSET, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"catalogue.former_secret_key_file", "File of the key that secrets were sealed with before.",
		"They are opened with it until catalogue.reseal() has sealed them "
		"with the present key.",
		&cat_former_secret_key_file, "", PGC_SUSET, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
}

/* Limits and checks of uploads; only superusers change these parameters. */
static void
define_upload_settings(void)
{
	DefineCustomIntVariable("catalogue.upload_limit", "Largest file that can be uploaded.", NULL,
							&cat_upload_limit, 4 * 1024 * 1024, 1, INT_MAX, PGC_SUSET, GUC_UNIT_KB,
							NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.upload_retention", "How long an interrupted upload can be resumed.",
		"From the last byte that came. catalogue.sweep() removes what is older.",
		&cat_upload_retention, SECS_PER_DAY, 0, INT_MAX, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomBoolVariable("catalogue.hold_uploads",
							 "Give files to nobody until the scanner has found them clean.", NULL,
							 &cat_hold_uploads, false, PGC_SUSET, 0, NULL, NULL, NULL);
}

/* Define all parameters; called once, when the library is loaded. */
void
cat_settings_init(void)
{
	DefineCustomIntVariable("catalogue.max_limit", "Largest page of a list.",
							"A greater limit in a request is clamped to it.", &cat_max_limit, 10000,
							1, 1000000, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable(
		"catalogue.check_references", "Check at once that referenced records live.",
		"Off, records that refer to each other can be loaded; the foreign keys "
		"are checked at commit all the same.",
		&cat_check_references, true, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("catalogue.history_retention",
							"How long earlier states of records are kept.",
							"Pages can be asked for as of an instant that is not longer ago. "
							"catalogue.prune() removes what is older.",
							&cat_history_retention, SECS_PER_DAY, 0, INT_MAX, PGC_USERSET,
							GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"catalogue.log_retention", "How long records of the action log are kept.",
		"catalogue.prune() removes older ones; -1 keeps all for ever. Only a "
		"superuser changes it.",
		&cat_log_retention, -1, -1, INT_MAX, PGC_SUSET, GUC_UNIT_S, NULL, NULL, NULL);
	define_login_settings();
	define_secret_settings();
	define_upload_settings();
	MarkGUCPrefixReserved("catalogue");
}
