/*
 * body.h
 *	  The JSON body of a request, and the errors that are found in it.
 */
#ifndef CATALOGUE_BASE_BODY_H
#define CATALOGUE_BASE_BODY_H

#include "catalogue.h"

/* How many faults, and how many ignored names, a client is told of. */
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

/* The members of a JSON object, a List of Member *.  OD400 for text that is no object, names a
 * member twice, is nested more than 32 deep, or has a character that no text can hold. */
extern List *cat_body_members(const char *json, size_t length);
/* As cat_body_members(), of a body whose members are fields: OD400 for more than 2,000 of them. */
extern List *cat_body_record(const char *json, size_t length);
/* OD400 for more members than cat_body_record() takes. */
extern void cat_body_limit(int members);
/* The members of the body that an argument of a function is; OD400 where there is none. */
extern List *cat_body_argument(FunctionCallInfo fcinfo, int number);
/* The text of a member; an error is added where it is missing or no string. */
extern char *cat_body_text(List *members, const char *name, List **errors);
/* The elements of a JSON array that cat_body_members() has passed, as a List of Member *. */
#define cat_body_elements(json) cat_body_first_elements(json, 0)
/* The first of them: one more than most where there are more, so that they take no more memory. */
extern List *cat_body_first_elements(const char *json, int most);
/* The one JSON value that a text is, NULL where it is none. */
extern Member *cat_body_value(const char *text);
/* The member of a name, NULL where there is none. */
extern Member *cat_body_member(List *members, const char *name);

/* body_value.c */

/* As cat_body_value(), of any text: NULL also where it is nested too deeply, names a member twice, or
 * has a character that cannot be stored. */
extern Member *cat_body_value_if(const char *text, size_t length);

/* validation_error.c */

/* Add an error of a field.  rule: required, type, maxLength, enum, format, unique, reference,
 * readOnly or unknown.  message: what the field takes, to stand behind its name.  member: the
 * value to be told back, NULL for none (secrets). */
extern void cat_validation_error_add(List **errors, const char *field, const char *rule,
									 const Member *member, const char *message);
/* A text as a member, to be told back in an error. */
extern Member *cat_validation_error_value(const char *text);
/* Whether a field has an error already. */
extern bool cat_validation_error_has(List *errors, const char *field);
/* Remove the errors of a field. */
extern void cat_validation_error_drop(List **errors, const char *field);
/* Whether there are as many errors as are told: suggestions need not be sought any more. */
extern bool cat_validation_error_is_full(List *errors);
/* How many errors there are, as the end of a message: "5 faults"; palloc'd. */
extern char *cat_validation_error_count(List *errors);
/* The first FAULTS_MAX errors as a JSON object {field: [{rule, message, value}]}; palloc'd. */
extern char *cat_validation_error_json(List *errors);
/* Raise all errors, as JSON in the detail.  code: OD400, or OD409 for a record that cannot be
 * restored as it is.  hint: a sentence, NULL for none. */
pg_noreturn extern void cat_validation_error_raise(List *errors, int code, const char *hint);
/* Raise all errors of query parameters: OD422, as JSON in the detail. */
pg_noreturn extern void cat_validation_error_raise_parameters(List *errors);
/* Whether an error that was caught is one of the request, and not of the server or of concurrent
 * changes. */
extern bool cat_validation_error_is_fault(const ErrorData *error);

#endif /* CATALOGUE_BASE_BODY_H */
