/*
 * sight.h
 *	  Who sees how much, who is told of what, and how many records that are.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef SIGHT_H
#define SIGHT_H

/* How much a caller sees; who sees more also sees what those do who see less. */
typedef enum AccessLevel
{
	ACCESS_OUTSIDER, /* no user: a consumer, or nobody */
	ACCESS_INTERNAL, /* a user */
	ACCESS_ALL,		 /* a superadmin, or a trusted database user */
	ACCESS_LEVELS
} AccessLevel;

/* Who is told of a change. */
typedef enum Audience
{
	AUDIENCE_USERS,		/* of each one */
	AUDIENCE_OUTSIDERS, /* of those that outsiders can see something of */
	AUDIENCES
} Audience;

/* How many records, or how many more. */
typedef struct Tally
{
	int64 living;
	int64 shown; /* of them, to outsiders */
	int64 seen;	 /* changes of records that outsiders see before or after; of a change only */
} Tally;

#endif /* SIGHT_H */
