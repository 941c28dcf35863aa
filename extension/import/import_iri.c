/*
 * import_iri.c
 *	  IRIs that are relative to another one (RFC 3986, section 5.2).
 */
#include "catalogue.h"

#include "import/document_internal.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* Return the length of the scheme of an IRI with its colon; 0: it has none. */
static size_t
scheme_length(const char *iri)
{
	size_t length = strspn(iri, LETTERS "0123456789+.-");

	return strspn(iri, LETTERS) > 0 && iri[length] == ':' ? length + 1 : 0;
}

/* Return the length of what is before the path of an IRI. */
static size_t
authority_length(const char *iri)
{
	size_t length = scheme_length(iri);

	return strncmp(iri + length, "//", 2) == 0 ? length + 2 + strcspn(iri + length + 2, "/?#")
											   : length;
}

/* Take the segments "." and ".." from the path of an IRI, in place. */
static void
remove_dots(char *iri)
{
	char *path = iri + authority_length(iri);
	char *rest = path + strcspn(path, "?#");
	char *to = path;

	for (char *from = path; *path == '/' && from < rest;)
	{
		size_t length = 1 + strcspn(from + 1, "/?#");
		bool up = length == 3 && strncmp(from, "/..", length) == 0;

		if (up || (length == 2 && from[1] == '.'))
		{
			while (up && to > path && *--to != '/')
				;
			if (from + length == rest)
				*to++ = '/';
		}
		else
		{
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	if (*path == '/')
		memmove(to, rest, strlen(rest) + 1);
}

/* Return how much of an IRI stays before a reference. */
static size_t
kept_length(const char *base, const char *reference)
{
	size_t authority = authority_length(base);
	size_t length = authority + strcspn(base + authority, "?#");

	if (strncmp(reference, "//", 2) == 0)
		return scheme_length(base);
	if (*reference == '/')
		return authority;
	if (*reference == '#' || *reference == '\0')
		return strcspn(base, "#");
	while (*reference != '?' && length > authority && base[length - 1] != '/')
		length--;
	return length;
}

bool
cat_import_iri_is_absolute(const char *iri)
{
	return scheme_length(iri) > 0 && iri[strcspn(iri, " \t\r\n<>\"")] == '\0';
}

const char *
cat_import_iri_resolve(const char *base, const char *reference)
{
	size_t kept = kept_length(base, reference);
	bool joined = kept > scheme_length(base) && kept == authority_length(base) &&
				  *reference != '\0' && !strchr("/?#", *reference);
	char *iri;

	if (scheme_length(reference) > 0 || strncmp(reference, "_:", 2) == 0)
		return reference;
	iri = psprintf("%.*s%s%s", (int) kept, base, joined ? "/" : "", reference);
	remove_dots(iri);
	return iri;
}
