/*
 * decode.h - decode the bytes of a text as UTF-8.
 */
#ifndef DECODE_H
#define DECODE_H

#include "text/text.h"

#define DECODER_BLOCK (128 << 10)			  /* bytes of the file */
#define DECODER_ROOM (3 * DECODER_BLOCK + 16) /* maximum bytes of a decoded block */
#define FAULTS_MAXIMUM 1024					  /* maximum replaced bytes that are reported */
#define EVIDENCE 4096						  /* bytes by which the encoding is detected */

typedef enum Form
{
	FORM_ASCII, /* only ASCII so far */
	FORM_UTF8,
	FORM_CONVERTED, /* converted by the C library */
	FORM_UTF16LE,
	FORM_UTF16BE
} Form;

typedef struct Fault
{
	uint64_t offset;
	const char *what;
} Fault;

/* A text as it is read, a block at a time. */
typedef struct Decoder
{
	Parse *parse;
	Form form;
	const char *name;	/* name of the encoding */
	const char *reason; /* why it was chosen */
	iconv_t converter;
	char lacking[128]; /* message for a byte that is invalid in the encoding */
	bool begun;
	bool ended;
	bool flushed;  /* the buffered output of the converter was taken */
	size_t length; /* of the block */
	char bytes[DECODER_BLOCK];
	uint64_t given; /* decoded bytes of all blocks */
	unsigned first_fault;
	unsigned faults;
	Fault fault[FAULTS_MAXIMUM];
} Decoder;

/* decode.c */

typedef struct Encoding
{
	const char *name;	/* for the user */
	const char *iconv;	/* for iconv_open() */
	const char *reason; /* why it was chosen */
} Encoding;

extern Decoder *decode_new(Parse *parse);
/* Decode the next block of the file as UTF-8 without zero bytes; return at most DECODER_ROOM
 * bytes, 0 at the end. */
extern size_t decode_read(Decoder *decoder, char *text);
/* Take the next replaced byte before the offset end of the decoded text, with its message; false
 * if there is none. */
extern bool decode_fault(Decoder *decoder, uint64_t end, const char **what);

/* encoding.c */

/* Are most characters of a text that are not ASCII those of UTF-8?  *wrong: how many are not. */
extern bool encoding_is_utf8(const char *bytes, size_t length, size_t *wrong);
/* Guess the encoding of a text that is neither UTF-8 nor UTF-16 from its first bytes. */
extern const Encoding *encoding_guess(const char *bytes, size_t length);

#endif
