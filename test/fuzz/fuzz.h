/*
 * fuzz.h - what the fuzzing targets share.
 *
 * A target is one file with fuzz_one(), which hands bytes to a parser of the shim and aborts when
 * something does not hold that must.  It is linked with the shim's own objects, and either with
 * libFuzzer, which makes up the bytes, or with files.c, which takes them from files.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "shim.h"

#define MUST_HOLD(condition)                             \
	do                                                   \
	{                                                    \
		if (!(condition))                                \
			fuzz_broken(#condition, __FILE__, __LINE__); \
	} while (0)

extern _Noreturn void fuzz_broken(const char *condition, const char *file, int line);

/* The target's: the bytes have a zero byte behind, and may have others in them. */
extern void fuzz_one(char *text, size_t length);

/* A request that nobody sent, for a target that guard has let pass and that outlives it; for
 * request_free(). */
extern Request *fuzz_request(const char *target);
/* So, with the path split and its route found; NULL when that is refused. */
extern Request *fuzz_routed(const char *target);
/* Cut a line off a text: what follows it. */
extern char *fuzz_line(char *text);

#endif
