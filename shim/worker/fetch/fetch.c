/*
 * fetch.c - one request, the redirects that it meets, and the addresses that it may connect to.
 *
 * libcurl follows no redirect by itself: each hop is a new transfer on a connection of its own, with
 * the same limits, and with what is left of the time.
 */
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/address.h"
#include "base/curl_options.h"
#include "fetch/fetch.h"

/*
 * What is not public, after the registries of special-purpose addresses of IANA.  Of IPv6 only
 * 2000::/3 is public, but for ranges in it; of the rest, 64:ff9b::/96 and 64:ff9b:1::/48 (NAT64)
 * contain addresses of IPv4, as do 2002::/16 (6to4) and 2001::/32 (Teredo) of the others.
 */
#define NOT_PUBLIC                                                                              \
	"0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,172.16.0.0/12,192.0.0.0/24," \
	"192.0.2.0/24,192.88.99.0/24,192.168.0.0/16,198.18.0.0/15,198.51.100.0/24,203.0.113.0/24,"  \
	"224.0.0.0/3,::/3,2001::/23,2001:db8::/32,2002::/16,3fff::/20,4000::/2,8000::/1"

/*
 * May a socket connect to this address?  It is public, or one of the setting
 * fetch_allowed_addresses.
 */
static bool
fetch_address_permitted(const Settings *settings, const struct sockaddr *address)
{
	Networks *refused = address_networks(NOT_PUBLIC);
	Address read;
	bool permitted = refused != NULL && address_of_socket(address, &read) &&
					 (!address_among(refused, &read) || address_among(settings->reachable, &read));

	free(refused);
	return permitted;
}

#define NAME_MAXIMUM 64 /* bytes of the name of a field */

/* Fields that libcurl sets, and those that are about the connection (RFC 9110, 7.6). */
static const char reserved[] = "connection,content-encoding,content-length,expect,host,keep-alive,"
							   "te,trailer,transfer-encoding,"
							   "upgrade,proxy-connection,proxy-authorization,range,accept-encoding";

bool
fetch_header_permitted(const char *line)
{
	size_t length = strcspn(line, ":");
	char name[NAME_MAXIMUM + 1];

	if (length == 0 || length > NAME_MAXIMUM || line[length] == '\0')
		return false;
	memcpy(name, line, length);
	name[length] = '\0';
	if (!text_is_token(name) || text_has_word(reserved, name))
		return false;
	for (const char *at = line + length + 1; *at != '\0'; at++)
		if (((unsigned char) *at < ' ' && *at != '\t') || *at == 0x7F)
			return false;
	return true;
}

/* A URL of which only scheme, host and port are left, to be freed; NULL: it is malformed. */
static char *
origin_of(const char *text)
{
	static const CURLUPart others[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS,
									   CURLUPART_PATH, CURLUPART_QUERY,	   CURLUPART_FRAGMENT};
	CURLU *url = curl_url();
	bool good = url != NULL && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK;
	char *origin = NULL;

	for (size_t i = 0; good && i < lengthof(others); i++)
		good = curl_url_set(url, others[i], NULL, 0) == CURLUE_OK;
	if (good)
		curl_url_get(url, CURLUPART_URL, &origin, CURLU_DEFAULT_PORT);
	curl_url_cleanup(url);
	return origin;
}

/* Have two URLs the same scheme, host and port? */
static bool
fetch_same_origin(const char *first, const char *second)
{
	char *a = origin_of(first);
	char *b = origin_of(second);
	bool same = a != NULL && b != NULL && strcasecmp(a, b) == 0;

	curl_free(a);
	curl_free(b);
	return same;
}

#define CONNECT_TIMEOUT 10000 /* milliseconds */
#define SLOW_RATE 100L		  /* bytes a second, of which an answer must have more */
#define SLOW_TIME 15L		  /* within so many seconds */
#define HEADERS_MAXIMUM 65536 /* bytes of all header fields of an answer */

/* One hop. */
typedef struct Transfer
{
	CURL *curl;
	const Settings *settings;
	const FetchRequest *request;
	FetchReply *reply;
	int64_t maximum;
	size_t head;		/* bytes of header fields that have come */
	bool connecting;	/* a socket was opened */
	bool forbidden;		/* an address was not permitted */
	FetchEnd how;		/* where it was given up */
	const char *reason; /* why it was; NULL: it was not */
	char coding[192];	/* the reason, where it is a content coding */
} Transfer;

static FetchEnd
end(FetchReply *reply, FetchEnd how, const char *reason)
{
	snprintf(reply->reason, sizeof(reply->reason), "%s", reason);
	return how;
}

