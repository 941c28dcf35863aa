/*
 * export_file.c - a file in GDAL's memory to the worker; the parts of a Shapefile in an archive.
 */
#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <zip.h>

#include "gdal/export.h"

#define NOTE "README.txt"

void
export_file_note(Export *export, ExportSheet *sheet, OGRLayerH layer)
{
	Buffer *notes = &export->notes;
	OGRFeatureDefnH definition = OGR_L_GetLayerDefn(layer);

	if (notes->length == 0)
		buffer_text(notes, "A Shapefile has names of at most 10 letters and texts of at most 254 "
						   "bytes. GeoPackage, GeoJSON and CSV have no such limits.\n");
	buffer_format(notes, "\n%s\n", OGR_L_GetName(layer));
	for (size_t i = 0; i < sheet->count; i++)
	{
		const ExportColumn *column = &sheet->columns[i];
		const char *name = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(definition, (int) i));

		buffer_format(notes, "  %-10s  %s\n", name, column->title);
		if (column->cut > 0)
			buffer_format(notes, "              texts that are cut: %lld\n",
						  (long long) column->cut);
		if (column->without > 0)
			buffer_format(notes, "              numbers that are too long and left out: %lld\n",
						  (long long) column->without);
	}
	if (sheet->left_out > 0)
		buffer_format(notes, "  rows with geometries of several kinds, left out: %lld\n",
					  (long long) sheet->left_out);
	sheet->left_out = 0;
}

static _Noreturn void
refuse_output(Export *export)
{
	parse_refuse_file(export->parse, "the file could not be written in memory");
}

/* Add a part to the archive, which does not copy its bytes. */
static void
add_part(Export *export, zip_t *archive, const char *name, const void *bytes, size_t length)
{
	zip_source_t *source = zip_source_buffer(archive, bytes, length, 0);
	zip_int64_t index = source != NULL ? zip_file_add(archive, name, source, ZIP_FL_ENC_UTF_8) : -1;

	/* the default level takes five times as long for the blanks of a DBF */
	if (index < 0 ||
		zip_set_file_compression(archive, (zip_uint64_t) index, ZIP_CM_DEFLATE, 1) != 0)
		refuse_output(export);
}

static void
add_parts(Export *export, zip_t *archive)
{
	char **names = VSIReadDir(export->form->path);

	for (char **name = names; name != NULL && *name != NULL; name++)
	{
		vsi_l_offset length = 0;
		const GByte *bytes =
			VSIGetMemFileBuffer(CPLFormFilename(export->form->path, *name, NULL), &length, FALSE);

		if (bytes == NULL)
			refuse_output(export);
		add_part(export, archive, *name, bytes, (size_t) length);
	}
	CSLDestroy(names);
	add_part(export, archive, NOTE, export->notes.data, export->notes.length);
	if (export->notes.failed)
		refuse_output(export);
}

/* Send the parts, and the notes, in an archive. */
static void
send_archive(Export *export)
{
	zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, NULL);
	zip_t *archive = source != NULL ? zip_open_from_source(source, ZIP_TRUNCATE, NULL) : NULL;
	char *bytes = parse_allocate(export->parse, FRAME_USUAL);
	zip_int64_t length;

	if (archive == NULL)
		refuse_output(export);
	/* it is read after the archive is closed */
	zip_source_keep(source);
	add_parts(export, archive);
	if (zip_close(archive) != 0 || zip_source_open(source) != 0)
		refuse_output(export);
	while ((length = zip_source_read(source, bytes, FRAME_USUAL)) > 0)
	{
		buffer_append(frame_begin(export->parse, FRAME_CHUNK), bytes, (size_t) length);
		frame_send(export->parse);
	}
	zip_source_close(source);
	zip_source_free(source);
}

void
export_file_send(Export *export)
{
	vsi_l_offset length = 0;
	const char *bytes;

	if (export->form->noted)
	{
		send_archive(export);
		return;
	}
	bytes = (const char *) VSIGetMemFileBuffer(export->form->path, &length, FALSE);
	if (bytes == NULL)
		refuse_output(export);
	for (vsi_l_offset at = 0; at < length; at += FRAME_USUAL)
	{
		size_t part = length - at < FRAME_USUAL ? (size_t) (length - at) : FRAME_USUAL;

		buffer_append(frame_begin(export->parse, FRAME_CHUNK), bytes + at, part);
		frame_send(export->parse);
	}
}
