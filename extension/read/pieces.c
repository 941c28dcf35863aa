/*
 * pieces.c
 *	  Functions that return a text in pieces, as a set of replies.
 *
 * Each call returns one piece, so that memory does not depend on the length of the text.  What is between two calls is
 * the client's time, which no statement_timeout counts.
 */
#include "catalogue.h"

#include "executor/spi.h"
#include "funcapi.h"

#include "pg/pg.h"
#include "read/pieces.h"

Datum
cat_pieces_next(FunctionCallInfo fcinfo, const PieceWriter *writer, const void *of)
{
	FuncCallContext *context;
	CallReply reply = {0};
	bool first = SRF_IS_FIRSTCALL();

	cat_call_reply_begin();
	if (first)
	{
		context = SRF_FIRSTCALL_INIT();
		context->user_fctx = writer->begin(fcinfo, context->multi_call_memory_ctx, of, &reply);
	}
	context = SRF_PERCALL_SETUP();
	cat_statement_timeout_resume();
	if (context->user_fctx)
	{
		reply.data = makeStringInfo();
		if (first)
			writer->head(context->user_fctx, reply.data);
		writer->piece(context->user_fctx, fcinfo, reply.data);
	}
	if (!first && (!reply.data || reply.data->len == 0))
	{
		SPI_finish();
		cat_security_context_return();
		SRF_RETURN_DONE(context);
	}
	cat_statement_timeout_pause();
	SRF_RETURN_NEXT(context, cat_call_reply_end(fcinfo, &reply));
}
