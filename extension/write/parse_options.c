/*
 * parse_options.c
 *	  Options of how a file is read: whether the field parseOptions is valid.
 */
#include "catalogue.h"

#include <iconv.h>

#include "catalog/pg_collation_d.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "base/parse_options.h"
#include "write/write_internal.h"

static bool fits(const Member *member, ParseOption option);

/* Return whether a value is a list of what an option takes, and not too long. */
static bool
fits_list(const Member *member, ParseOption option)
{
	List *elements = member->kind == MEMBER_ARRAY ? cat_body_elements(member->raw) : NIL;

	if (member->kind != MEMBER_ARRAY || list_length(elements) > parse_options[option].elements)
		return false;
	foreach_ptr(Member, element, elements)
		if (!fits(element, option))
			return false;
	return true;
}

/* Return whether a value, or an element of a list, fits an option. */
static bool
fits(const Member *member, ParseOption option)
{
	const char *text =
		psprintf("%c%s", "-bnsao"[member->kind], member -> text ? member -> text : member -> raw);
	iconv_t converter;

	if (!DatumGetBool(DirectFunctionCall2Coll(textregexeq, C_COLLATION_OID,
											  CStringGetTextDatum(text),
											  CStringGetTextDatum(parse_options[option].pattern))))
		return false;
	if (option != OPTION_ENCODING)
		return true;
	converter = iconv_open("UTF-8", member->text);
	return converter != (iconv_t) -1 && iconv_close(converter) == 0;
}

/* Return the names of the options as "a, b, c". */
static char *
option_names(void)
{
	StringInfo out = makeStringInfo();

	for (size_t i = 0; i < lengthof(parse_options); i++)
		if (parse_options[i].pattern)
			appendStringInfo(out, "%s%s", out->len ? ", " : "", parse_options[i].name);
	return out->data;
}

static void
check_option(const char *field, const Member *option, List **errors)
{
	for (ParseOption i = 0; i < lengthof(parse_options); i++)
	{
		if (!parse_options[i].pattern || strcmp(parse_options[i].name, option->name) != 0)
			continue;
		if (option->kind != MEMBER_NULL &&
			!(parse_options[i].elements > 0 ? fits_list : fits)(option, i))
			cat_validation_error_add(errors, field, "format", option, parse_options[i].takes);
		return;
	}
	cat_validation_error_add(errors, field, "format", option,
							 psprintf("%s: is none of %s", option->name, option_names()));
}

/* Check that a sign does not stand before decimals and between thousands. */
static void
check_signs(const char *field, List *members, List **errors)
{
	const Member *decimal = cat_body_member(members, "decimal");
	const Member *thousands = cat_body_member(members, "thousands");

	if (decimal && thousands && decimal->kind == MEMBER_STRING &&
		thousands->kind == MEMBER_STRING && strcmp(decimal->text, thousands->text) == 0)
		cat_validation_error_add(errors, field, "format", thousands,
								 "thousands: takes another sign than decimal");
}

/* Return the number of an option; otherwise where it has none that is valid. */
static long
number_of(const Member *member, ParseOption option, long otherwise)
{
	return member && member->kind == MEMBER_NUMBER && fits(member, option)
			   ? strtol(member->text, NULL, 10)
			   : otherwise;
}

/* Check that the rows of the heading, of which header is the last, come after the skipped rows. */
static void
check_order(const char *field, List *members, List **errors)
{
	const Member *header = cat_body_member(members, "header");
	const Member *rows = cat_body_member(members, "headerRows");
	long last = number_of(header, OPTION_HEADER, LONG_MAX);
	long skip = number_of(cat_body_member(members, "skip"), OPTION_SKIP, 0);

	if (last <= skip)
		cat_validation_error_add(errors, field, "format", header,
								 "header: takes a row after those that skip leaves out");
	else if (last - skip < number_of(rows, OPTION_HEADER_ROWS, 1))
		cat_validation_error_add(errors, field, "format", rows,
								 "headerRows: takes at most the rows behind skip up to header");
}

/* Add an error for each invalid option of a member that is parseOptions. */
void
cat_parse_options_check(const char *field, const Member *member, List **errors)
{
	List *members;

	if (member->kind != MEMBER_OBJECT)
	{
		cat_validation_error_add(errors, field, "type", member, "takes an object");
		return;
	}
	members = cat_body_members(member->raw, strlen(member->raw));
	foreach_ptr(Member, entry, members)
		check_option(field, entry, errors);
	check_order(field, members, errors);
	check_signs(field, members, errors);
}

CAT_FUNCTION(catalogue_is_parse_options)
{
	List *errors = NIL;

	cat_parse_options_check(
		"parseOptions",
		cat_body_value(text_to_cstring(PG_GETARG_TEXT_PP(ARG_IS_PARSE_OPTIONS_OPTIONS))), &errors);
	PG_RETURN_BOOL(errors == NIL);
}