/* Open the socket for an address, unless that is not permitted. */
static curl_socket_t
open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
	Transfer *transfer = data;

	if (purpose == CURLSOCKTYPE_IPCXN &&
		fetch_address_permitted(transfer->settings, &address->addr))
	{
		transfer->connecting = true;
		return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	}
	transfer->forbidden = true;
	return CURL_SOCKET_BAD;
}

/* Give the transfer up; returns what libcurl takes for a fault of a callback. */
static size_t
give_up(Transfer *transfer, FetchEnd how, const char *reason)
{
	transfer->how = how;
	transfer->reason = reason;
	return 0;
}

/* Keep the value of a header field where a line is one of this name and the value fits. */
static void
keep_field(const char *line, size_t length, const char *name, char *space, size_t size)
{
	size_t start = strlen(name);

	if (length <= start || strncasecmp(line, name, start) != 0)
		return;
	while (start < length && (line[start] == ' ' || line[start] == '\t'))
		start++;
	while (length > start && strchr(" \t\r\n", line[length - 1]) != NULL)
		length--;
	if (length - start < size && memchr(line + start, '\0', length - start) == NULL)
		snprintf(space, size, "%.*s", (int) (length - start), line + start);
}

/* Can this libcurl decode a content coding? */
static bool
is_decoded(const char *coding, size_t length)
{
	static const struct
	{
		const char *name;
		int feature;
	} codings[] = {{"identity", 0},
				   {"gzip", CURL_VERSION_LIBZ},
				   {"x-gzip", CURL_VERSION_LIBZ},
				   {"deflate", CURL_VERSION_LIBZ},
				   {"br", CURL_VERSION_BROTLI},
				   {"zstd", CURL_VERSION_ZSTD}};
	int features = curl_version_info(CURLVERSION_NOW)->features;

	for (size_t i = 0; i < lengthof(codings); i++)
		if (strlen(codings[i].name) == length && strncasecmp(coding, codings[i].name, length) == 0)
			return (features & codings[i].feature) == codings[i].feature;
	return false;
}

/* Set the reason where a line names a content coding that cannot be decoded; false: it does. */
static bool
check_coding(Transfer *transfer, const char *line, size_t length)
{
	char codings[128] = "";
	const char *at = codings;

	keep_field(line, length, "Content-Encoding:", codings, sizeof(codings));
	while (*(at += strspn(at, ", \t")) != '\0')
	{
		size_t size = strcspn(at, ", \t");

		if (!is_decoded(at, size))
		{
			snprintf(transfer->coding, sizeof(transfer->coding),
					 "the answer is compressed by \"%.*s\", which libcurl cannot decode here",
					 text_token_length(at, size) == size ? (int) size : 0, at);
			return false;
		}
		at += size;
	}
	return true;
}

static size_t
take_header(char *line, size_t size, size_t count, void *data)
{
	Transfer *transfer = data;
	FetchReply *reply = transfer->reply;
	size_t length = size * count;

	transfer->head += length;
	if (transfer->head > HEADERS_MAXIMUM)
		return give_up(transfer, FETCH_REFUSED, "the header of the answer is too long");
	/* a status line: what came before it belongs to an interim answer */
	if (length > 5 && strncmp(line, "HTTP/", 5) == 0)
		reply->content_type[0] = reply->etag[0] = reply->last_modified[0] = reply->link[0] = '\0';
	if (transfer->request->take != NULL && !check_coding(transfer, line, length))
		return give_up(transfer, FETCH_REFUSED, transfer->coding);
	keep_field(line, length, "Content-Type:", reply->content_type, sizeof(reply->content_type));
	keep_field(line, length, "ETag:", reply->etag, sizeof(reply->etag));
	keep_field(line, length, "Last-Modified:", reply->last_modified, sizeof(reply->last_modified));
	/* of several fields the one with the next page */
	if (strstr(reply->link, "next") == NULL)
		keep_field(line, length, "Link:", reply->link, sizeof(reply->link));
	return length;
}

/* Is it a redirect that is to be followed? */
static bool
is_redirect(const Transfer *transfer, long status)
{
	return transfer->request->body == NULL &&
		   (status == 301 || status == 302 || status == 303 || status == 307 || status == 308);
}

static size_t
take_body(char *bytes, size_t size, size_t count, void *data)
{
	Transfer *transfer = data;
	const FetchRequest *request = transfer->request;
	size_t length = size * count;
	long status = 0;

	transfer->reply->length += (int64_t) length;
	if (transfer->reply->length > transfer->maximum)
		return give_up(transfer, FETCH_REFUSED, "the answer is too large");
	curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
	if (is_redirect(transfer, status) || request->take == NULL)
		return length;
	if (request->take(request->target, bytes, length))
		return length;
	return give_up(transfer, FETCH_FAILED, "the answer could not be stored");
}

