/*
 * select_words.c
 *	  Functions, operators and types that a client's statement may use.
 *
 * Each function computes a value from its arguments and nothing else, in a time that is interrupted
 * by a timeout, or that select_bound.c bounds.  Therefore functions that read settings, catalogs, files or sequences, take locks or
 * sleep are not among them, nor are exp, ln, log and power, which do not check for interrupts and take
 * minutes for a number of 100,000 digits.
 */
#include "catalogue.h"

#include "select/select_internal.h"

/* In the order of strcmp(). */
static const char *const functions[] = {
	"abs",
	"age",
	"ascii",
	"atan",
	"atan2",
	"avg",
	"bool_and",
	"bool_or",
	"btrim",
	"ceil",
	"ceiling",
	"char_length",
	"character_length",
	"chr",
	"concat",
	"concat_ws",
	"corr",
	"cos",
	"count",
	"covar_pop",
	"covar_samp",
	"cume_dist",
	"date_bin",
	"date_part",
	"date_trunc",
	"degrees",
	"dense_rank",
	"div",
	"every",
	"extract",
	"first_value",
	"floor",
	"initcap",
	"isfinite",
	"justify_days",
	"justify_hours",
	"justify_interval",
	"lag",
	"last_value",
	"lead",
	"left",
	"length",
	"like_escape",
	"lower",
	"lpad",
	"ltrim",
	"make_date",
	"make_interval",
	"make_time",
	"make_timestamp",
	"max",
	"md5",
	"min",
	"mod",
	"mode",
	"nth_value",
	"ntile",
	"overlaps",
	"overlay",
	"percent_rank",
	"percentile_cont",
	"percentile_disc",
	"pi",
	"position",
	"radians",
	"rank",
	"regexp_count",
	"regexp_instr",
	"regexp_like",
	"regexp_replace",
	"regexp_substr",
	"regr_intercept",
	"regr_r2",
	"regr_slope",
	"replace",
	"reverse",
	"right",
	"round",
	"row_number",
	"rpad",
	"rtrim",
	"sign",
	"similar_to_escape",
	"sin",
	"split_part",
	"sqrt",
	"starts_with",
	"stddev",
	"stddev_pop",
	"stddev_samp",
	"string_agg",
	"strpos",
	"substr",
	"substring",
	"sum",
	"tan",
	"timezone",
	"to_char",
	"to_date",
	"to_number",
	"to_timestamp",
	"translate",
	"trunc",
	"upper",
	"var_pop",
	"var_samp",
	"variance",
	"width_bucket",
};

static const char *const operators[] = {
	"!=", "!~", "!~*", "!~~", "!~~*", "%",	"*", "+",  "-",	 "/",	"<",
	"<=", "<>", "=",   ">",	  ">=",	  "||", "~", "~*", "~~", "~~*",
};

/* Their values neither name objects of the database nor are looked up in catalogs. */
static const char *const types[] = {
	"bool",		"bpchar",  "date", "float4", "float8",	  "int2",		 "int4",	"int8",
	"interval", "numeric", "text", "time",	 "timestamp", "timestamptz", "varchar",
};

static int
compare(const void *key, const void *word)
{
	return strcmp(key, *(const char *const *) word);
}

#define IS_AMONG(name, words) \
	(bsearch(name, words, lengthof(words), sizeof((words)[0]), compare) != NULL)

bool
cat_select_words_function(const char *name)
{
	return IS_AMONG(name, functions);
}

bool
cat_select_words_operator(const char *name)
{
	return IS_AMONG(name, operators);
}

bool
cat_select_words_type(const char *name)
{
	return IS_AMONG(name, types);
}
