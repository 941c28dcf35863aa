/*
 * service.c - the request to a remote service: its URL, header fields and credentials.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/fetch.h"

#define URL_MAXIMUM 65536	   /* bytes of a URL with its parameters */
#define BODY_MAXIMUM (1 << 20) /* so, of an envelope */

bool
service_refuse(Service *service, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(service->reason, sizeof(service->reason), format, arguments);
	va_end(arguments);
	return false;
}

bool
service_header(Service *service, const char *format, ...)
{
	va_list arguments;
	char *line = NULL;

	if (service->count == SERVICE_HEADERS)
		return service_refuse(service, "the service has more than %d header fields",
							  SERVICE_HEADERS);
	va_start(arguments, format);
	if (vasprintf(&line, format, arguments) < 0)
		line = NULL;
	va_end(arguments);
	if (line == NULL)
		return service_refuse(service, "there is no memory");
	if (!fetch_header_permitted(line))
	{
		int length = (int) strcspn(line, ":");

		service_refuse(service, "\"%.*s\" cannot be sent as a header field",
					   length < 100 ? length : 100, line);
		free(line);
		return false;
	}
	service->headers[service->count++] = line;
	return true;
}

char *
service_text(const json_t *value)
{
	if (value == NULL || json_is_null(value))
		return NULL;
	return json_is_string(value) ? strdup(json_string_value(value))
								 : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
}

/* The text of a setting; NULL: it is not set. */
static const char *
setting(const json_t *settings, const char *name)
{
	const char *text = json_string_value(json_object_get(settings, name));

	return text != NULL && *text != '\0' ? text : NULL;
}

/* Append a parameter to the query of the URL. */
static void
add_to_query(Service *service, const char *name, const char *text)
{
	bool first = memchr(service->url.data, '?', service->url.length) == NULL;

	buffer_text(&service->url, first ? "?" : "&");
	text_percent_encode(&service->url, name, strlen(name));
	buffer_text(&service->url, "=");
	text_percent_encode(&service->url, text, strlen(text));
}

static bool
add_parameter(Service *service, const char *name, const json_t *value, bool as_header)
{
	char *text = service_text(value);
	bool good = true;

	if (text == NULL)
		return true;
	if (as_header)
		good = service_header(service, "%s: %s", name, text);
	else
		add_to_query(service, name, text);
	free(text);
	return good;
}

/* Add the parameters; an array is a parameter for each of its elements. */
static bool
add_parameters(Service *service, const json_t *settings)
{
	json_t *parameters = json_object_get(settings, "parameters");
	bool as_headers = json_is_true(json_object_get(settings, "attributesAsHeaders"));
	const char *name;
	json_t *value;
	json_t *element;
	size_t i;

	json_object_foreach(parameters, name, value)
	{
		if (!json_is_array(value) && !add_parameter(service, name, value, as_headers))
			return false;
		json_array_foreach(value, i, element)
		{
			if (!add_parameter(service, name, element, as_headers))
				return false;
		}
	}
	return true;
}

/* Ask for what has changed since the last answer. */
static bool
add_conditions(Service *service, const json_t *settings)
{
	const char *etag = setting(settings, "etag");
	const char *modified = setting(settings, "lastModified");

	return (etag == NULL || service_header(service, "If-None-Match: %s", etag)) &&
		   (modified == NULL || service_header(service, "If-Modified-Since: %s", modified));
}

static bool
add_credentials(Service *service, const json_t *settings)
{
	service->request.username = setting(settings, "username");
	service->request.password = setting(settings, "password");
	if (service->request.username != NULL || setting(settings, "token") == NULL)
		return true;
	return service_token(service, settings);
}

static bool
rest_request(Service *service, const json_t *settings)
{
	return add_parameters(service, settings) && add_conditions(service, settings) &&
		   service_header(service, "Accept: application/json, application/xml, text/xml;q=0.9");
}

static bool
soap_request(Service *service, const json_t *settings)
{
	const char *namespace = setting(settings, "namespace");
	const char *method = setting(settings, "method");
	size_t length = namespace != NULL ? strlen(namespace) : 0;

	if (method == NULL || namespace == NULL)
		return service_refuse(service, "the service has no method, or no namespace");
	if (!service_envelope(service, settings))
		return false;
	service->request.body = service->body.data;
	service->request.length = service->body.length;
	return service_header(service, "Content-Type: text/xml; charset=utf-8") &&
		   service_header(service, "Accept: text/xml, application/xml") &&
		   service_header(service, "SOAPAction: \"%s%s%s\"", namespace,
						  namespace[length - 1] == '/' || namespace[length - 1] == '#' ? "" : "/",
						  method);
}

bool
service_request(Service *service, const json_t *settings)
{
	const char *url = setting(settings, "url");
	const char *kind = setting(settings, "kind");
	bool soap = kind != NULL && strcmp(kind, "soap") == 0;
	bool good;

	*service = (Service){0};
	buffer_init(&service->url, URL_MAXIMUM);
	buffer_init(&service->body, BODY_MAXIMUM);
	if (url == NULL)
		return service_refuse(service, "the service has no address");
	buffer_append(&service->url, url, strcspn(url, "#"));
	good = (soap ? soap_request : rest_request)(service, settings) &&
		   add_credentials(service, settings);
	buffer_append(&service->url, "", 1);
	if (good && (service->url.failed || service->body.failed))
		return service_refuse(service, "the request to the service is too long");
	service->request.url = service->url.data;
	service->request.headers = (const char *const *) service->headers;
	return good;
}

void
service_free(Service *service)
{
	for (size_t i = 0; i < service->count; i++)
		free(service->headers[i]);
	buffer_free(&service->url);
	buffer_free(&service->body);
}
