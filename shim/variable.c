/*
 * variable.c - the names of environment variables: what begins with CATALOGUE_ must be known.
 *
 * A misspelt variable would otherwise be ignored silently, and its default be used.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "settings.h"

#define PREFIX "CATALOGUE_"
#define NAME_LIMIT 64 /* bytes of a name that are compared */

/*
 * Variables that are no settings of these programs: the commands and the tests of the project read
 * them, and pass them on to programs that they start.  With the settings in config.c this is the
 * complete list; .ci/variables reads both files.
 */
static const char *const of_commands[] = {
	"CATALOGUE_ADMIN_PASSWORD",
	"CATALOGUE_BENCH_LIMIT",
	"CATALOGUE_BUILD",
	"CATALOGUE_CACHE",
	"CATALOGUE_CHROOT_INSIDE",
	"CATALOGUE_DEMO_FILE",
	"CATALOGUE_LANGUAGE",
	"CATALOGUE_MIRROR",
	"CATALOGUE_MUTANTS",
	"CATALOGUE_PAGE",
	"CATALOGUE_SAMPLES",
	"CATALOGUE_SHIM",
	"CATALOGUE_TEMPLATE",
	"CATALOGUE_TEST_DIRECTORY",
	"CATALOGUE_TEST_OPTIONS",
	"CATALOGUE_URL",
	"CATALOGUE_VAR",
	"CATALOGUE_VOLATILE",
	"CATALOGUE_WALKERS",
	"CATALOGUE_WALKS",
	"CATALOGUE_WORKER",
	"CATALOGUE_WRITERS",
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
	size_t settings = config_variable_count();

	if (index < settings)
		return config_variable(index);
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

const char *
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

static bool
is_known(const char *name)
{
	const char *other;

	for (size_t i = 0; (other = name_at(i)) != NULL; i++)
		if (strcmp(name, other) == 0)
			return true;
	return false;
}

bool
variables_known(void)
{
	bool good = true;

	for (char **entry = environ; *entry != NULL; entry++)
	{
		char name[NAME_LIMIT + 1];
		size_t length = strcspn(*entry, "=");

		/* an empty variable counts as none */
		if (strncmp(*entry, PREFIX, strlen(PREFIX)) != 0 || (*entry)[length] == '\0' ||
			(*entry)[length + 1] == '\0')
			continue;
		snprintf(name, sizeof(name), "%.*s", (int) length, *entry);
		if (is_known(name))
			continue;
		fprintf(stderr, "%s: unknown variable \"%s\"; the nearest name is \"%s\"\n",
				program_invocation_short_name, name, variable_nearest(name));
		good = false;
	}
	return good;
}
