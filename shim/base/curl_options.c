/*
 * curl_options.c - options of libcurl that all requests have.
 */
#include <curl/curl.h>

#include "base/curl_options.h"
#include "base/settings.h"

bool
curl_options_set(void *curl, const char *ca_file)
{
	static const struct
	{
		CURLoption option;
		long value;
	} numbers[] = {{CURLOPT_FOLLOWLOCATION, 0},
				   {CURLOPT_NETRC, CURL_NETRC_IGNORED},
				   {CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
				   {CURLOPT_SSL_VERIFYPEER, 1},
				   {CURLOPT_SSL_VERIFYHOST, 2},
				   {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
				   {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
				   {CURLOPT_NOSIGNAL, 1}};

	for (size_t i = 0; i < lengthof(numbers); i++)
		if (curl_easy_setopt(curl, numbers[i].option, numbers[i].value) != CURLE_OK)
			return false;
	return curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_USERAGENT, "catalogue/" SHIM_VERSION) == CURLE_OK &&
		   (ca_file[0] == '\0' || (curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file) == CURLE_OK &&
								   curl_easy_setopt(curl, CURLOPT_CAPATH, NULL) == CURLE_OK));
}
