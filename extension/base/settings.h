/*
 * settings.h
 *	  Settings of the extension, catalogue.<name without cat_> in SQL.
 *
 * They are defined in settings.c, each with what it means, its default and its bounds.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "catalogue.h"

/* Maximum number of languages of the search. */
#define SEARCH_LANGUAGES_MAX 8

extern int cat_max_limit; /* records of a page, at most */
extern bool cat_check_references;
extern bool cat_log_refusals;	   /* log what is wrong with a request */
extern int cat_history_retention;  /* seconds */
extern int cat_log_retention;	   /* seconds; -1: for ever */
extern int cat_name_retention;	   /* seconds */
extern int cat_question_retention; /* seconds; -1: for ever */
extern int cat_dataset_questions;  /* of a dataset in a day; 0: any number */
extern int cat_login_window;	   /* seconds */
extern int cat_login_failures_name;
extern int cat_login_failures_address;
extern int cat_public_creations;
extern int cat_parallel_hashes; /* 0: half of the cores */
extern char *cat_secret_key_file;
extern char *cat_former_secret_key_file;
extern int cat_upload_limit;	 /* kilobytes */
extern int cat_upload_retention; /* seconds */
extern int cat_store_retention;	 /* seconds */
extern int cat_store_check;		 /* seconds; -1: never */
extern bool cat_hold_uploads;
extern int cat_query_timeout; /* milliseconds */
extern int cat_query_memory;  /* kilobytes */
extern int cat_query_rows;
extern int cat_map_features;		 /* rows */
extern int cat_facets_age;			 /* seconds; 0: facets are counted anew after each change */
extern int cat_facets_exact;		 /* records */
extern char *cat_search_languages;	 /* names with commas between, and blanks */
extern int cat_visitor_addresses;	 /* VisitorAddresses */
extern int cat_visitor_address_days; /* 0: as long as the record */

/* What the statistics keep of a client's address. */
typedef enum VisitorAddresses
{
	ADDRESSES_WHOLE,
	ADDRESSES_CUT, /* the network */
	ADDRESSES_NONE
} VisitorAddresses;

/* Define all parameters; called once, when the library is loaded. */
extern void cat_settings_init(void);

#endif
