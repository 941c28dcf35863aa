/*
 * chart_table_internal.h
 *	  Groups of rows as labels, series and values: used inside visuals/ only.
 */
#ifndef CATALOGUE_VISUALS_CHART_TABLE_INTERNAL_H
#define CATALOGUE_VISUALS_CHART_TABLE_INTERNAL_H

#include "catalogue.h"

#include "contents/sheet_groups.h"

/* The data of a chart. */
typedef struct ChartTable
{
	int nlabels;
	const char **labels;
	int nseries;
	const char **series; /* their names; NULL: there is one without a name */
	const char **texts;	 /* values by series, then label, as JSON; "" for none */
	double *values;		 /* the same as numbers, 0 for none */
} ChartTable;

/* chart_table_read.c */

/* The table that data of a chart are, which any JSON is read as; palloc'd. */
extern ChartTable *cat_chart_table_read(const char *json);

/* chart_table.c */

/* The groups as text of type json: labels in the order of the rows, and a value of each; has_series:
 * the second label names series, of each of which there is an array of values.  What exceeds the greatest number of labels or
 * series is added up as the last one. */
extern Datum cat_chart_table_json(const LabelGroups *groups, bool has_series);

#endif /* CATALOGUE_VISUALS_CHART_TABLE_INTERNAL_H */
