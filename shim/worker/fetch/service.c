/*
 * service.c - the request to a remote service: its URL, header fields, SOAP envelope and credentials.
 */
#include <stdarg.h>
#include <time.h>

#include <jwt.h>
#include <libxml/tree.h>
#include <libxml/xmlwriter.h>

#include "fetch/fetch.h"

#define LIFETIME 300 /* seconds that a signed token is valid */

/* Keep the reason that no request can be made; returns false. */
static bool
service_refuse(Service *service, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(service->reason, sizeof(service->reason), format, arguments);
	va_end(arguments);
	return false;
}

/* Add a header field, printed; false with the reason. */
static bool
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

/* Set what a token has that its settings do not say: when it was made, and when it ends. */
static bool
add_times(json_t *claims)
{
	json_int_t now = (json_int_t) time(NULL);

	return (json_object_get(claims, "iat") != NULL ||
			json_object_set_new(claims, "iat", json_integer(now)) == 0) &&
		   (json_object_get(claims, "exp") != NULL ||
			json_object_set_new(claims, "exp", json_integer(now + LIFETIME)) == 0);
}

/* Sign claims; the token, to be freed; NULL: the key does not fit. */
static char *
sign(json_t *claims, const char *key, jwt_alg_t algorithm)
{
	char *text = add_times(claims) ? json_dumps(claims, JSON_COMPACT) : NULL;
	char *token = NULL;
	jwt_t *jwt = NULL;

	if (text != NULL && jwt_new(&jwt) == 0 && jwt_add_grants_json(jwt, text) == 0 &&
		jwt_set_alg(jwt, algorithm, (const unsigned char *) key, (int) strlen(key)) == 0)
		token = jwt_encode_str(jwt);
	jwt_free(jwt);
	free(text);
	return token;
}

/* Add the header field Authorization, with the token of the settings; false with the reason. */
static bool
service_token(Service *service, const json_t *settings)
{
	const char *token = json_string_value(json_object_get(settings, "token"));
	const char *key = json_string_value(json_object_get(settings, "tokenSignature"));
	const char *name = json_string_value(json_object_get(settings, "tokenAlgorithm"));
	jwt_alg_t algorithm = jwt_str_alg(name != NULL && *name != '\0' ? name : "HS256");
	json_t *claims;
	char *signed_token;
	bool good;

	if (key == NULL || *key == '\0')
		return service_header(service, "Authorization: Bearer %s", token);
	if (algorithm == JWT_ALG_NONE || algorithm == JWT_ALG_INVAL)
		return service_refuse(service, "the algorithm of the token is not known");
	claims = json_loads(token, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(claims))
	{
		json_decref(claims);
		return service_refuse(service, "the token that is to be signed is no JSON object");
	}
	signed_token = sign(claims, key, algorithm);
	json_decref(claims);
	if (signed_token == NULL)
		return service_refuse(service, "the token cannot be signed with the key of the service");
	good = service_header(service, "Authorization: Bearer %s", signed_token);
	free(signed_token);
	return good;
}

#define URL_MAXIMUM 65536	   /* bytes of a URL with its parameters */
#define BODY_MAXIMUM (1 << 20) /* so, of an envelope */

/* The text of a value, to be freed; NULL: it is null. */
static char *
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

/*
 * ---- The envelope of a SOAP 1.1 call ----
 *
 * The method is an element of its namespace, and each parameter an element in it: an object has
 * elements of its own, an array is an element for each of its values.  With attributesAsHeaders the
 * parameters are in the header of the envelope.
 */

#define ENVELOPE "http://schemas.xmlsoap.org/soap/envelope/"

#define XML(text) ((const xmlChar *) (text))

typedef struct Envelope
{
	Service *service;
	xmlTextWriter *writer;
	bool good;
} Envelope;

static void
check(Envelope *envelope, int written)
{
	envelope->good &= written >= 0;
}

