/*
 * layers.c - fuzzing target: a geographic file, which the driver of GDAL reads that the first byte names.
 *
 * What breaks GDAL itself is no fault of the reader, and no input to be kept: it is caught by the sandbox.
 */
#include <gdal.h>

#include "frames.h"
#include "fuzz.h"
#include "gdal/layers.h"

extern void __lsan_disable(void) __attribute__((weak));

/* Prepare once, without a search for leaks: the process of a reader ends where a file is refused. */
static void
prepare(void)
{
	static const Options options;
	static bool prepared;

	if (prepared)
		return;
	if (__lsan_disable != NULL)
		__lsan_disable();
	library_prepare(&options);
	prepared = true;
}

/* Close what a reading that was refused has left open. */
static void
close_files(void)
{
	GDALDatasetH *datasets;
	int count;

	for (GDALGetOpenDatasets(&datasets, &count); count > 0; GDALGetOpenDatasets(&datasets, &count))
		GDALClose(datasets[0]);
}

void
fuzz_one(char *text, size_t length)
{
	static void (*const readers[])(Parse * parse) = {
		dataset_read_shape,	   dataset_read_gpkg, dataset_read_gml, dataset_read_gpx,
		dataset_read_topojson, dataset_read_fgb,  dataset_read_mif, dataset_read_dxf};

	prepare();
	if (length > 1)
		frames_check(text + 1, length - 1, length,
					 readers[(unsigned char) *text % lengthof(readers)]);
	close_files();
}
