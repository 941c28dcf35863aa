/*
 * pieces.h
 *	  Functions that return a text in pieces, as a set of replies.
 */
#ifndef CATALOGUE_READ_PIECES_H
#define CATALOGUE_READ_PIECES_H

#include "catalogue.h"

#include "call/call.h"

/* Size in bytes from which on a piece is sent. */
#define PIECE_BYTES 65536

/* How a text is made. */
typedef struct PieceWriter
{
	/* Begin it: fill in the first reply, and return what the others are given, which is in the memory context of all
	 * calls; NULL: the reply is all there is.  of: what cat_pieces_next() was given. */
	void *(*begin)(FunctionCallInfo fcinfo, MemoryContext lasting, const void *of,
				   CallReply *reply);
	/* Append what stands in front. */
	void (*head)(const void *state, StringInfo out);
	/* Append about as much as a piece has; nothing behind the end. */
	void (*piece)(void *state, FunctionCallInfo fcinfo, StringInfo out);
} PieceWriter;

/* Return the next piece: the result of a function that returns a set of replies.  The first call begins the text. */
extern Datum cat_pieces_next(FunctionCallInfo fcinfo, const PieceWriter *writer, const void *of);

#endif /* CATALOGUE_READ_PIECES_H */
