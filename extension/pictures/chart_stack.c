/*
 * chart_stack.c
 *	  Bars of several series, one on the other.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/chart_internal.h"

#define GAP 1.0		 /* between a segment and the one before it */
#define GAP_FROM 3.0 /* least length of a segment with one */

Segment *
cat_chart_stack_make(const ChartPicture *chart, double *low, double *high)
{
	Segment *segments = palloc0(sizeof(Segment) * (size_t) (chart->nseries * chart->nlabels + 1));

	*low = *high = 0;
	for (int j = 0; j < chart->nlabels; j++)
	{
		double above = 0;
		double below = 0;

		for (int i = 0; i < chart->nseries; i++)
		{
			double value = cat_chart_reduce_value(chart, i, j);
			double *end = value < 0 ? &below : &above;
			Segment *segment = &segments[i * chart->nlabels + j];

			segment->from = *end;
			if (!isnan(value))
				*end += value;
			segment->to = *end;
		}
		*low = Min(*low, below);
		*high = Max(*high, above);
	}
	return segments;
}

bool
cat_chart_stack_place(const Scale *scale, Segment segment, double low, double high, Segment *place)
{
	double from = cat_scale_place(scale, segment.from, low, high);
	double to = cat_scale_place(scale, segment.to, low, high);

	if (segment.from != 0 && fabs(to - from) > GAP_FROM)
		from += to > from ? GAP : -GAP;
	*place = (Segment){Min(from, to), Max(from, to)};
	return segment.from != segment.to;
}
