/*
 * envelope.h - bodies of answers: meta, data and links.
 */
#ifndef ENVELOPE_H
#define ENVELOPE_H

#include "database/reply.h"
#include "shim.h"

/* link.c */

/* Set request->base from the setting base_url or an allowed host. */
extern void link_base(Request *request);
/* Append base and words, up to a NULL. */
#define link_words(buffer, request, ...) \
	link_path(buffer, request, (const char *const[]){__VA_ARGS__, NULL})
extern void link_path(Buffer *buffer, const Request *request, const char *const *words);
/* Append the address of the request itself, without its query. */
extern void link_request(Buffer *buffer, const Request *request);
/* Append the address of another page of the request's list. */
extern void link_page(Buffer *buffer, const Request *request, int64_t limit, int64_t skip,
					  const char *version);
/* Append one more parameter; its value is percent-encoded already. */
extern void link_word(Buffer *buffer, const char *name, const char *value);
/* Append the address of the whole list of the request: its query without what selects a page. */
extern void link_all(Buffer *buffer, const Request *request);
/* Append the address of the picture of the rows that the request selects. */
extern void link_image(Buffer *buffer, const Request *request, const char *file);
/* Append the address of the first or last record of the request's list. */
extern void link_end(Buffer *buffer, const Request *request, const char *word);
/* Append the address of the request's search in one resource. */
extern void link_search(Buffer *buffer, const Request *request, const char *resource);
/* A query string without the parameters that are credentials. */
extern const char *link_query(Request *request, const char *query);
extern void link_add_of_item(Request *request, const Reply *reply);

/* envelope.c */

/* Set the status and begin the body with it; the object "meta" is left open. */
extern void envelope_begin(Request *request, int status);
/* Add the names that were ignored to "meta", if there are any. */
extern void envelope_ignored(Request *request, const Reply *reply);
/* Close "meta", add the data (NULL: none), and open the object "links". */
extern void envelope_data(Request *request, const char *data, size_t length);
/* Begin a member of "links": the caller appends its value. */
extern void envelope_member(Request *request, const char *name);
/* Add a member of "links" whose value is the address of the words. */
#define envelope_link(request, name, ...) \
	envelope_path(request, name, (const char *const[]){__VA_ARGS__, NULL})
extern void envelope_path(Request *request, const char *name, const char *const *words);
/* Build the answer of a call from its reply and the envelope of the route. */
extern void envelope_item(Request *request, const Reply *reply);
extern void envelope_link_to_all(Request *request, const Reply *reply);
extern void envelope_related(Request *request, const Reply *reply);
extern void envelope_written(Request *request, const Reply *reply);
extern void envelope_plain(Request *request, const Reply *reply);
extern void envelope_accepted(Request *request, const Reply *reply);
/* An import: its report, or as envelope_accepted() the job that does it. */
extern void envelope_import(Request *request, const Reply *reply);
extern void envelope_entry(Request *request, const Reply *reply);
extern void envelope_stream(Request *request, const Reply *reply);
/* Set the header field with the notes of an answer that has no envelope, if there are any. */
extern void envelope_notes(Request *request, const Reply *reply);
extern void envelope_document(Request *request, const Reply *reply);
extern void envelope_tile(Request *request, const Reply *reply);
extern void envelope_page_links(Request *request, const Reply *reply);
extern void envelope_search_links(Request *request, const Reply *reply);

/* What answers depend on, with further header fields, each with a comma behind it. */
#define ENVELOPE_VARY(more) \
	"Accept, " more "Prefer, Authorization, X-Admin-Authorization, apikey, X-Consumer-Username"

/* compress.c: would the client take the body by gzip?  Have it so, unless it is short or long. */
extern bool compress_accepted(const Request *request);
extern void compress_body(Request *request);

#endif
