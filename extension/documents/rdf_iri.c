/*
 * rdf_iri.c
 *	  Addresses as IRIs (RFC 3987), of which all beyond ASCII is percent-encoded.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "documents/dcat_internal.h"

#define ADDRESS_MOST 2000 /* characters */
#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define HEXADECIMAL DIGITS "abcdefABCDEF"
#define PLAIN LETTERS DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZ._~:/?@!$&'()*+,;=-"

/* Return the length of a host with its scheme at the beginning of an address; 0 if it has none. */
static size_t
host_length(const char *address)
{
	static const char *const heads[] = {"https://", "http://", "ftp://"};

	for (size_t i = 0; i < lengthof(heads); i++)
		if (strncmp(address, heads[i], strlen(heads[i])) == 0)
			return strlen(heads[i]) + strcspn(address + strlen(heads[i]), "/?#");
	return 0;
}

/* Return whether a host with its scheme is none of those that programs read in different ways. */
static bool
is_host(const char *head)
{
	const char *host = strstr(head, "://") + strlen("://");
	size_t length;

	if (*host == '\0' || *host == ':' || *host == '@' || cat_one_line_has_space(head))
		return false;
	for (const char *c = host; *c; c++)
		if ((unsigned char) *c < ' ' || *c == 0x7F || strchr("<>\"{}|\\^`", *c) ||
			((unsigned char) *c == 0xC2 && (unsigned char) c[1] < 0xA0))
			return false;
	if (host[strcspn(host, "[]")] == '\0')
		return true;
	length = *host == '[' ? 1 + strspn(host + 1, HEXADECIMAL ":.") : 0;
	host += length;
	if (length < 2 || *host != ']')
		return false;
	return host[1] == '\0' || (host[1] == ':' && host[2 + strspn(host + 2, DIGITS)] == '\0');
}

/* Return whether an address without a host is one of mail, a telephone, or a name. */
static bool
is_other(const char *address)
{
	size_t length;

	if (strncmp(address, "tel:", 4) == 0)
		return address[4] != '\0' && strchr("+" DIGITS, address[4]);
	if (strncmp(address, "mailto:", 7) == 0)
	{
		length = 7 + strcspn(address + 7, "@");
		return length > 7 && address[length] == '@' &&
			   !cat_one_line_has_space(pnstrdup(address, length)) && address[length + 1] != '\0' &&
			   !strchr("@ \t\n\v\f\r", address[length + 1]);
	}
	if (strncmp(address, "urn:", 4) != 0)
		return false;
	length = 4 + strspn(address + 4, LETTERS DIGITS "-");
	return length > 4 && address[length] == ':' && address[length + 1] != '\0';
}

/* Return an address in which characters that an IRI may not have are percent-encoded.  Brackets stay in its host,
 * and the first hash. */
static char *
encode(const char *address, size_t host)
{
	const char *hash = strchr(address, '#');
	StringInfoData iri;

	initStringInfo(&iri);
	for (const char *c = address; *c; c++)
		if (*c == '%' && strspn(c + 1, HEXADECIMAL) < 2)
			appendStringInfoString(&iri, "%25");
		else if (strchr(PLAIN "%", *c) || c == hash || (strchr("[]", *c) && c < address + host))
			appendStringInfoChar(&iri, *c);
		else
			appendStringInfo(&iri, "%%%02X", (unsigned char) *c);
	return iri.data;
}

/* Return an address as an IRI, NULL if it is none; its scheme is put in small letters. */
static const char *
iri_of(char *address)
{
	size_t host;

	for (char *c = address; *c && *c != ':'; c++)
		*c = pg_ascii_tolower((unsigned char) *c);
	host = host_length(address);
	if (host > 0 ? !is_host(pnstrdup(address, host)) : !is_other(address))
		return NULL;
	return address[strspn(address, PLAIN)] == '\0' ? address : encode(address, host);
}

const char *
cat_rdf_iri(const char *address)
{
	if (!address || pg_mbstrlen(address) > ADDRESS_MOST)
		return NULL;
	return iri_of(pstrdup(cat_one_line_trim(address)));
}

CAT_FUNCTION(catalogue_rdf_iri)
{
	const char *iri = cat_rdf_iri(text_to_cstring(PG_GETARG_TEXT_PP(ARG_RDF_IRI_ADDRESS)));

	if (!iri)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(iri));
}
