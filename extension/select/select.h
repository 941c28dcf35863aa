/*
 * select.h
 *	  One SELECT of a client over the tables that it may see: what is called from outside.
 */
#ifndef CATALOGUE_SELECT_SELECT_H
#define CATALOGUE_SELECT_SELECT_H

#include "catalogue.h"

/* select_scan.c */

/* Set the hook of the planner; called once, when the library is loaded. */
extern void cat_select_scan_init(void);

#endif /* CATALOGUE_SELECT_SELECT_H */