/* The header fields of the request, to be freed by libcurl; false with a reason. */
static bool
add_headers(const FetchRequest *request, FetchReply *reply, struct curl_slist **list)
{
	for (size_t i = 0; request->headers != NULL && request->headers[i] != NULL; i++)
	{
		const char *line = request->headers[i];
		struct curl_slist *longer;

		if (!fetch_header_permitted(line))
		{
			end(reply, FETCH_REFUSED, "a header field is not permitted");
			return false;
		}
		longer = curl_slist_append(*list, line);
		if (longer == NULL)
		{
			end(reply, FETCH_FAILED, "there is no memory");
			return false;
		}
		*list = longer;
	}
	return true;
}

/* Set what all transfers have in common; false: this libcurl lacks an option. */
static bool
set_limits(Transfer *transfer, int64_t left)
{
	const struct
	{
		CURLoption option;
		long value;
	} numbers[] = {
		{CURLOPT_FRESH_CONNECT, 1},
		{CURLOPT_FORBID_REUSE, 1},
		{CURLOPT_TIMEOUT_MS, (long) left},
		{CURLOPT_CONNECTTIMEOUT_MS, left < CONNECT_TIMEOUT ? (long) left : CONNECT_TIMEOUT},
		{CURLOPT_LOW_SPEED_LIMIT, SLOW_RATE},
		{CURLOPT_LOW_SPEED_TIME, SLOW_TIME}};
	CURL *curl = transfer->curl;

	for (size_t i = 0; i < lengthof(numbers); i++)
		if (curl_easy_setopt(curl, numbers[i].option, numbers[i].value) != CURLE_OK)
			return false;
	return curl_options_set(curl, transfer->settings->fetch_ca_file) &&
		   curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, transfer) == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header) == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_HEADERDATA, transfer) == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer) == CURLE_OK;
}

/* Set what is asked for; trusted: the server may have the header fields and the credentials. */
static bool
set_request(Transfer *transfer, const char *url, struct curl_slist *headers, bool trusted)
{
	const FetchRequest *request = transfer->request;
	CURL *curl = transfer->curl;
	bool good = curl_easy_setopt(curl, CURLOPT_URL, url) == CURLE_OK;

	if (request->body != NULL)
		good = good && curl_easy_setopt(curl, CURLOPT_POST, 1L) == CURLE_OK &&
			   curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body) == CURLE_OK &&
			   curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) request->length) ==
				   CURLE_OK;
	/* all codings that libcurl has; what is dropped needs none */
	if (request->take != NULL)
		good = good && curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "") == CURLE_OK;
	if (!trusted)
		return good;
	if (request->username != NULL)
		good = good && curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC) == CURLE_OK &&
			   curl_easy_setopt(curl, CURLOPT_USERNAME, request->username) == CURLE_OK &&
			   curl_easy_setopt(curl, CURLOPT_PASSWORD,
								request->password != NULL ? request->password : "") == CURLE_OK;
	return good && curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers) == CURLE_OK;
}

static const char not_decoded[] = "the answer cannot be decompressed";

/* How a transfer ended that has no answer. */
static FetchEnd
fail(const Transfer *transfer, CURLcode code)
{
	static const struct
	{
		CURLcode code;
		FetchEnd how;
		const char *reason;
	} ends[] = {
		{CURLE_UNSUPPORTED_PROTOCOL, FETCH_REFUSED, "its address is no http: or https: URL"},
		{CURLE_URL_MALFORMAT, FETCH_REFUSED, "its address is malformed"},
		{CURLE_LOGIN_DENIED, FETCH_REFUSED, "its address has a user name in it"},
		{CURLE_COULDNT_RESOLVE_HOST, FETCH_FAILED, "the name of its server is not known"},
		{CURLE_COULDNT_CONNECT, FETCH_FAILED, "its server does not take connections"},
		{CURLE_OPERATION_TIMEDOUT, FETCH_FAILED, "its server takes too long"},
		{CURLE_GOT_NOTHING, FETCH_FAILED, "its server gives no answer"},
		{CURLE_PARTIAL_FILE, FETCH_FAILED, "the answer ends too early"},
		{CURLE_BAD_CONTENT_ENCODING, FETCH_FAILED, not_decoded},
		/* what a decoder does not take, since take_body() gives a reason */
		{CURLE_WRITE_ERROR, FETCH_FAILED, not_decoded},
		{CURLE_WEIRD_SERVER_REPLY, FETCH_FAILED, "its server does not answer in HTTP"},
		{CURLE_PEER_FAILED_VERIFICATION, FETCH_REFUSED,
		 "the certificate of its server is not to be trusted"},
		{CURLE_SSL_CACERT_BADFILE, FETCH_FAILED,
		 "the file of the setting fetch_ca_file is no good"},
		{CURLE_SSL_CONNECT_ERROR, FETCH_FAILED, "no secure connection to its server can be made"},
	};

	/* HTTP/0.9, which is what a server speaks that sends no status line, is a protocol as well */
	if (code == CURLE_UNSUPPORTED_PROTOCOL && transfer->connecting)
		code = CURLE_WEIRD_SERVER_REPLY;
	if (transfer->reason != NULL)
		return end(transfer->reply, transfer->how, transfer->reason);
	if (transfer->forbidden)
		return end(transfer->reply, FETCH_REFUSED, "the address of its server is not permitted");
	for (size_t i = 0; i < lengthof(ends); i++)
		if (ends[i].code == code)
			return end(transfer->reply, ends[i].how, ends[i].reason);
	return end(transfer->reply, FETCH_FAILED, curl_easy_strerror(code));
}

