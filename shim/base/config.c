/*
 * config.c - the settings: one table of name, variable, default and help; their check.
 *
 * A value is taken from the environment, else from the file of --config, else the default is used.
 */
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <strings.h>

#include <jansson.h>

#include "base/address.h"
#include "base/log.h"
#include "base/settings.h"

#define SECRET_MINIMUM 32 /* bytes: the length of what HS256 makes */

/* Is it a valid base_url: empty, or an http: or https: URL without query and fragment? */
static bool
is_base(const char *text)
{
	static const char *const schemes[] = {"http://", "https://"};
	size_t length = 0;

	for (size_t i = 0; i < lengthof(schemes); i++)
		if (strncasecmp(text, schemes[i], strlen(schemes[i])) == 0)
			length = strlen(schemes[i]);
	return *text == '\0' || (length > 0 && text[length] != '\0' && text[length] != '/' &&
							 strpbrk(text, " \t\r\n\"<>\\`?#") == NULL);
}

/* Is the word scheme://host or scheme://host:port, with no path? */
static bool
is_origin(const char *word)
{
	size_t scheme = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789+-.");

	return scheme > 0 && strncmp(word + scheme, "://", 3) == 0 &&
		   address_is_host(word + scheme + 3);
}

/* Does the check hold for every word of a comma-separated list? */
static bool
all_words(const char *list, bool (*check)(const char *word))
{
	char word[256];

	for (list += strspn(list, ", "); *list != '\0'; list += strspn(list, ", "))
	{
		size_t length = strcspn(list, ", ");

		if (length >= sizeof(word))
			return false;
		memcpy(word, list, length);
		word[length] = '\0';
		if (!check(word))
			return false;
		list += length;
	}
	return true;
}

bool
config_are_origins(const char *list)
{
	return strcmp(list, "*") == 0 || strcmp(list, "none") == 0 || all_words(list, is_origin);
}

/* Is it an address, or several separated by commas, that cannot be taken for an option? */
static bool
is_mail_list(const char *list)
{
	size_t parts = 0;

	for (const char *word = list; *word != '\0'; parts++)
	{
		size_t length = strcspn(word, ",");
		const char *at = memchr(word, '@', length);

		if (*word == '-' || at == NULL || at == word || at == word + length - 1)
			return false;
		for (size_t i = 0; i < length; i++)
			if (word[i] <= ' ' || word[i] >= 0x7F || strchr("<>;\"\\()", word[i]) != NULL)
				return false;
		word += length;
		word += *word == ',';
	}
	return parts > 0;
}

/* Are the settings of e-mail complete, or is none to be sent? */
static bool
is_mail(const Settings *settings)
{
	return settings->mail_command[0] == '\0' ||
		   (settings->mail_command[0] == '/' && is_mail_list(settings->mail_to) &&
			is_mail_list(settings->mail_from) && strchr(settings->mail_from, ',') == NULL);
}

/* Is it empty, or http: or https:, a host and the name of a bucket? */
static bool
is_bucket(const char *url)
{
	const char *host = strncmp(url, "http://", 7) == 0	  ? url + 7
					   : strncmp(url, "https://", 8) == 0 ? url + 8
														  : url;
	size_t length = strcspn(host, "/");
	char *name = strndup(host, length);
	size_t bucket = strspn(host + length, "/abcdefghijklmnopqrstuvwxyz0123456789.-");
	bool good = name != NULL && address_is_host(name) && host != url && bucket > 3 &&
				host[length + bucket] == '\0' && strchr(host + length + 1, '/') == NULL;

	free(name);
	return *url == '\0' || good;
}

/* Are the settings of the object store complete, or is there none? */
static bool
is_store(const Settings *settings)
{
	return settings->store_url[0] == '\0' ||
		   (is_bucket(settings->store_url) && settings->store_credentials[0] == '/' &&
			text_is_token(settings->store_region));
}

