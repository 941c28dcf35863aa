/*
 * account.h
 *	  Users, passwords, secrets.
 *	  Decisions: docs/explanation/decisions.md#extensionaccount
 */
#ifndef CATALOGUE_ACCOUNT_ACCOUNT_H
#define CATALOGUE_ACCOUNT_ACCOUNT_H

#include "catalogue.h"

#include "executor/tuptable.h"

/* secret.c */

/* Return whether a text is an encrypted secret, with whatever key. */
extern bool cat_secret_is_sealed(const char *text);
/* Encrypt a secret for a field of a record, palloc'd.  Raises OD503 if there is no key. */
extern char *cat_secret_seal(const Resource *resource, const Field *field, const char *id,
							 const char *text);

/* user.c */

/* Return the present password in the body if a user changes his own password; NULL otherwise,
 * and if it is missing, which adds an error, unless the new password is confirmed. */
extern char *cat_user_own_password(const Resource *resource, const char *id, const Actor *actor,
								   List *members, List **errors);
/* Check the present password if a user changes his own password, whatever his role: a stolen
 * token must not suffice to take over the account. */
extern void cat_user_check_own_password(const Resource *resource, const char *id,
										const Actor *actor, List *members, List **errors);
/* Check a present password; a wrong one counts as a failed login.  Returns the errors as JSON,
 * NULL if it is right. */
extern StringInfo cat_user_check_counted(const char *id, const char *present, const char *address);
/* Return whether a row of users is a superadmin who may log in. */
extern bool cat_user_governs(Resource *users, struct TupleTableSlot *slot);
/* Raise OD409 if the transaction leaves no superadmin who may log in.  Transactions that remove
 * a superadmin wait for each other here, and then check with the latest snapshot, even if theirs
 * is older. */
extern void cat_user_require_superadmin(void);

/* password.c */

/* Return the hash of a password with a new salt, palloc'd. */
extern char *cat_password_hash(const char *password);
/* Return the rule that a new password breaks, or NULL. message: set to the requirement, as a
 * predicate of the field's name. */
extern const char *cat_password_error(const char *password, const char **message);
/* Return whether a text is a hash made here rather than a plain password. */
extern bool cat_password_is_hash(const char *text);
extern bool cat_password_verify(const char *password, const char *hash);

#endif /* CATALOGUE_ACCOUNT_ACCOUNT_H */
