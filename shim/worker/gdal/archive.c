/*
 * archive.c - the layers of an archive: each Shapefile, MapInfo TAB or MIF in it is a sheet.
 *
 * The parts are unpacked into memory within the limits of unzip.c, and get names that drivers know;
 * GDAL itself would leave out layers in folders where there is one outside of them.
 */
#include <strings.h>

#include <cpl_vsi.h>

#include "formats/book.h"
#include "gdal/layers.h"
#include "text/text.h"

#define PATH_MAXIMUM 600 /* bytes of the name of a part */

/* Files of a layer, the first of which names it. */
typedef struct Kind
{
	const DatasetForm *form;
	const char *parts[8]; /* endings, up to a NULL */
} Kind;

static const Kind kinds[] = {
	{&dataset_shape, {".shp", ".shx", ".dbf", ".prj", ".cpg"}},
	{&dataset_tab, {".tab", ".dat", ".map", ".id", ".ind"}},
	{&dataset_mif, {".mif", ".mid"}},
};

/* A part in memory. */
typedef struct Piece
{
	char path[64]; /* empty: it is not there */
	char *bytes;
	size_t length;
} Piece;

typedef struct Archive
{
	Layers layers;
	Unzip *unzip;
	char stem[PATH_MAXIMUM]; /* the name of the layer's files without the ending */
	Piece pieces[8];
} Archive;

/* Unpack a part, with a zero byte behind it. */
static void
unpack(Archive *archive, int64_t part, Piece *piece)
{
	Parse *parse = archive->layers.parse;
	size_t room = 0;
	size_t got = 1;

	unzip_begin(archive->unzip, part);
	for (piece->length = 0; got > 0; piece->length += got)
	{
		if (room - piece->length < 2)
		{
			room = piece->length + archive->unzip->left + 2;
			piece->bytes = parse_resize(parse, piece->bytes, room);
		}
		got = unzip_read(archive->unzip, piece->bytes + piece->length, room - piece->length - 1);
	}
	unzip_end(archive->unzip);
	piece->bytes[piece->length] = '\0';
}

/* Put the files of a layer into GDAL's memory. */
static void
put_pieces(Archive *archive, const Kind *kind)
{
	char name[PATH_MAXIMUM + 8];

	for (unsigned i = 0; kind->parts[i] != NULL; i++)
	{
		Piece *piece = &archive->pieces[i];
		int64_t part;

		snprintf(name, sizeof(name), "%s%s", archive->stem, kind->parts[i]);
		part = unzip_find(archive->unzip, name);
		if (part < 0)
			continue;
		unpack(archive, part, piece);
		snprintf(piece->path, sizeof(piece->path), "/vsimem/%u/layer%s", archive->layers.sheets,
				 kind->parts[i]);
		dataset_put(&archive->layers, piece->path, piece->bytes, piece->length);
	}
}

static void
take_pieces(Archive *archive)
{
	for (unsigned i = 0; i < lengthof(archive->pieces); i++)
	{
		Piece *piece = &archive->pieces[i];

		if (piece->path[0] != '\0')
			VSIUnlink(piece->path);
		parse_release(archive->layers.parse, piece->bytes);
		*piece = (Piece){0};
	}
}

/* What a Shapefile has besides its geometries. */
static void
look_at_shape(Archive *archive)
{
	const Piece *table = &archive->pieces[2];
	const Piece *page = &archive->pieces[4];

	archive->layers.unlisted = archive->pieces[1].path[0] == '\0';
	archive->layers.bare = table->path[0] == '\0';
	archive->layers.note =
		archive->layers.bare
			? "the archive has no .dbf of this Shapefile, so its rows have no attributes"
			: NULL;
	if (!archive->layers.bare)
		dbf_find_encoding(&archive->layers, table->bytes, table->length,
						  page->path[0] != '\0' ? page->bytes : NULL);
}

/* Read the layer of archive->stem. */
static void
read_layer(void *data)
{
	Archive *archive = data;
	const Kind *kind = kinds;
	char name[PATH_MAXIMUM + 8];
	const char *slash = strrchr(archive->stem, '/');

	archive->layers.name = slash != NULL ? slash + 1 : archive->stem;
	for (kind = kinds; kind < kinds + lengthof(kinds) - 1; kind++)
	{
		snprintf(name, sizeof(name), "%s%s", archive->stem, kind->parts[0]);
		if (unzip_find(archive->unzip, name) >= 0)
			break;
	}
	put_pieces(archive, kind);
	archive->layers.raw = false;
	archive->layers.bare = false;
	archive->layers.note = NULL;
	if (kind == kinds)
		look_at_shape(archive);
	else if (kind->form == &dataset_mif && archive->pieces[1].path[0] == '\0')
		archive->layers.note =
			"the archive has no .mid of this MIF, so its rows have no attributes";
	snprintf(name, sizeof(name), "/vsimem/%u/%s", archive->layers.sheets, kind->form->name);
	dataset_read(&archive->layers, kind->form, name);
	take_pieces(archive);
}

/* A layer that cannot be read is a sheet without rows, so that the others are there. */
static void
lose_layer(Archive *archive)
{
	Parse *parse = archive->layers.parse;
	Sheet *sheet = sheet_begin(parse, ++archive->layers.sheets, archive->layers.name, false);

	sheet_lose(sheet, 1, parse->reason);
	sheet_end(sheet);
	take_pieces(archive);
}

/* Does a part name a layer?  Its stem is kept then. */
static bool
is_layer(Archive *archive, const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash != NULL ? slash + 1 : name;
	const char *dot = strrchr(base, '.');
	char table[PATH_MAXIMUM + 8];

	/* beside the files proper macOS has others of the same names */
	if (dot == NULL || strncmp(base, "._", 2) == 0 || strncmp(name, "__MACOSX/", 9) == 0)
		return false;
	for (size_t i = 0; i < lengthof(kinds); i++)
	{
		if (strcasecmp(dot, kinds[i].parts[0]) != 0)
			continue;
		if ((size_t) (dot - name) >= PATH_MAXIMUM)
			parse_refuse(archive->layers.parse,
						 "the archive has a part with a name that is too long");
		snprintf(archive->stem, sizeof(archive->stem), "%.*s", (int) (dot - name), name);
		snprintf(table, sizeof(table), "%s%s", archive->stem, ".dat");
		/* a .tab without one is a table of texts */
		return kinds[i].form != &dataset_tab || unzip_find(archive->unzip, table) >= 0;
	}
	return false;
}

void
archive_read(Parse *parse)
{
	static const UnzipForm form = {"the archive", "archive", ARCHIVE_BYTES, "1 GB"};
	Archive *archive = parse_allocate(parse, sizeof(Archive));

	archive->layers.parse = parse;
	archive->unzip = unzip_open(parse, &form);
	for (size_t i = 0; i < archive->unzip->count; i++)
	{
		if (!is_layer(archive, archive->unzip->names[i].name))
			continue;
		if (archive->layers.sheets == LAYERS_MAXIMUM)
			parse_refuse_file(parse, "the archive has more than 256 layers");
		if (!parse_try(parse, read_layer, archive))
			lose_layer(archive);
	}
	if (archive->layers.sheets == 0)
		parse_refuse(parse, "the archive has no Shapefile, MapInfo TAB or MIF");
}
