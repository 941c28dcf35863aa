/*
 * rdf.c - RDF by libraptor2: its triples as JSON.
 *
 * The library calls back for each triple and each fault.  A callback does not jump out of it: it
 * keeps the reason, and the reading ends after the piece that is parsed.
 */
#include <stdarg.h>

#include "rdf/raptor.h"
#include "rdf/rdf.h"

#define TRIPLES_MAXIMUM 5000000
#define CHUNK (256 << 10)		  /* bytes of the triples in a frame */
#define PIECE (64 << 10)		  /* bytes that are parsed at once */
#define ADDRESS_MAXIMUM 4000	  /* bytes of the address of the document */
#define LITERAL_MAXIMUM (1 << 20) /* bytes of a literal */
#define TRIPLE_MAXIMUM (8 << 20)  /* bytes of a triple as JSON */
/*
 * Bytes without a triple, which the library keeps.  Of RDF/XML these are those of a literal or a name;
 * Turtle is parsed when all of it has come.
 */
#define KEPT_MAXIMUM (32 << 20)
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"
#define XSD_STRING "http://www.w3.org/2001/XMLSchema#string"

typedef struct Rdf
{
	Parse *parse;
	uint32_t count;	 /* of triples */
	Buffer out;		 /* triples that are not sent yet */
	XmlGuard *guard; /* NULL: the document is not XML */
	raptor_world *world;
	raptor_parser *parser;
	raptor_uri *base;
	bool parsing;	  /* the library is on the stack */
	size_t idle;	  /* bytes that were parsed since the last triple */
	uint32_t address; /* hash of the address, in the ids of blank nodes */
	Buffer triple;	  /* JSON of one */
	char piece[PIECE];
	char reason[REASON_MAXIMUM]; /* why the document cannot be read; empty: it can */
} Rdf;

/* Keep the first reason. */
static void __attribute__((format(printf, 2, 3))) fail(Rdf *rdf, const char *format, ...)
{
	va_list arguments;

	if (rdf->reason[0] != '\0')
		return;
	va_start(arguments, format);
	vsnprintf(rdf->reason, sizeof(rdf->reason), format, arguments);
	va_end(arguments);
}

/* Take a message of the library; what it only warns of is read. */
static void
take_message(void *data, raptor_log_message *message)
{
	Rdf *rdf = data;
	int line = message->locator != NULL ? message->locator->line : -1;

	if (message->level < RAPTOR_LOG_LEVEL_ERROR)
		return;
	if (line > 0)
		fail(rdf, "line %d: %s", line, message->text);
	else
		fail(rdf, "%s", message->text);
}

/* Append a text as a JSON string. */
static void
add_string(Rdf *rdf, const unsigned char *bytes, size_t length)
{
	const char *text = (const char *) bytes;

	if (memchr(text, '\0', length) != NULL || !text_valid_utf8(text, length))
		fail(rdf, "it has a character that cannot be stored");
	else
		buffer_json(&rdf->triple, text, length);
}

static void
add_uri(Rdf *rdf, raptor_uri *uri)
{
	size_t length;
	const unsigned char *text = raptor_uri_as_counted_string(uri, &length);

	add_string(rdf, text, length);
}

static bool
is_string(raptor_uri *type)
{
	size_t length;

	return strcmp((const char *) raptor_uri_as_counted_string(type, &length), XSD_STRING) == 0;
}

/* Append a literal: a string where it has neither a language nor a type besides that of strings. */
static void
add_literal(Rdf *rdf, const raptor_term_literal_value *literal)
{
	bool typed = literal->datatype != NULL && !is_string(literal->datatype);

	if (literal->string_len > LITERAL_MAXIMUM)
		fail(rdf, "it has a literal of more than %d bytes", LITERAL_MAXIMUM);
	if (rdf->reason[0] != '\0')
		return;
	if (literal->language != NULL || typed)
		buffer_text(&rdf->triple, "{\"@value\":");
	add_string(rdf, literal->string, literal->string_len);
	if (literal->language != NULL)
	{
		buffer_text(&rdf->triple, ",\"@language\":");
		add_string(rdf, literal->language, strlen((const char *) literal->language));
		buffer_text(&rdf->triple, "}");
	}
	else if (typed)
	{
		buffer_text(&rdf->triple, ",\"@type\":");
		add_uri(rdf, literal->datatype);
		buffer_text(&rdf->triple, "}");
	}
}

