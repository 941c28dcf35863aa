/*
 * transfer.h - bytes of files, both ways: forms and other uploads, downloads and ranges of them.
 *
 * A part of shim.h, which is what the files include.
 */
#ifndef TRANSFER_H
#define TRANSFER_H

#define CHUNK_SIZE 262144 /* bytes of a row of catalogue.blob_chunk; what goes over at once */

/* field.c: a header field made of a value and parameters */
#define FIELD_PARAMETERS 16

typedef struct Field
{
	const char *value;
	int count;
	struct
	{
		const char *name;
		char *value; /* without quotes and what escapes in them */
	} parameters[FIELD_PARAMETERS];
} Field;

/* Read a field in place; false: malformed, or a parameter comes twice. */
extern bool field_read(char *text, Field *field);
/* The value of a parameter, NULL where there is none. */
extern char *field_parameter(const Field *field, const char *name);
/*
 * The name of the file that a Content-Disposition tells, without directories, NULL where it tells
 * none; false: malformed, or no UTF-8.  It is decoded in place.
 */
extern bool field_file_name(const Field *field, const char **name);

/* multipart.c: multipart/form-data, as it comes */
#define BOUNDARY_MAXIMUM 70
#define PARTS_MAXIMUM 200
#define PART_HEADER_MAXIMUM 8192 /* bytes of the header lines of a part */

typedef struct Part
{
	const char *name;
	const char *file; /* name of the client's file; NULL: none is told */
	const char *type; /* media type as told; NULL: none */
} Part;

/* What is told of the parts; false: no more is wanted, and the caller knows why. */
typedef struct MultipartEvents
{
	bool (*begin)(void *cls, const Part *part);
	/* Take bytes; gives how many: fewer than there are ends multipart_feed(). */
	size_t (*take)(void *cls, const char *bytes, size_t length);
	bool (*end)(void *cls);
} MultipartEvents;

typedef enum MultipartState
{
	MULTIPART_START,
	MULTIPART_FIRST,	  /* within the first delimiter */
	MULTIPART_DELIMITED,  /* right behind a delimiter */
	MULTIPART_PADDING,	  /* behind blanks that follow it */
	MULTIPART_LINE_END,	  /* behind the carriage return of its line */
	MULTIPART_HEADER,	  /* in the header lines of a part */
	MULTIPART_DATA,		  /* in its bytes */
	MULTIPART_DASH,		  /* behind the first dash of the end */
	MULTIPART_LAST,		  /* behind the last delimiter */
	MULTIPART_LAST_LINE,  /* behind the carriage return of its line */
	MULTIPART_END,
	MULTIPART_BROKEN
} MultipartState;

typedef struct Multipart
{
	const MultipartEvents *events;
	void *cls;
	MultipartState state;
	const char *fault; /* what is wrong with the form; NULL: nothing */
	char delimiter[4 + BOUNDARY_MAXIMUM + 1];
	size_t length;	/* of the delimiter */
	size_t matched; /* bytes of it that have come */
	size_t owed;	/* so many bytes of it were data, of which */
	size_t paid;	/* so many were taken */
	int parts;
	Buffer header;
} Multipart;

/* Begin, with the media type of the whole; false: it has no boundary that may be used. */
extern bool multipart_open(Multipart *multipart, const Field *type, const MultipartEvents *events,
						   void *cls);
/* Take bytes, up to a fault or until no more are taken; gives how many it was done with. */
extern size_t multipart_feed(Multipart *multipart, const char *bytes, size_t length);
/* Has the last delimiter come, and nothing behind it? */
extern bool multipart_complete(const Multipart *multipart);
extern void multipart_close(Multipart *multipart);

#endif
