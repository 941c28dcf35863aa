/*
 * chart_reduce.c
 *	  Values of a chart, their range, and no more series than can be told apart.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/chart_internal.h"

#define REST "Other" /* name of the series that are added up */

double
cat_chart_reduce_value(const ChartPicture *chart, int series, int label)
{
	return chart->values[series * chart->nlabels + label];
}

/* The size of a series: the sum of its absolute values. */
typedef struct SeriesSize
{
	int number;
	double size;
} SeriesSize;

static int
by_size(const void *a, const void *b)
{
	const SeriesSize *left = a;
	const SeriesSize *right = b;

	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	return left->number - right->number;
}

/* Return which series are shown by themselves: the largest ones, but not what is a rest already. */
static bool *
choose_series(const ChartPicture *chart)
{
	SeriesSize *sizes = palloc0(sizeof(SeriesSize) * (size_t) chart->nseries);
	bool *chosen = palloc0(sizeof(bool) * (size_t) chart->nseries);

	for (int i = 0; i < chart->nseries; i++)
	{
		sizes[i].number = i;
		for (int j = 0; j < chart->nlabels; j++)
			if (!isnan(cat_chart_reduce_value(chart, i, j)))
				sizes[i].size += fabs(cat_chart_reduce_value(chart, i, j));
		if (i == chart->nseries - 1 && strcmp(chart->series[i], REST) == 0)
			sizes[i].size = -1;
	}
	qsort(sizes, (size_t) chart->nseries, sizeof(SeriesSize), by_size);
	for (int i = 0; i < SERIES_COLORS - 1; i++)
		chosen[sizes[i].number] = true;
	return chosen;
}

static void
add(double *sum, double value)
{
	if (!isnan(value))
		*sum = isnan(*sum) ? value : *sum + value;
}

ChartPicture
cat_chart_reduce_series(const ChartPicture *chart)
{
	ChartPicture reduced = *chart;
	size_t width = (size_t) chart->nlabels;
	double *rest;
	const bool *chosen;

	if (chart->nseries <= SERIES_COLORS || !chart->series)
		return reduced;
	chosen = choose_series(chart);
	reduced.series = palloc(sizeof(char *) * SERIES_COLORS);
	reduced.values = palloc(sizeof(double) * SERIES_COLORS * (width + 1));
	reduced.nseries = 0;
	rest = reduced.values + (SERIES_COLORS - 1) * width;
	for (size_t j = 0; j < width; j++)
		rest[j] = NAN;
	for (int i = 0; i < chart->nseries; i++)
	{
		const double *row = chart->values + (size_t) i * width;

		if (!chosen[i])
			for (size_t j = 0; j < width; j++)
				add(&rest[j], row[j]);
		else
		{
			memcpy(reduced.values + (size_t) reduced.nseries * width, row, sizeof(double) * width);
			reduced.series[reduced.nseries++] = chart->series[i];
		}
	}
	reduced.series[reduced.nseries++] = REST;
	return reduced;
}

bool
cat_chart_reduce_range(const ChartPicture *chart, double *low, double *high)
{
	bool found = false;

	for (int i = 0; i < chart->nseries * chart->nlabels; i++)
	{
		double value = chart->values[i];

		if (isnan(value))
			continue;
		*low = found ? Min(*low, value) : value;
		*high = found ? Max(*high, value) : value;
		found = true;
	}
	return found;
}

bool
cat_chart_reduce_whole(const ChartPicture *chart)
{
	for (int i = 0; i < chart->nseries * chart->nlabels; i++)
		if (!isnan(chart->values[i]) && chart->values[i] != floor(chart->values[i]))
			return false;
	return true;
}

int
cat_chart_reduce_color(const ChartPicture *chart, int series)
{
	bool is_rest = series > 0 && series == chart->nseries - 1 && chart->series &&
				   strcmp(chart->series[series], REST) == 0;

	return is_rest ? SERIES_COLORS - 1 : series % SERIES_COLORS;
}