/* Append the id of a blank node. */
static void
add_blank(Rdf *rdf, const raptor_term_blank_value *blank)
{
	Buffer *id = &rdf->parse->cell;

	buffer_clear(id);
	buffer_format(id, "_:%08x.", rdf->address);
	buffer_append(id, (const char *) blank->string, blank->string_len);
	if (id->failed)
		fail(rdf, "it has a blank node with a name that is too long");
	else
		add_string(rdf, (const unsigned char *) id->data, id->length);
}

/* Append the IRI of a term, or the id of a blank node. */
static void
add_id(Rdf *rdf, const raptor_term *term)
{
	if (term->type == RAPTOR_TERM_TYPE_URI)
		add_uri(rdf, term->value.uri);
	else
		add_blank(rdf, &term->value.blank);
}

/* Send the triples. */
static void
send_triples(Rdf *rdf)
{
	Buffer *frame = frame_begin(rdf->parse, FRAME_CHUNK);

	buffer_append(frame, rdf->out.data, rdf->out.length);
	buffer_clear(&rdf->out);
	frame_send(rdf->parse);
}

static void
take_triple(void *data, raptor_statement *statement)
{
	Rdf *rdf = data;
	const raptor_term *object = statement->object;

	rdf->idle = 0;
	buffer_clear(&rdf->triple);
	buffer_text(&rdf->triple, rdf->count++ == 0 ? "[[" : ",[");
	add_id(rdf, statement->subject);
	buffer_text(&rdf->triple, ",");
	add_id(rdf, statement->predicate);
	buffer_text(&rdf->triple, object->type == RAPTOR_TERM_TYPE_LITERAL ? "," : ",{\"@id\":");
	if (object->type == RAPTOR_TERM_TYPE_LITERAL)
		add_literal(rdf, &object->value.literal);
	else
		add_id(rdf, object);
	buffer_text(&rdf->triple, object->type == RAPTOR_TERM_TYPE_LITERAL ? "]" : "}]");
	if (rdf->triple.failed)
		fail(rdf, "it takes more memory to read than a document may have");
	if (rdf->count > TRIPLES_MAXIMUM)
		fail(rdf, "it has more than %d statements", TRIPLES_MAXIMUM);
	if (rdf->reason[0] != '\0')
		return;
	buffer_append(&rdf->out, rdf->triple.data, rdf->triple.length);
	if (rdf->out.length >= CHUNK)
		send_triples(rdf);
}

/* Release the objects of the library, unless it was left in the middle of a piece. */
static void
close_all(Parse *parse)
{
	Rdf *rdf = parse->open;

	buffer_free(&rdf->triple);
	buffer_free(&rdf->out);
	xml_guard_close(rdf->guard);
	if (rdf->parsing)
		return;
	raptor_free_parser(rdf->parser);
	raptor_free_uri(rdf->base);
	raptor_free_world(rdf->world);
}

/* Make a parser that loads nothing. */
static void
open_parser(Rdf *rdf, const char *form, const char *address)
{
	static const struct
	{
		raptor_option option;
		int value;
	} options[] = {{RAPTOR_OPTION_NO_NET, 1},
				   {RAPTOR_OPTION_NO_FILE, 1},
				   {RAPTOR_OPTION_LOAD_EXTERNAL_ENTITIES, 0}};
	char blank[] = "."; /* begins no name of a blank node in a document */
	bool good;

	rdf->world = raptor_new_world_internal(RAPTOR_VERSION);
	if (rdf->world == NULL)
		parse_refuse(rdf->parse, "there is no memory");
	raptor_world_set_flag(rdf->world, RAPTOR_WORLD_FLAG_WWW_SKIP_INIT_FINISH, 1);
	raptor_world_set_log_handler(rdf->world, rdf, take_message);
	raptor_world_set_generate_bnodeid_parameters(rdf->world, blank, 1);
	rdf->parser = raptor_new_parser(rdf->world, form);
	rdf->base = raptor_new_uri(rdf->world, (const unsigned char *) address);
	good = rdf->parser != NULL && rdf->base != NULL;
	for (size_t i = 0; good && i < lengthof(options); i++)
		good =
			raptor_parser_set_option(rdf->parser, options[i].option, NULL, options[i].value) == 0;
	if (!good)
		parse_refuse(rdf->parse, "there is no memory");
	raptor_parser_set_statement_handler(rdf->parser, rdf, take_triple);
}

