/*
 * config_check.c - what the table of settings cannot express: the form of their values.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "answer/answer.h"
#include "log/log.h"
#include "settings.h"

#define SECRET_MINIMUM 32 /* bytes: the length of what HS256 makes */

static bool
is_address(const char *text)
{
	unsigned char number[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, text, number) == 1 || inet_pton(AF_INET6, text, number) == 1;
}

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

bool
config_is_valid(const Settings *settings)
{
	LogLevel level;

	if (!is_address(settings->address))
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
	else if (!cors_origins_valid(settings))
		fprintf(stderr, "catalogue-shim: malformed origin in cors_origins \"%s\"\n",
				settings->cors_origins);
	else if (!cors_origins_are(settings->map_tiles))
		fprintf(stderr, "catalogue-shim: malformed origin in map_tiles \"%s\"\n",
				settings->map_tiles);
	else if (!cors_headers_valid(settings))
		fprintf(stderr, "catalogue-shim: malformed header in cors_headers \"%s\"\n",
				settings->cors_headers);
	else if (!is_mail(settings))
		fprintf(stderr, "catalogue-shim: mail_command needs the path of a program, an address in "
						"mail_from, and addresses in mail_to\n");
	else if (settings->environment[0] == '\0' || strchr(settings->environment, '/') != NULL)
		fprintf(stderr, "catalogue-shim: invalid environment \"%s\"\n", settings->environment);
	else
		return true;
	return false;
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
