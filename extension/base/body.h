/*
 * body.h
 *	  The JSON body of a request, and the errors that are found in it.
 */
#ifndef CATALOGUE_BASE_BODY_H
#define CATALOGUE_BASE_BODY_H

#include "catalogue.h"

/* How many faults, and how many ignored names, are reported to a client. */
#define FAULTS_MAX 100

/* A member of a request's body. */
typedef enum MemberKind
{
	MEMBER_NULL,
	MEMBER_BOOLEAN,
	MEMBER_NUMBER,
	MEMBER_STRING,
	MEMBER_ARRAY,
	MEMBER_OBJECT
} MemberKind;

typedef struct Member
{
	char *name; /* NULL for the element of an array */
	MemberKind kind;
	char *raw;	/* JSON text */
	char *text; /* decoded string, or the text of number and boolean; NULL: cannot be stored */
} Member;

/* body.c */

/* Return the members of a JSON object: List of Member *.  Raises OD400 if the text is not an
 * object, names a member twice at any level, is nested more than DEPTH_MAX levels deep, or has a
 * character that text cannot store. */
extern List *cat_body_members(const char *json, size_t length);
/* Like cat_body_members(), for a body whose members are fields.  What is done for each member
 * costs more than reading it, so there may be MEMBERS_MAX of them.  Objects and arrays within it
 * may have any number. */
extern List *cat_body_record(const char *json, size_t length);
/* Raise OD400 for more members than a body has whose members are fields. */
extern void cat_body_limit(int members);
/* Return the members of the body in an argument.  Raises OD400 if it is null. */
extern List *cat_body_argument(FunctionCallInfo fcinfo, int number);
/* Return the members of the JSON object in an argument; NIL if it is null. */
extern List *cat_body_optional(FunctionCallInfo fcinfo, int number);
/* Return the text of a member; adds an error if it is missing or not a string. */
extern char *cat_body_text(List *members, const char *name, List **errors);
/* The elements of a JSON array that cat_body_members() has passed, as a List of Member *. */
#define cat_body_elements(json) cat_body_first_elements(json, 0)
/* Return the first elements of an array: one more than the maximum, unless that is 0, where it has
 * more. */
extern List *cat_body_first_elements(const char *json, int most);
/* Return a text as a single JSON value, NULL if it is not one. */
extern Member *cat_body_value(const char *text);
/* Return the member of a name, or NULL. */
extern Member *cat_body_member(List *members, const char *name);
/* As cat_body_value(), of any text: NULL also where it is nested too deeply, names a member twice, or
 * has a character that cannot be stored. */
extern Member *cat_body_value_if(const char *text, size_t length);

/* validation_error.c */

/* Add an error of a field.  rule: required, type, maxLength, enum, format, unique, reference,
 * readOnly or unknown.  message: what the field takes, as a predicate of its name.  member: the
 * value to echo, NULL for none (secrets). */
extern void cat_validation_error_add(List **errors, const char *field, const char *rule,
									 const Member *member, const char *message);
/* Return a text as a member, to be echoed in an error. */
extern Member *cat_validation_error_value(const char *text);
/* Return whether a field has an error. */
extern bool cat_validation_error_has(List *errors, const char *field);
/* Remove the errors of a field. */
extern void cat_validation_error_drop(List **errors, const char *field);
/* Whether there are as many errors as are reported: suggestions need not be sought any more. */
extern bool cat_validation_error_is_full(List *errors);
/* Return how many errors there are, and how many of them are reported if that is not all. */
extern char *cat_validation_error_count(List *errors);
/* Return the first FAULTS_MAX errors as a JSON object {field: [{rule, message, value}]}.  The
 * work is the square of their number, which a client could make as large as a body permits. */
extern char *cat_validation_error_json(List *errors);
/* Raise all errors, as JSON in the detail.  code: OD400, or OD409 for a record that cannot be
 * restored as it is.  hint: a sentence, NULL for none. */
pg_noreturn extern void cat_validation_error_raise(List *errors, int code, const char *hint);
/* Raise all errors of query parameters: OD422, as JSON in the detail. */
pg_noreturn extern void cat_validation_error_raise_parameters(List *errors);
/* Return whether an error is one of the request, and not of the server or of concurrent changes. */
extern bool cat_validation_error_is_fault(const ErrorData *error);

#endif /* CATALOGUE_BASE_BODY_H */