/* Origins are listed in a policy with spaces between. */
static void
separate_by_spaces(char *origins)
{
	for (; *origins != '\0'; origins++)
		if (*origins == ',')
			*origins = ' ';
}

static bool
config_is_valid(const Settings *settings)
{
	LogLevel level;
	Address address;

	if (!address_read(settings->address, &address))
		fprintf(stderr, "catalogue-shim: invalid address \"%s\"\n", settings->address);
	else if (!is_base(settings->base_url))
		fprintf(stderr, "catalogue-shim: base_url \"%s\" is no http: or https: URL\n",
				settings->base_url);
	else if (!log_level_named(settings->log_level, &level))
		fprintf(stderr, "catalogue-shim: unknown log_level \"%s\"\n", settings->log_level);
	else if (settings->proxies == NULL)
		fprintf(stderr, "catalogue-shim: malformed address or network in trusted_proxies \"%s\"\n",
				settings->trusted_proxies);
	else if (settings->monitors == NULL)
		fprintf(stderr,
				"catalogue-shim: malformed address or network in metrics_addresses \"%s\"\n",
				settings->metrics_addresses);
	else if (settings->reachable == NULL)
		fprintf(stderr,
				"catalogue-shim: malformed address or network in fetch_allowed_addresses \"%s\"\n",
				settings->fetch_allowed_addresses);
	else if (!config_are_origins(settings->cors_origins))
		fprintf(stderr, "catalogue-shim: malformed origin in cors_origins \"%s\"\n",
				settings->cors_origins);
	else if (!config_are_origins(settings->frame_ancestors))
		fprintf(stderr, "catalogue-shim: malformed origin in frame_ancestors \"%s\"\n",
				settings->frame_ancestors);
	else if (!all_words(settings->map_tiles, is_origin))
		fprintf(stderr, "catalogue-shim: malformed origin in map_tiles \"%s\"\n",
				settings->map_tiles);
	else if (settings->map_streets[0] != '\0' && settings->map_streets[0] != '/')
		fprintf(stderr, "catalogue-shim: map_streets \"%s\" is no absolute path\n",
				settings->map_streets);
	else if (!all_words(settings->cors_headers, text_is_token))
		fprintf(stderr, "catalogue-shim: malformed header in cors_headers \"%s\"\n",
				settings->cors_headers);
	else if (!is_mail(settings))
		fprintf(stderr, "catalogue-shim: mail_command needs the path of a program, an address in "
						"mail_from, and addresses in mail_to\n");
	else if (!is_store(settings))
		fprintf(stderr,
				"catalogue-shim: store_url must be http: or https:, a host and a bucket, and "
				"needs an absolute path in store_credentials and a word in store_region\n");
	else if (settings->environment[0] == '\0' || strchr(settings->environment, '/') != NULL)
		fprintf(stderr, "catalogue-shim: invalid environment \"%s\"\n", settings->environment);
	else
		return true;
	return false;
}

