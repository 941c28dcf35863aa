/*
 * import_sniff.c
 *	  What a document is that is neither JSON nor RDF, and where a catalogue may be instead.
 *
 * The answers are parts of messages, so they have ASCII only, and what they take from the document is
 * bounded.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "base/byte_order_mark.h"
#include "import/document_internal.h"

#define HEAD_MAX (256 * 1024) /* bytes that are looked at */
#define LINKS_MAX 3			  /* of a web page that are told */
#define ADDRESS_MAX 100		  /* bytes of the address of one */
#define NAME_MAX_TOLD 60	  /* bytes of the name of an element */
#define BLANKS " \t\r\n\f"

static const char usual[] = "a catalogue is often at /data.json, /catalog.ttl, /catalog.jsonld or "
							"/api/3/action/package_search";

/* Return whether a text begins so, in any case. */
static bool
begins(const char *text, const char *start)
{
	return pg_strncasecmp(text, start, strlen(start)) == 0;
}

/* Return what follows a text in another, or the end of the text. */
static const char *
behind(const char *text, const char *sought)
{
	const char *found = strstr(text, sought);

	return found ? found + strlen(sought) : text + strlen(text);
}

/* ---- Links of a web page ---- */

/* Read an attribute of a tag, and go on behind it; false: the tag ends. */
static bool
next_attribute(const char **at, char **name, char **value)
{
	const char *text = *at + strspn(*at, BLANKS "/");
	size_t length = strcspn(text, BLANKS "/>=");

	if (*text == '>' || *text == '\0')
		return false;
	*name = pnstrdup(text, length);
	*value = pstrdup("");
	text += length + strspn(text + length, BLANKS);
	if (*text == '=')
	{
		char quote[2] = {0};

		text += 1 + strspn(text + 1, BLANKS);
		if (*text == '"' || *text == '\'')
			quote[0] = *text++;
		length = strcspn(text, quote[0] ? quote : BLANKS ">");
		*value = pnstrdup(text, length);
		text += length + (quote[0] && text[length] == quote[0]);
	}
	*at = text;
	return true;
}

/* Return whether a value of rel has a word. */
static bool
has_word(const char *words, const char *word)
{
	while (*(words += strspn(words, BLANKS)) != '\0')
	{
		size_t length = strcspn(words, BLANKS);

		if (length == strlen(word) && pg_strncasecmp(words, word, length) == 0)
			return true;
		words += length;
	}
	return false;
}

/* Return the media type of a catalogue that a value of type is, NULL if it is none. */
static const char *
type_of(const char *value)
{
	static const char *const types[] = {"application/ld+json", "text/turtle", "application/rdf+xml",
										"application/json"};

	for (size_t i = 0; i < lengthof(types); i++)
		if (begins(value, types[i]) && strchr(BLANKS ";", value[strlen(types[i])]))
			return types[i];
	return NULL;
}

/* Return whether an address can be told as it is; "&amp;" in it becomes "&". */
static bool
is_printable(char *address)
{
	char *to = address;

	for (const char *from = address; *from != '\0'; from++)
	{
		if (*from <= ' ' || *from > '~' || strchr("\"'<>\\`", *from))
			return false;
		*to++ = *from;
		from += begins(from, "&amp;") ? strlen("amp;") : 0;
	}
	*to = '\0';
	return *address != '\0' && strlen(address) <= ADDRESS_MAX;
}

/* Append the address and type of a link that leads to a catalogue, and go on behind its tag; *at: what
 * follows "<link". */
static bool
append_link(StringInfo links, const char **at)
{
	const char *type = NULL;
	char *address = NULL;
	bool alternate = false;
	char *name;
	char *value;

	while (next_attribute(at, &name, &value))
	{
		if (pg_strcasecmp(name, "rel") == 0)
			alternate = has_word(value, "alternate");
		else if (pg_strcasecmp(name, "type") == 0)
			type = type_of(value);
		else if (pg_strcasecmp(name, "href") == 0)
			address = value;
	}
	if (!alternate || !type || !address || !is_printable(address))
		return false;
	appendStringInfo(links, "%s%s (%s)", links->len > 0 ? ", " : "", address, type);
	return true;
}

