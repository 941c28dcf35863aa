/*
 * throttle.h
 *	  Limits of what a client may try in vain, and of what an anonymous one may create.
 */
#ifndef CATALOGUE_CALL_THROTTLE_H
#define CATALOGUE_CALL_THROTTLE_H

#include "catalogue.h"

/* Begin a login attempt; cat_throttle_end() follows if the password is right.  address: the
 * client's, NULL for a database user.  Raises OD429, with the seconds to wait as JSON in the
 * detail, after too many failures. */
extern void cat_throttle_begin(const char *name, const char *address);
/* End a successful attempt: forget earlier failures of the name. */
extern void cat_throttle_end(const char *name, const char *address);
/* Check an address before a consumer is looked up by its id; cat_throttle_wrong_id() follows if
 * there is no such consumer.  Applications send their id with each visitor's request, so a right
 * id causes no write.  Nothing is counted by consumer: the id is public, and anybody could lock
 * the consumer out.  Raises OD429 like cat_throttle_begin(), whose failures from the address are
 * counted together with these. */
extern void cat_throttle_id(const char *address);
/* There is no such consumer: count it as a failure of the address. */
extern void cat_throttle_wrong_id(const char *address);
/* Count a record created by an anonymous caller.  If the creation fails, the count is rolled
 * back with it.  address: NULL if it is unknown; then nothing is counted.  Raises OD429 like
 * cat_throttle_begin(). */
extern void cat_throttle_creation(const char *address);
extern void cat_throttle_email(const char *address);

#endif /* CATALOGUE_CALL_THROTTLE_H */