int
config_threads(const Settings *settings)
{
	cpu_set_t cores;

	if (settings->threads > 0)
		return (int) settings->threads;
	return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

bool
config_has_secret(const Settings *settings)
{
	if (strlen(settings->token_secret) >= SECRET_MINIMUM)
		return true;
	fprintf(stderr,
			"catalogue-shim: setting \"token_secret\" must have at least %d bytes\n"
			"Hint: export CATALOGUE_TOKEN_SECRET=$(openssl rand -hex 32)\n",
			SECRET_MINIMUM);
	return false;
}

typedef enum Kind
{
	KIND_TEXT,
	KIND_NUMBER,
	KIND_DURATION, /* milliseconds; "90s", "15m", "24h", "7d" or "250ms" */
	KIND_SWITCH,   /* "on" or "off": 1 or 0 */
} Kind;

typedef struct Setting
{
	const char *name;
	const char *variable;
	Kind kind;
	size_t offset;
	const char *initial;
	int64_t minimum;
	int64_t maximum;
	const char *help;
} Setting;

#define PREFIX "CATALOGUE_"
#define DAY ((int64_t) 86400000)

static const Setting table[] = {
#define ROW(name, variable, kind, initial, least, most, help) \
	{#name, PREFIX #variable, kind, offsetof(Settings, name), initial, least, most, help},
#define TEXT(name, variable, initial, help) ROW(name, variable, KIND_TEXT, initial, 0, 0, help)
#define SWITCH(name, variable, initial, help) ROW(name, variable, KIND_SWITCH, initial, 0, 0, help)
#define NUMBER(name, variable, ...) ROW(name, variable, KIND_NUMBER, __VA_ARGS__)
#define DURATION(name, variable, ...) ROW(name, variable, KIND_DURATION, __VA_ARGS__)
#include "base/settings_list.h"
};

/* Parse a number, a duration with its unit, or a switch; false: malformed or out of range. */
static bool
read_number(const Setting *setting, const char *text, int64_t *number)
{
	static const struct
	{
		const char *unit;
		int64_t factor;
	} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", DAY}, {"", 1000}};
	char *end;

	*number = strcmp(text, "on") == 0;
	if (setting->kind == KIND_SWITCH)
		return *number == 1 || strcmp(text, "off") == 0;
	errno = 0;
	*number = strtoll(text, &end, 10);
	if (end == text || errno != 0 || *number < 0)
		return false;
	if (setting->kind == KIND_NUMBER)
		return *end == '\0' && *number >= setting->minimum && *number <= setting->maximum;
	for (size_t i = 0; i < lengthof(units); i++)
	{
		if (strcmp(end, units[i].unit) != 0)
			continue;
		if (*number > setting->maximum / units[i].factor)
			return false;
		*number *= units[i].factor;
		return *number >= setting->minimum;
	}
	return false;
}

/* Set a value; false, with a message on stderr, if it is invalid. */
static bool
assign(Settings *settings, const Setting *setting, const char *text, const char *source)
{
	char *place = (char *) settings + setting->offset;
	int64_t number;

	if (setting->kind == KIND_TEXT)
	{
		char *copy = strdup(text);

		free(*(char **) place);
		*(char **) place = copy;
		return copy != NULL;
	}
	if (!read_number(setting, text, &number))
	{
		fprintf(stderr, "catalogue-shim: invalid value for \"%s\" in %s: \"%s\"\n", setting->name,
				source, text);
		return false;
	}
	*(int64_t *) place = number;
	return true;
}

static const Setting *
setting_named(const char *name)
{
	for (size_t i = 0; i < lengthof(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

#define NAME_LIMIT 64 /* bytes of a name that are compared */

/*
 * Variables that are no settings of these programs: the commands and the tests of the project read
 * them, and pass them on to programs that they start.  With the settings this is the complete list,
 * which .ci/variables reads.  A misspelt variable would be ignored silently without it.
 */
static const char *const of_commands[] = {
	"CATALOGUE_ADMIN_PASSWORD", "CATALOGUE_BENCH_LIMIT",   "CATALOGUE_BUILD",
	"CATALOGUE_CACHE",			"CATALOGUE_CHROOT_INSIDE", "CATALOGUE_DEMO_FILE",
	"CATALOGUE_LANGUAGE",		"CATALOGUE_MIRROR",		   "CATALOGUE_MUTANTS",
	"CATALOGUE_PAGE",			"CATALOGUE_SAMPLES",	   "CATALOGUE_SHIM",
	"CATALOGUE_TEMPLATE",		"CATALOGUE_TEST_CLOCK",	   "CATALOGUE_TEST_DIRECTORY",
	"CATALOGUE_TEST_OPTIONS",	"CATALOGUE_URL",		   "CATALOGUE_VAR",
	"CATALOGUE_VOLATILE",		"CATALOGUE_WALKERS",	   "CATALOGUE_WALKS",
	"CATALOGUE_WORKER",			"CATALOGUE_WRITERS",	   "CATALOGUE_GEOGRAPHY",
};

/*
 * Former names of variables and their present ones, both without the prefix; .ci/variables reads
 * them.
 */
static const struct
{
	const char *former;
	const char *present;
} renamed[] = {
	{"LANES", "SHARED_CONNECTIONS"},
};

extern char **environ;

/* The name at an index, those of the settings first; NULL at the end. */
static const char *
name_at(size_t index)
{
	/* The environment variables of the settings, in the order of the table. */
	size_t settings = lengthof(table);

	if (index < settings)
		return table[index].variable;
	return index - settings < lengthof(of_commands) ? of_commands[index - settings] : NULL;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein distance: the number of bytes to insert, remove or replace. */
static size_t
distance(const char *a, const char *b)
{
	size_t width = strnlen(b, NAME_LIMIT);
	size_t row[NAME_LIMIT + 1];

	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 0; a[i] != '\0'; i++)
	{
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < width; j++)
		{
			size_t changed = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			row[j + 1] = least(changed, least(row[j], diagonal) + 1);
		}
	}
	return row[width];
}

/* Return a name without the prefix; of a variable that was renamed, the present one. */
static const char *
present_name(const char *name)
{
	const char *bare = name + strlen(PREFIX);

	for (size_t i = 0; i < lengthof(renamed); i++)
		if (strcmp(bare, renamed[i].former) == 0)
			return renamed[i].present;
	return bare;
}

/* Return the known variable that a name with the prefix CATALOGUE_ is nearest to. */
static const char *
variable_nearest(const char *name)
{
	const char *best = name_at(0);
	const char *other;

	name = present_name(name);
	for (size_t i = 1; (other = name_at(i)) != NULL; i++)
		if (distance(name, other + strlen(PREFIX)) < distance(name, best + strlen(PREFIX)))
			best = other;
	return best;
}

/*
 * config.c: returns false, with a message on stderr, if the environment has a variable that
 * begins with CATALOGUE_ and is not known.
 */
static bool
variables_known(void)
{
	bool good = true;

	for (char **entry = environ; *entry != NULL; entry++)
	{
		char name[NAME_LIMIT + 1];
		const char *nearest;
		size_t length = strcspn(*entry, "=");

		/* an empty variable counts as none */
		if (strncmp(*entry, PREFIX, strlen(PREFIX)) != 0 || (*entry)[length] == '\0' ||
			(*entry)[length + 1] == '\0')
			continue;
		snprintf(name, sizeof(name), "%.*s", (int) length, *entry);
		nearest = variable_nearest(name);
		if (strcmp(nearest, name) == 0)
			continue;
		fprintf(stderr, "%s: unknown variable \"%s\"; the nearest name is \"%s\"\n",
				program_invocation_short_name, name, nearest);
		good = false;
	}
	return good;
}

/* Return the name of the setting that is nearest to a name; NULL if a variable of a command is. */
static const char *
nearest_setting(const char *name)
{
	char variable[80];
	const char *nearest;

	snprintf(variable, sizeof(variable), "CATALOGUE_%s", name);
	for (char *at = variable; *at != '\0'; at++)
		*at = (char) toupper((unsigned char) *at);
	nearest = variable_nearest(variable);
	for (size_t i = 0; i < lengthof(table); i++)
		if (strcmp(table[i].variable, nearest) == 0)
			return table[i].name;
	return NULL;
}

/* Write to stderr why a member of the file is refused; setting is NULL if it names none. */
static void
refuse_member(const char *file, const char *name, const Setting *setting)
{
	const char *nearest = setting == NULL ? nearest_setting(name) : NULL;

	fprintf(stderr, "catalogue-shim: %s: %s \"%s\"", file,
			setting ? "neither text nor integer:" : "unknown setting", name);
	if (nearest != NULL)
		fprintf(stderr, "; the nearest name is \"%s\"", nearest);
	fputc('\n', stderr);
}

/* Set the settings that are members of the object in the file. */
static bool
load_file(Settings *settings, const char *file)
{
	json_error_t fault;
	json_t *object = json_load_file(file, JSON_REJECT_DUPLICATES, &fault);
	const char *name;
	json_t *value;
	bool good = json_is_object(object);

	if (!good)
		fprintf(stderr, "catalogue-shim: %s:%d: %s\n", file, object ? 1 : fault.line,
				object ? "not an object" : fault.text);
	json_object_foreach(object, name, value)
	{
		const Setting *setting = setting_named(name);
		char number[24];

		snprintf(number, sizeof(number), "%lld", (long long) json_integer_value(value));
		if (setting != NULL && (json_is_string(value) || json_is_integer(value)))
			good &= assign(settings, setting,
						   json_is_string(value) ? json_string_value(value) : number, file);
		else
		{
			refuse_member(file, name, setting);
			good = false;
		}
	}
	json_decref(object);
	return good;
}

bool
config_load(Settings *settings, const char *file)
{
	const char *clock = getenv("CATALOGUE_TEST_CLOCK");
	bool good = variables_known();

	if (clock != NULL && *clock != '\0' && !clock_follow(clock))
	{
		fprintf(stderr, "%s: could not read the clock of the tests in \"%s\": %s\n",
				program_invocation_short_name, clock, strerror(errno));
		good = false;
	}
	*settings = (Settings){0};
	for (size_t i = 0; i < lengthof(table); i++)
		good &= assign(settings, &table[i], table[i].initial, "the defaults");
	if (file != NULL)
		good &= load_file(settings, file);
	for (size_t i = 0; i < lengthof(table); i++)
	{
		const char *value = getenv(table[i].variable);

		if (value != NULL && *value != '\0')
			good &= assign(settings, &table[i], value, table[i].variable);
	}
	if (!good)
		return false;
	/* a slash at the end would be doubled in every link */
	for (size_t end = strlen(settings->base_url); end > 0 && settings->base_url[end - 1] == '/';)
		settings->base_url[--end] = '\0';
	settings->proxies = address_networks(settings->trusted_proxies);
	settings->monitors = address_networks(settings->metrics_addresses);
	settings->reachable = address_networks(settings->fetch_allowed_addresses);
	if (!config_is_valid(settings))
		return false;
	separate_by_spaces(settings->map_tiles);
	separate_by_spaces(settings->frame_ancestors);
	return true;
}

void
config_free(Settings *settings)
{
	for (size_t i = 0; i < lengthof(table); i++)
		if (table[i].kind == KIND_TEXT)
			free(*(char **) ((char *) settings + table[i].offset));
	free(settings->proxies);
	free(settings->monitors);
	free(settings->reachable);
	free(settings->page_headers);
	*settings = (Settings){0};
}

void
config_help(void)
{
	printf("catalogue-shim serves the data catalogue over HTTP.\n\n"
		   "Usage:\n"
		   "  catalogue-shim [OPTION]...\n\n"
		   "Options:\n"
		   "  --config FILE  read settings from a JSON file; the environment takes precedence\n"
		   "  --check        verify the settings, the database and the object store, then end\n"
		   "  --health       ask the shim that runs with these settings for /health; fail unless "
		   "it is 200\n"
		   "  --worker       become catalogue-worker, which processes jobs\n"
		   "  --help         show this help, then end\n"
		   "  --version      show the versions of the shim and of libmicrohttpd, then end\n\n"
		   "Settings (name in the file, variable, default):\n");
	for (size_t i = 0; i < lengthof(table); i++)
		printf("  %-16s %-27s %s\n      %s\n", table[i].name, table[i].variable,
			   *table[i].initial ? table[i].initial : "(empty)", table[i].help);
	printf("\nDurations are numbers with a unit: ms, s, m, h, d; without one, seconds.\n"
		   "Signals: SIGTERM and SIGINT end the program after the requests in progress; SIGHUP "
		   "reopens the log file.\n");
}
