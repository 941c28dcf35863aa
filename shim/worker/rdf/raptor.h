/*
 * raptor.h - the part of the interface of libraptor2 that the reader uses.
 *
 * Debian's libraptor2-dev, which has raptor2.h, cannot be installed together with
 * libcurl4-openssl-dev.  The binary interface is that of libraptor2.so.0, since version 2.0.0;
 * names and types are the library's.
 */
#ifndef WORKER_RDF_RAPTOR_H
#define WORKER_RDF_RAPTOR_H

#include <stddef.h>

#define RAPTOR_VERSION 20000 /* the oldest version that has what is declared here */

typedef struct raptor_world_s raptor_world;
typedef struct raptor_uri_s raptor_uri;
typedef struct raptor_parser_s raptor_parser;

typedef enum
{
	RAPTOR_WORLD_FLAG_WWW_SKIP_INIT_FINISH = 4
} raptor_world_flag;

typedef enum
{
	RAPTOR_OPTION_NO_NET = 15,
	RAPTOR_OPTION_NO_FILE = 38,
	RAPTOR_OPTION_LOAD_EXTERNAL_ENTITIES = 41
} raptor_option;

typedef enum
{
	RAPTOR_TERM_TYPE_URI = 1,
	RAPTOR_TERM_TYPE_LITERAL = 2,
	RAPTOR_TERM_TYPE_BLANK = 4
} raptor_term_type;

typedef enum
{
	RAPTOR_LOG_LEVEL_ERROR = 5
} raptor_log_level;

typedef struct
{
	unsigned char *string;
	unsigned int string_len;
	raptor_uri *datatype;	 /* or NULL */
	unsigned char *language; /* or NULL */
	unsigned char language_len;
} raptor_term_literal_value;

typedef struct
{
	unsigned char *string;
	unsigned int string_len;
} raptor_term_blank_value;

typedef struct
{
	raptor_world *world;
	int usage;
	raptor_term_type type;
	union
	{
		raptor_uri *uri;
		raptor_term_literal_value literal;
		raptor_term_blank_value blank;
	} value;
} raptor_term;

typedef struct
{
	raptor_world *world;
	int usage;
	raptor_term *subject;
	raptor_term *predicate;
	raptor_term *object;
	raptor_term *graph;
} raptor_statement;

typedef struct
{
	raptor_uri *uri;
	const char *file;
	int line; /* less than 1: unknown */
	int column;
	int byte;
} raptor_locator;

typedef struct
{
	int code;
	int domain;
	raptor_log_level level;
	raptor_locator *locator; /* or NULL */
	const char *text;
} raptor_log_message;

typedef void (*raptor_log_handler)(void *user_data, raptor_log_message *message);
typedef void (*raptor_statement_handler)(void *user_data, raptor_statement *statement);

extern const unsigned int raptor_version_decimal; /* of the library: 2.0.16 is 20016 */
extern raptor_world *raptor_new_world_internal(unsigned int version_decimal);
extern void raptor_free_world(raptor_world *world);
extern int raptor_world_set_flag(raptor_world *world, raptor_world_flag flag, int value);
extern int raptor_world_set_log_handler(raptor_world *world, void *user_data,
										raptor_log_handler handler);
extern void raptor_world_set_generate_bnodeid_parameters(raptor_world *world, char *prefix,
														 int base);
extern raptor_uri *raptor_new_uri(raptor_world *world, const unsigned char *uri_string);
extern void raptor_free_uri(raptor_uri *uri);
extern unsigned char *raptor_uri_as_counted_string(raptor_uri *uri, size_t *len_p);
extern raptor_parser *raptor_new_parser(raptor_world *world, const char *name);
extern void raptor_free_parser(raptor_parser *parser);
extern int raptor_parser_set_option(raptor_parser *parser, raptor_option option, const char *string,
									int integer);
extern void raptor_parser_set_statement_handler(raptor_parser *parser, void *user_data,
												raptor_statement_handler handler);
extern int raptor_parser_parse_start(raptor_parser *parser, raptor_uri *uri);
/* Parse a piece; is_end: the last one.  0 is success. */
extern int raptor_parser_parse_chunk(raptor_parser *parser, const unsigned char *buffer, size_t len,
									 int is_end);

#endif
