/*
 * lock_class.h
 *	  Classes of the advisory locks of the service.
 */
#ifndef CATALOGUE_PG_LOCK_CLASS_H
#define CATALOGUE_PG_LOCK_CLASS_H

/*
 * objsubid of a lock's tag.  Each use has its own class, since the other fields of two uses can be
 * the same; user-level locks have 1 and 2.
 */
enum
{
	CAT_LOCK_COMMIT_TIME = 3,	/* commit_time.c: the transactions that have taken their instant */
	CAT_LOCK_PASSWORD_SLOT = 4, /* secret.c: one of the passwords that are hashed at a time */
	CAT_LOCK_BLOB_DIGEST = 5,	/* blob.c: the digest of a blob that is being sealed */
	CAT_LOCK_QUERY = 6,			/* select_call.c: the statement that a user has executed */
	CAT_LOCK_IDEMPOTENCY = 7	/* idempotency.c: the key of a request that is being executed */
};

#endif
