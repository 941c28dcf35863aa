/*
 * chart_table_internal.h
 *	  Groups of rows as labels, series and values: used inside visuals/ only.
 */
#ifndef CATALOGUE_VISUALS_CHART_TABLE_INTERNAL_H
#define CATALOGUE_VISUALS_CHART_TABLE_INTERNAL_H

#include "catalogue.h"

#include "contents/contents.h"

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

#endif /* CATALOGUE_VISUALS_CHART_TABLE_INTERNAL_H */
