/*
 * auth.h - who makes a request, and whether it is allowed.
 * Decisions: docs/explanation/decisions.md#shimauth
 */
#ifndef AUTH_H
#define AUTH_H

#include "auth/credentials.h"
#include "database/reply.h"

/* auth.c */

typedef struct Auth
{
	bool asked;		 /* the database has returned the key */
	bool noted;		 /* and has recorded its use */
	int64_t expires; /* when the first of the credentials does, seconds of the epoch; 0: never */
	char wanted[12]; /* number of requests that the database is asked to grant */
} Auth;

/* Open and close what a thread keeps for auth; false: no memory. */
extern bool auth_open(HttpThread *thread);
extern void auth_close(HttpThread *thread);
/* Determine user and consumer, by a call if their key is not cached; if a credential is invalid,
 * caller.good is false and both are NULL.  ANSWERED: the key does not allow the request. */
extern StageResult auth_start(Request *request);
/* The same, after a call for the key. */
extern StageResult auth_continue(Request *request);

typedef enum Verdict
{
	VERDICT_GOOD,
	VERDICT_BAD,
	VERDICT_REFUSED, /* an error is the answer */
	VERDICT_ASKED	 /* a call was started */
} Verdict;

extern bool auth_anonymous_refused(const Request *request);
/* Is it a preflight of that kind?  Its answer has header fields, and tells nothing of the path's fields. */
extern bool auth_anonymous_headers(const Request *request);
/* If the request may change the password of its user, check the present one first. */
extern StageResult auth_confirm_password(Request *request);

/* Login and refreshToken: the session of the user, with a new token before its members. */
extern void auth_session_login(Request *request, const Reply *reply);
extern void auth_session_token(Request *request, const Reply *reply);

/* api_key.c */
extern Verdict api_key_check_rate(Request *request, ApiKey *key);

#endif
