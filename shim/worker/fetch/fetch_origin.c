/*
 * fetch_origin.c - whether a redirect stays with the server that may have the credentials.
 */
#include <strings.h>

#include <curl/curl.h>

#include "fetch/fetch.h"

/* The part of a URL, to be freed; NULL: there is none. */
static char *
url_part(CURLU *url, CURLUPart part)
{
	char *text = NULL;

	return curl_url_get(url, part, &text, CURLU_DEFAULT_PORT) == CURLUE_OK ? text : NULL;
}

/* Have two URLs the same part? */
static bool
same_part(CURLU *a, CURLU *b, CURLUPart part)
{
	char *first = url_part(a, part);
	char *second = url_part(b, part);
	bool same = first != NULL && second != NULL && strcasecmp(first, second) == 0;

	curl_free(first);
	curl_free(second);
	return same;
}

bool
fetch_same_origin(const char *first, const char *second)
{
	CURLU *a = curl_url();
	CURLU *b = curl_url();
	bool same = a != NULL && b != NULL && curl_url_set(a, CURLUPART_URL, first, 0) == CURLUE_OK &&
				curl_url_set(b, CURLUPART_URL, second, 0) == CURLUE_OK &&
				same_part(a, b, CURLUPART_SCHEME) && same_part(a, b, CURLUPART_HOST) &&
				same_part(a, b, CURLUPART_PORT);

	curl_url_cleanup(a);
	curl_url_cleanup(b);
	return same;
}
