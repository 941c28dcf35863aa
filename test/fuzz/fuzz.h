/*
 * fuzz.h - functions that the fuzzing targets share.
 *
 * A target is one file with fuzz_one(), which passes bytes to a parser of the shim and aborts when
 * a condition does not hold that must.  It is linked with the shim's objects, and either with
 * libFuzzer, which generates the bytes, or with files.c, which takes them from files.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "request/request.h"

#define MUST_HOLD(condition)                             \
	do                                                   \
	{                                                    \
		if (!(condition))                                \
			fuzz_broken(#condition, __FILE__, __LINE__); \
	} while (0)

extern _Noreturn void fuzz_broken(const char *condition, const char *file, int line);

/* Defined by each target: the text has a zero byte after it, and may have others in it. */
extern void fuzz_one(char *text, size_t length);

/* Make a request with this target, which guard has accepted and which must outlive the request; free it with
 * request_free(). */
extern Request *fuzz_request(const char *target);
/* Make a request like fuzz_request(), with its path split and its route found; NULL when that is refused. */
extern Request *fuzz_routed(const char *target);
/* Split off the first line of a text; return the text after it. */
extern char *fuzz_line(char *text);

#endif