/* Read until the end of the first line, which is returned; got: the bytes that were read. */
static char *
read_line(Rdf *rdf, size_t *got)
{
	char *end = NULL;

	*got = 0;
	while (end == NULL && *got <= ADDRESS_MAXIMUM)
	{
		size_t more = parse_read(rdf->parse, rdf->piece + *got, PIECE - *got);

		if (more == 0)
			break;
		*got += more;
		end = memchr(rdf->piece, '\n', *got);
	}
	if (end == NULL)
		parse_refuse(rdf->parse, "the address of the document is missing");
	return end;
}

/* Read the first line of the input, and begin with the bytes behind it; the address must be freed
 * with the memory of the reading. */
static char *
read_address(Rdf *rdf, size_t *length)
{
	Parse *parse = rdf->parse;
	size_t got;
	char *end = read_line(rdf, &got);
	char *address;

	*end = '\0';
	address = parse_allocate(parse, (size_t) (end - rdf->piece) + 1);
	strcpy(address, rdf->piece);
	end++;
	*length = got - (size_t) (end - rdf->piece);
	if (*length >= strlen(BYTE_ORDER_MARK) &&
		memcmp(end, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
	{
		end += strlen(BYTE_ORDER_MARK);
		*length -= strlen(BYTE_ORDER_MARK);
	}
	memmove(rdf->piece, end, *length);
	return address;
}

/* Parse the bytes of a piece; with none, the end. */
static void
parse_piece(Rdf *rdf, size_t length)
{
	const char *refused =
		rdf->guard != NULL ? xml_guard_take(rdf->guard, rdf->piece, length, length == 0) : NULL;
	int fault;

	if (refused != NULL)
		parse_refuse(rdf->parse, "%s", refused);
	rdf->idle += length;
	rdf->parsing = true;
	fault = raptor_parser_parse_chunk(rdf->parser, (const unsigned char *) rdf->piece, length,
									  length == 0);
	rdf->parsing = false;
	if (fault != 0)
		fail(rdf, "it is not valid");
	if (rdf->idle > KEPT_MAXIMUM)
		fail(rdf,
			 rdf->guard == NULL ? "it has more than %d bytes"
								: "it has more than %d bytes without a statement",
			 KEPT_MAXIMUM);
	if (rdf->reason[0] != '\0')
		parse_refuse(rdf->parse, "%s", rdf->reason);
}

/* Begin: what the reading needs is released at its end. */
static Rdf *
open_rdf(Parse *parse)
{
	Rdf *rdf = parse_allocate(parse, sizeof(Rdf));

	rdf->parse = parse;
	buffer_init(&rdf->triple, TRIPLE_MAXIMUM);
	buffer_init(&rdf->out, CHUNK + TRIPLE_MAXIMUM);
	parse->open = rdf;
	parse->close = close_all;
	return rdf;
}

static void
read_rdf(Rdf *rdf, const char *form)
{
	Parse *parse = rdf->parse;
	size_t length;
	const char *address;

	address = read_address(rdf, &length);
	rdf->address = text_hash(TEXT_HASH, address, strlen(address));
	open_parser(rdf, form, address);
	if (raptor_parser_parse_start(rdf->parser, rdf->base) != 0)
		fail(rdf, "its address is malformed");
	while (length > 0)
	{
		parse_piece(rdf, length);
		parse_progress(parse);
		length = parse_read(parse, rdf->piece, PIECE);
	}
	parse_piece(rdf, 0);
	if (rdf->count == 0)
		parse_refuse(parse, "it has no statements");
	buffer_text(&rdf->out, "]");
	send_triples(rdf);
}

void
turtle_read(Parse *parse)
{
	read_rdf(open_rdf(parse), "turtle");
}

void
rdfxml_read(Parse *parse)
{
	Rdf *rdf = open_rdf(parse);

	rdf->guard = xml_guard_open();
	if (rdf->guard == NULL)
		parse_refuse(parse, "there is no memory");
	read_rdf(rdf, "rdfxml");
}