/* Return the links in the head of a page that lead to a catalogue, "" for none. */
static const char *
links_of(const char *page)
{
	StringInfo links = makeStringInfo();
	bool script = false;
	int count = 0;

	while (count < LINKS_MAX && (page = strchr(page, '<')) != NULL)
	{
		bool link = begins(page, "<link") && page[5] != '\0' && strchr(BLANKS, page[5]);

		CHECK_FOR_INTERRUPTS();
		if (begins(page, "</script"))
			script = false;
		else if (begins(page, "<script"))
			script = true;
		else if (!script && (begins(page, "</head") || begins(page, "<body")))
			break;
		else if (!script && link)
		{
			page += 5;
			count += append_link(links, &page);
			continue;
		}
		page = !script && begins(page, "<!--") ? behind(page, "-->") : page + 1;
	}
	return links->data;
}

/* ---- Forms ---- */

/* Return the tag with which a document of XML or HTML begins, or the document type of a page. */
static const char *
root_of(const char *text)
{
	for (;;)
	{
		text += strspn(text, BLANKS);
		if (begins(text, "<?"))
			text = behind(text, "?>");
		else if (begins(text, "<!--"))
			text = behind(text, "-->");
		else if (begins(text, "<!") && !begins(text, "<!doctype html"))
		{
			text += strcspn(text, "[>");
			text = behind(*text == '[' ? behind(text, "]") : text, ">");
		}
		else
			return text;
	}
}

/* Return what markup is, NULL if it may be RDF. */
static const char *
sniff_markup(const char *text)
{
	const char *root = root_of(text);
	size_t length = strcspn(root + (*root == '<'), BLANKS "/>");
	char *name = pnstrdup(root + (*root == '<'), length);

	if (begins(root, "<!doctype html") || begins(root, "<html") || begins(root, "<head") ||
		begins(root, "<body"))
	{
		const char *links = links_of(root);

		return *links != '\0' ? psprintf("it is a web page, which leads to %s", links)
							  : psprintf("it is a web page; %s", usual);
	}
	/* an IRI of Turtle, or RDF/XML */
	if (length == 0 || strchr(name, ':') == name + length - 1 ||
		strcmp(cat_import_local_name(name), "RDF") == 0)
		return NULL;
	if (strstr(text, "isotc211.org/2005/g") || strstr(text, "standards.iso.org/iso/19115"))
		return psprintf("it is ISO 19139 metadata, which is not read yet; %s", usual);
	if (length > NAME_MAX_TOLD ||
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789.:_-") != length)
		name = "?";
	return psprintf("it is XML of another kind, with the element \"%s\"; %s", name, usual);
}

/* Return whether the first two lines have the same separator between cells. */
static bool
is_table(const char *text)
{
	size_t length = strcspn(text, "\r\n");
	const char *next = text + length + strspn(text + length, "\r\n");
	size_t next_length = strcspn(next, "\r\n");

	for (const char *separator = ",;\t"; *separator != '\0'; separator++)
		if (memchr(text, *separator, length) && memchr(next, *separator, next_length))
			return true;
	return false;
}

/* Return whether a text may be a value of JSON, or Turtle. */
static bool
may_be_read(const char *text)
{
	static const char *const beginnings[] = {"{",  "[", "@prefix", "@base", "prefix ", "base <",
											 "_:", "#", "true",	   "false", "null"};

	for (size_t i = 0; i < lengthof(beginnings); i++)
		if (begins(text, beginnings[i]))
			return true;
	return false;
}

const char *
cat_import_sniff(const char *text)
{
	const char *head;

	text += byte_order_mark_length(text);
	text += strspn(text, BLANKS);
	if (may_be_read(text))
		return NULL;
	head = pnstrdup(text, HEAD_MAX);
	if (*head == '\0')
		return psprintf("it is empty; %s", usual);
	if (*head == '<')
		return sniff_markup(head);
	if (is_table(head))
		return psprintf("it is a table, such as CSV; %s", usual);
	return strchr("\"-0123456789", *head) ? NULL
										  : psprintf("it is neither JSON nor RDF; %s", usual);
}
