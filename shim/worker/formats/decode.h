/*
 * decode.h - what the readers of texts share: bytes -> characters.
 *
 *   encoding.c      which encoding it is, and its converter
 *   decode.c        blocks of the file -> UTF-8
 *   decode_wide.c   UTF-16, and what the C library converts
 *   sniff.c         the delimiter
 */
#ifndef DECODE_H
#define DECODE_H

#include "formats/formats.h"

#define DECODER_BLOCK (128 << 10)			  /* bytes of the file */
#define DECODER_ROOM (3 * DECODER_BLOCK + 16) /* bytes that they are at most, decoded */
#define FAULTS_MAXIMUM 1024 /* places that are kept; of more only the first are told */
#define EVIDENCE 4096		/* bytes that an encoding is guessed by, where the file has so many */

typedef enum Form
{
	FORM_ASCII, /* so far */
	FORM_UTF8,
	FORM_CONVERTED, /* by the C library */
	FORM_UTF16LE,
	FORM_UTF16BE
} Form;

typedef struct Fault
{
	uint64_t place;
	const char *what;
} Fault;

/* A text as it is read, a block at a time. */
typedef struct Decoder
{
	Parse *parse;
	Form form;
	const char *name;	/* of the encoding */
	const char *reason; /* why it was taken */
	iconv_t converter;
	char lacking[128]; /* what is said of a byte that it does not have */
	bool begun;
	bool ended;
	bool flushed;  /* the converter has given all that it held back */
	size_t length; /* of bytes */
	char bytes[DECODER_BLOCK];
	uint64_t given; /* bytes of decoded text, of all blocks */
	unsigned first_fault;
	unsigned faults;
	Fault places[FAULTS_MAXIMUM];
} Decoder;

/* encoding.c */
typedef struct Encoding
{
	const char *name;	/* as it is told */
	const char *iconv;	/* as the C library calls it */
	const char *reason; /* why it was taken */
} Encoding;

/* The encoding of a text that is neither UTF-8 nor UTF-16 by these bytes of it. */
extern const Encoding *encoding_guess(const char *bytes, size_t length);
/* The converter of an encoding to UTF-8, NO_CONVERTER where there is none. */
extern iconv_t encoding_open(const char *name);

/* decode.c */
extern Decoder *decoder_new(Parse *parse);
/* Decode the next bytes of the file as UTF-8 without zero bytes: at most DECODER_ROOM, 0 at its
 * end. */
extern size_t decoder_read(Decoder *decoder, char *text);
extern const char *decoder_encoding(const Decoder *decoder);
/* Why that was taken. */
extern const char *decoder_reason(const Decoder *decoder);
/*
 * The next place, in bytes of decoded text, before the end where something was replaced, and what.
 */
extern bool decoder_fault(Decoder *decoder, uint64_t end, const char **what);
/* Note that something was replaced at a place of the decoded text. */
extern void decoder_replaced(Decoder *decoder, uint64_t place, const char *what);

/* decode_wide.c: decode a block behind *to; what of it is for the next call. */
extern const char *decoder_units(Decoder *decoder, char *text, char **to);
extern const char *decoder_converted(Decoder *decoder, char *text, char **to);
/* Take what the converter has held back at the end. */
extern void decoder_flush(Decoder *decoder, char **to);

/* sniff.c: the delimiter of a text that begins so */
extern char sniff_delimiter(const char *text, size_t length, bool whole);

#endif
