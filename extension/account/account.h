/*
 * account.h
 *	  Users, passwords, secrets.
 */
#ifndef CATALOGUE_ACCOUNT_ACCOUNT_H
#define CATALOGUE_ACCOUNT_ACCOUNT_H

#include "catalogue.h"

struct WriteCall;

/* password.c */

/* The hash of a password with a new salt, palloc'd. */
extern char *cat_password_hash(const char *password);
/* The rule that a new password breaks, NULL for none.  message: what a password must be, to
 * stand behind the name of its field. */
extern const char *cat_password_fault(const char *password, const char **message);
/* Whether a text is a password hash of this extension. */
extern bool cat_password_is_hash(const char *text);
/* Whether the password has this hash, in the same time whatever the answer.  hash: NULL for that
 * of nobody, which no password has. */
extern bool cat_password_verify(const char *password, const char *hash);

/* secret.c */

/* Whether a text is a sealed secret, of whatever key. */
extern bool cat_secret_is_sealed(const char *text);
/* Seal a secret for a field of a record, palloc'd.  OD503 without a key. */
extern char *cat_secret_seal(const Resource *resource, const Field *field, const char *id,
							 const char *text);

/* user.c */

/* A user who sets another password for himself says the present one too, whatever the role: a
 * token that was left behind or stolen is not to become the account. */
extern void cat_user_check_own_password(const struct WriteCall *writer, List *members,
										List **faults);
/* Whether a row of users is a superadmin who may log in. */
extern bool cat_user_governs(Resource *users, struct TupleTableSlot *slot);
/* OD409 where the transaction leaves no superadmin who may log in.  Waits for other transactions
 * that take one away. */
extern void cat_user_require_superadmin(void);

#endif /* CATALOGUE_ACCOUNT_ACCOUNT_H */