/* A name that is not one of XML, or a text with a character that XML has not, ends it all. */
static void
start(Envelope *envelope, const char *name)
{
	if (xmlValidateNCName(XML(name), 0) != 0)
		envelope->good =
			service_refuse(envelope->service, "\"%.100s\" is no name of an XML element", name);
	else
		check(envelope, xmlTextWriterStartElement(envelope->writer, XML(name)));
}

static bool
has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char) *text < ' ' && strchr("\t\r\n", *text) == NULL)
			return true;
	return false;
}

static void
write_text(Envelope *envelope, const json_t *value)
{
	char *text = service_text(value);

	if (text != NULL && has_control(text))
		envelope->good =
			service_refuse(envelope->service, "a parameter has a character that XML does not have");
	else if (text != NULL)
		check(envelope, xmlTextWriterWriteString(envelope->writer, XML(text)));
	free(text);
}

static void write_members(Envelope *envelope, const json_t *object);

/* Write a value as an element of the name; NOLINT: JSON is not nested deeper than the body was */
static void
write_value(Envelope *envelope, const char *name,
			const json_t *value) /* NOLINT(misc-no-recursion) */
{
	const json_t *element;
	size_t i;

	if (json_is_array(value))
	{
		json_array_foreach(value, i, element)
			write_value(envelope, name, element);
		return;
	}
	if (envelope->good)
		start(envelope, name);
	if (!envelope->good)
		return;
	if (json_is_object(value))
		write_members(envelope, value);
	else
		write_text(envelope, value);
	check(envelope, xmlTextWriterEndElement(envelope->writer));
}

static void
write_members(Envelope *envelope, const json_t *object) /* NOLINT(misc-no-recursion) */
{
	const char *name;
	const json_t *value;

	json_object_foreach((json_t *) (uintptr_t) object, name, value)
		write_value(envelope, name, value);
}

static void
write_envelope(Envelope *envelope, const json_t *settings)
{
	xmlTextWriter *writer = envelope->writer;
	const char *method = json_string_value(json_object_get(settings, "method"));
	const char *namespace = json_string_value(json_object_get(settings, "namespace"));
	bool in_header = json_is_true(json_object_get(settings, "attributesAsHeaders"));

	check(envelope, xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL));
	check(envelope,
		  xmlTextWriterStartElementNS(writer, XML("soap"), XML("Envelope"), XML(ENVELOPE)));
	if (in_header)
	{
		check(envelope, xmlTextWriterStartElement(writer, XML("soap:Header")));
		write_members(envelope, json_object_get(settings, "parameters"));
		check(envelope, xmlTextWriterEndElement(writer));
	}
	check(envelope, xmlTextWriterStartElement(writer, XML("soap:Body")));
	if (xmlValidateNCName(XML(method), 0) != 0)
		envelope->good =
			service_refuse(envelope->service, "the method is no name of an XML element");
	else
		check(envelope, xmlTextWriterStartElementNS(writer, NULL, XML(method), XML(namespace)));
	if (!in_header)
		write_members(envelope, json_object_get(settings, "parameters"));
	check(envelope, xmlTextWriterEndDocument(writer));
}

/* Write the envelope of a SOAP 1.1 call into the body; false with the reason. */
static bool
service_envelope(Service *service, const json_t *settings)
{
	xmlBuffer *bytes = xmlBufferCreate();
	Envelope envelope = {service, bytes != NULL ? xmlNewTextWriterMemory(bytes, 0) : NULL, true};

	if (envelope.writer != NULL)
	{
		write_envelope(&envelope, settings);
		xmlFreeTextWriter(envelope.writer);
		buffer_append(&service->body, (const char *) xmlBufferContent(bytes),
					  (size_t) xmlBufferLength(bytes));
	}
	else
		envelope.good = false;
	if (bytes != NULL)
		xmlBufferFree(bytes);
	if (!envelope.good && service->reason[0] == '\0')
		return service_refuse(service, "the envelope could not be written");
	return envelope.good;
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
