/*
 * parse_options.c
 *	  Options for parsing a file, set by its owner: field parseOptions of files.
 */
#include "catalogue.h"

#include <iconv.h>

#include "utils/builtins.h"

#include "base/base.h"
#include "base/body.h"
#include "write/validation_internal.h"

PG_FUNCTION_INFO_V1(catalogue_is_parse_options);

#define SKIP_MAX 1000
#define NAME_MAX_LENGTH 40

/*
 * Return whether a text has the form of an encoding's name.  This excludes file names and iconv's
 * suffixes such as //TRANSLIT.
 */
static bool
is_name(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && length <= NAME_MAX_LENGTH &&
		   strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:()") ==
			   length;
}

static bool
is_encoding(const Member *member)
{
	iconv_t converter;

	if (member->kind != MEMBER_STRING || !member->text || !is_name(member->text))
		return false;
	converter = iconv_open("UTF-8", member->text);
	if (converter == (iconv_t) -1)
		return false;
	iconv_close(converter);
	return true;
}

static bool
is_delimiter(const Member *member)
{
	const char *text = member->kind == MEMBER_STRING ? member->text : NULL;

	if (!text || strlen(text) > 1)
		return false;
	return *text == '\0' || *text == '\t' ||
		   (*text >= ' ' && *text < 0x7F && *text != '"' && !isalnum((unsigned char) *text));
}

static bool
is_decimal(const Member *member)
{
	return member->kind == MEMBER_STRING && member->text &&
		   (strcmp(member->text, ".") == 0 || strcmp(member->text, ",") == 0);
}

static long
number_of(const Member *member)
{
	return strtol(member->text, NULL, 10);
}

/* Return whether a member is a whole number in the range. */
static bool
is_number(const Member *member, int least, int most)
{
	if (member->kind != MEMBER_NUMBER || !cat_literal_integer(member->text) ||
		strlen(member->text) > 8)
		return false;
	return number_of(member) >= least && number_of(member) <= most;
}

static bool
is_header(const Member *member)
{
	return member->kind == MEMBER_BOOLEAN || is_number(member, 1, SKIP_MAX + 1);
}

static bool
is_skip(const Member *member)
{
	return is_number(member, 0, SKIP_MAX);
}

static const struct
{
	const char *name;
	bool (*is)(const Member *member);
	const char *takes;
} options[] = {
	{"encoding", is_encoding,
	 "encoding: takes the name of an encoding, such as \"UTF-8\" or \"Windows-1250\""},
	{"delimiter", is_delimiter,
	 "delimiter: takes a tab, or a character of ASCII other than a letter, a digit and a quote; "
	 "\"\" for a single column"},
	{"decimal", is_decimal, "decimal: takes \".\" or \",\""},
	{"header", is_header, "header: takes true, false, or the number of a row from 1 to 1001"},
	{"skip", is_skip, "skip: takes a number of rows from 0 to 1000"},
};

static void
check_option(const char *field, const Member *option, List **errors)
{
	for (size_t i = 0; i < lengthof(options); i++)
	{
		if (strcmp(options[i].name, option->name) != 0)
			continue;
		if (option->kind != MEMBER_NULL && !options[i].is(option))
			cat_validation_error_add(errors, field, "format", option, options[i].takes);
		return;
	}
	cat_validation_error_add(
		errors, field, "format", option,
		psprintf("%s: is none of encoding, delimiter, decimal, header, skip", option->name));
}

/* Check that the header row comes after the skipped rows. */
static void
check_order(const char *field, List *members, List **errors)
{
	const Member *header = cat_body_member(members, "header");
	const Member *skip = cat_body_member(members, "skip");

	if (header && skip && header->kind == MEMBER_NUMBER && skip->kind == MEMBER_NUMBER &&
		is_header(header) && is_skip(skip) && number_of(header) <= number_of(skip))
		cat_validation_error_add(errors, field, "format", header,
								 "header: takes a row after those that skip leaves out");
}

/* Add an error for each invalid option. */
void
cat_parse_options_check(const char *field, const Member *member, List **errors)
{
	List *members;
	ListCell *cell;

	if (member->kind != MEMBER_OBJECT)
	{
		cat_validation_error_add(errors, field, "type", member, "takes an object");
		return;
	}
	members = cat_body_members(member->raw, strlen(member->raw));
	foreach(cell, members)
		check_option(field, lfirst(cell), errors);
	check_order(field, members, errors);
}

Datum
catalogue_is_parse_options(PG_FUNCTION_ARGS)
{
	List *errors = NIL;

	cat_parse_options_check("parseOptions", cat_body_value(text_to_cstring(PG_GETARG_TEXT_PP(0))),
							&errors);
	PG_RETURN_BOOL(errors == NIL);
}