/* Where a redirect leads, to be freed; NULL with a reason. */
static char *
next_url(Transfer *transfer, const char *from)
{
	char *target = NULL;

	curl_easy_getinfo(transfer->curl, CURLINFO_REDIRECT_URL, &target);
	if (target == NULL)
		end(transfer->reply, FETCH_REFUSED, "its server redirects nowhere");
	else if (strncasecmp(from, "https:", 6) == 0 && strncasecmp(target, "https:", 6) != 0)
		end(transfer->reply, FETCH_REFUSED, "its server redirects to an insecure address");
	else
		return strdup(target);
	return NULL;
}

/*
 * One hop.  With a redirect *next is where it leads, to be freed; it is NULL when the request has
 * ended.
 */
static FetchEnd
hop(Transfer *transfer, const char *url, struct curl_slist *headers, int64_t until, char **next)
{
	int64_t left = until - clock_now();
	bool trusted = fetch_same_origin(transfer->request->url, url);
	FetchEnd how = FETCH_REFUSED;
	CURLcode code;

	if (left <= 0)
		return fail(transfer, CURLE_OPERATION_TIMEDOUT);
	transfer->head = 0;
	transfer->connecting = transfer->forbidden = false;
	transfer->reply->length = 0;
	transfer->curl = curl_easy_init();
	if (transfer->curl == NULL || !set_limits(transfer, left) ||
		!set_request(transfer, url, headers, trusted))
	{
		curl_easy_cleanup(transfer->curl);
		return end(transfer->reply, FETCH_FAILED, "the request could not be prepared");
	}
	code = curl_easy_perform(transfer->curl);
	curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &transfer->reply->status);
	if (code != CURLE_OK)
		how = fail(transfer, code);
	else if (!is_redirect(transfer, transfer->reply->status))
		how = FETCH_DONE;
	else
		*next = next_url(transfer, url);
	curl_easy_cleanup(transfer->curl);
	return how;
}

/* The request and its redirects. */
static FetchEnd
follow(Transfer *transfer, struct curl_slist *headers)
{
	const FetchRequest *request = transfer->request;
	int64_t timeout = request->timeout != 0 ? request->timeout : transfer->settings->fetch_timeout;
	int64_t until = clock_now() + timeout;
	char *url = strdup(request->url);
	FetchEnd how = FETCH_FAILED;

	for (int hops = 0; url != NULL; hops++)
	{
		char *next = NULL;

		how = hop(transfer, url, headers, until, &next);
		free(url);
		url = next;
		if (url == NULL || hops < FETCH_REDIRECTS)
			continue;
		how = end(transfer->reply, FETCH_REFUSED, "its server redirects too often");
		free(url);
		url = NULL;
	}
	return how;
}

FetchEnd
fetch(const Settings *settings, const FetchRequest *request, FetchReply *reply)
{
	Transfer transfer = {.settings = settings,
						 .request = request,
						 .reply = reply,
						 .maximum =
							 request->maximum != 0 ? request->maximum : settings->fetch_limit};
	struct curl_slist *headers = NULL;
	FetchEnd how = FETCH_REFUSED;

	*reply = (FetchReply){0};
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return end(reply, FETCH_FAILED, "the request could not be prepared");
	if (add_headers(request, reply, &headers))
		how = follow(&transfer, headers);
	curl_slist_free_all(headers);
	curl_global_cleanup();
	return how;
}
