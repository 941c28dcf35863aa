/*
 * settings.h - the settings, and other things that catalogue-shim and catalogue-worker share.
 *
 * Settings are read once and do not change afterwards.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "base/base.h"

#define SHIM_VERSION "1.1"

#define ID_MAXIMUM 15	/* characters of a record id */
#define RESULT_BINARY 1 /* for libpq: results are in binary format */

/* Durations are in milliseconds; texts are never NULL. */
typedef struct Settings
{
#define TEXT(name, ...) char *name;
#define SWITCH(name, ...) int64_t name; /* 0: off */
#define NUMBER(name, ...) int64_t name;
#define DURATION(name, ...) int64_t name;
#include "base/settings_list.h"
#undef TEXT
#undef SWITCH
#undef NUMBER
#undef DURATION
	struct Networks *proxies;	/* trusted_proxies, parsed */
	struct Networks *monitors;	/* metrics_addresses, parsed */
	struct Networks *reachable; /* fetch_allowed_addresses, parsed */
	char *page_headers;			/* value of Access-Control-Allow-Headers */
	struct Log *log;
	struct Metrics *metrics;
} Settings;

/*
 * Read the defaults, then the file (may be NULL), then the environment.
 *
 * Returns false, with a message on stderr, if a value is invalid or a variable is unknown.  Call
 * config_free() in either case.
 */
extern bool config_load(Settings *settings, const char *file);
/* Returns false, with a message on stderr, if the secret for signing tokens is missing or short. */
extern bool config_has_secret(const Settings *settings);
extern void config_free(Settings *settings);
/* The number of threads that serve requests. */
extern int config_threads(const Settings *settings);
/* Are they origins separated by commas, or "*", or "none"? */
extern bool config_are_origins(const char *list);
/* Print the text of --help. */
extern void config_help(void);

/* service_manager.c */

/* Tell the service manager the state, such as "READY=1"; nothing happens where NOTIFY_SOCKET is
 * not set.  A message that cannot be sent is told on stderr. */
extern void service_manager_notify(const char *message);
/* Tell it that settings are being read again; READY=1 is to follow. */
extern void service_manager_reloading(void);
/* Milliseconds between two messages WATCHDOG=1, half of what it demands; 0: it demands none. */
extern int64_t service_manager_interval(void);

#endif
