/*
 * map_frame.c
 *	  The frame of a map: lines at round degrees, and a scale bar.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/map_internal.h"

#define METERS_OF_DEGREE 111195.0 /* of latitude */
#define MERIDIAN_DISTANCE 80.0	  /* least distance of two lines */
#define PARALLEL_DISTANCE 60.0
#define BAR_MOST 140.0

/* Return a round number of degrees that is not less. */
static double
round_degrees(double least)
{
	static const double great[] = {1, 2, 5, 10, 15, 30, 45, 60, 90};
	Scale scale;

	for (size_t i = 0; least > 0.5 && i < lengthof(great); i++)
		if (great[i] >= least)
			return great[i];
	if (least > 0.5)
		return 180;
	scale = cat_scale_make(0, least, 1, false);
	return scale.step;
}

/* Return a multiple of the step between the lines as text. */
static char *
line_text(double degrees, double step, const char *positive, const char *negative)
{
	int decimals = (int) Max(0, -floor(log10(step) + 1e-9));
	bool zero = fabs(degrees) < step / 2;

	return psprintf("%.*f\xC2\xB0%s", zero ? 0 : decimals, zero ? 0 : fabs(degrees),
					zero || degrees == -180 ? ""
					: degrees > 0			? positive
											: negative);
}

static void
draw_meridians(Canvas *canvas, const MapFrame *frame)
{
	double step = round_degrees(MERIDIAN_DISTANCE / (frame->scale * frame->stretch));

	for (int i = (int) ceil(frame->shown_west / step);; i++)
	{
		double degrees = i * step;
		double x = cat_map_picture_x(frame, degrees);

		if (x > frame->right)
			break;
		cat_svg_line(canvas, "grid", x, frame->top, x, frame->bottom);
		degrees -= 360 * floor((degrees + 180) / 360);
		if (x < PICTURE_RIGHT - 20)
			cat_svg_label(canvas, "soft mid", x, frame->bottom + 16,
						  line_text(degrees, step, " E", " W"));
	}
}

static void
draw_parallels(Canvas *canvas, const MapFrame *frame)
{
	double step = round_degrees(PARALLEL_DISTANCE / frame->scale);

	for (int i = (int) floor(frame->shown_north / step);; i--)
	{
		double y = cat_map_picture_y(frame, i * step);

		if (y > frame->bottom)
			break;
		if (fabs(i * step) > 90)
			continue;
		cat_svg_line(canvas, "grid", frame->left, y, frame->right, y);
		cat_svg_label(canvas, "soft end", frame->left - 8, y + 4,
					  line_text(i * step, step, " N", " S"));
	}
}

void
cat_map_frame_draw(Canvas *canvas, const MapFrame *frame)
{
	draw_meridians(canvas, frame);
	draw_parallels(canvas, frame);
	appendStringInfo(&canvas->out,
					 "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
					 "height=\"%.1f\"/>\n",
					 frame->left, frame->top, frame->right - frame->left,
					 frame->bottom - frame->top);
	canvas->y = frame->bottom;
}

void
cat_map_frame_scale_bar(Canvas *canvas, const MapFrame *frame)
{
	double most = BAR_MOST * METERS_OF_DEGREE / frame->scale;
	double power = pow(10, floor(log10(most)));
	double meters = power * (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1);
	double length = meters * frame->scale / METERS_OF_DEGREE;
	double y = frame->bottom + 36;

	appendStringInfo(&canvas->out, "<path class=\"base\" d=\"M%.1f %.1fv6h%.1fv-6\"/>\n",
					 frame->left, y - 3, length);
	cat_svg_label(canvas, "", frame->left + length + 8, y + 4,
				  meters < 1000 ? psprintf("%s m", cat_scale_value(meters))
								: psprintf("%s km", cat_scale_value(meters / 1000)));
	canvas->y = y + 20;
}
