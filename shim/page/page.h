/*
 * page.h - the page for people: its files, and what its HTML documents have in common.
 * Decisions: docs/explanation/decisions.md#shimpage
 */
#ifndef PAGE_H
#define PAGE_H

#include "shim.h"

/*
 * Content-Security-Policy of each HTML document: style sheets, scripts and images come from this
 * service only, nothing is inline, and scripts cannot make markup of text.  A format: who may show
 * it in a frame; a space, and the origins of the setting map_tiles, where images may come from, too.
 */
#define PAGE_POLICY                                                                 \
	"default-src 'none'; style-src 'self'; script-src 'self'; "                     \
	"connect-src 'self'; form-action 'self'; frame-ancestors %s; base-uri 'none'; " \
	"require-trusted-types-for 'script'; trusted-types 'none'; img-src 'self' data:%s%s"

/* One representation of a file */
typedef struct StaticBytes
{
	const void *bytes;
	size_t length;
	const char *etag; /* quoted */
} StaticBytes;

/* A file of shim/page/static/ */
typedef struct StaticFile
{
	const char *name;
	const char *type; /* Content-Type */
	StaticBytes plain;
	StaticBytes compressed; /* by gzip */
} StaticFile;

/* What .ci/embed has made of the files; the version is a hash of all of them. */
extern const StaticFile static_files[];
extern const size_t static_files_count;
extern const char static_files_version[];

/* page.c: HTML as one more representation of the replies of GET, and of what is wrong with a form that was sent */
/* Does the client want HTML, and in which language?  Sets request->language, once the path is known. */
extern void page_choose(Request *request);
/* Lead from a form of a page that was taken to the page that has it. */
extern void page_sent(Request *request);
/* Is the answer of the request's route, if it is no error, a page? */
extern bool page_made(const Request *request);
/* page_call.c: make the call of the route, with what the page shows besides the reply of JSON. */
extern StageResult page_call(Request *request, StageResult (*then)(Request *));
/* Has the call failed because of what it was asked besides?  Then it is to be made again. */
extern bool page_call_again(Request *request);
/* Make a page of the envelope that is the answer, after further reads if the view has some. */
extern StageResult page_begin(Request *request);
/* page.c: answer GET /docs, the description of the service for people.  Returns ANSWERED. */
extern StageResult page_docs(Request *request);
/* page.c: make a page of the error that is the answer. */
extern void page_error(Request *request);

/* static_file.c */
/* The name of the style sheet with the colours of an accent, 24 hexadecimal digits, after that of all pages. */
#define STATIC_COLORS "accent-%s.css"
/* The path of a file for links, which changes when any of the files does; without the base. */
extern const char *static_file_path(Request *request, const char *name);
/* Answer GET /page/:file or GET /page/:version/:file.  Returns ANSWERED. */
extern StageResult static_file_answer(Request *request);

#endif
