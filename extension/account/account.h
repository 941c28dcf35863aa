/*
 * account.h
 *	  Users, passwords, secrets.
 */
#ifndef CATALOGUE_ACCOUNT_ACCOUNT_H
#define CATALOGUE_ACCOUNT_ACCOUNT_H

#include "catalogue.h"

#include "executor/tuptable.h"

/* password.c */

/* The hash of a password with a new salt, palloc'd. */
extern char *cat_password_hash(const char *password);
/* The rule that a new password breaks, NULL for none.  message: what a password must be, to
 * stand behind the name of its field. */
extern const char *cat_password_error(const char *password, const char **message);
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

/* The present password in the body of a user who sets another one for himself; NULL where that is
 * not so, or where an error was added as it is missing. */
extern char *cat_user_own_password(const Resource *resource, const char *id, const Actor *actor,
								   List *members, List **errors);
/* Add an error where that password is wrong: a stolen token is not enough to take an account. */
extern void cat_user_check_own_password(const Resource *resource, const char *id,
										const Actor *actor, List *members, List **errors);
/* Check a user's present password; a wrong one counts as a failed login.  NULL where it is right,
 * else the errors as JSON.  OD429 after too many failures. */
extern StringInfo cat_user_check_counted(const char *id, const char *present, const char *address);
/* Whether a row of users is a superadmin who may log in. */
extern bool cat_user_governs(Resource *users, struct TupleTableSlot *slot);
/* OD409 where the transaction leaves no superadmin who may log in.  Waits for other transactions
 * that take one away. */
extern void cat_user_require_superadmin(void);

#endif /* CATALOGUE_ACCOUNT_ACCOUNT_H */
