/*
 * kml.c - KML: a row for each placemark, with its name, description, other data and extended data.
 *
 * Styles and views are ignored, other features reported, and nothing is fetched.  In KML 2.1 a schema
 * makes an element that is a placemark of its own type; its members are data.
 */

#include <strings.h>

#include "formats/book.h"
#include "geo/features.h"
#include "geo/shape.h"

#define SCHEMAS_MAXIMUM 256 /* types of placemarks of a file */
#define NUMBER_MAXIMUM 256	/* bytes of a number of a position */
#define PATH_MAXIMUM 1000	/* bytes of the names of the open folders */

/* Columns that each placemark has. */
static const char *const titles[] = {"name", "description", NULL};

/* What is done with the text of an element. */
typedef enum Target
{
	TARGET_COLUMN,	 /* it is the value of a column */
	TARGET_POSITION, /* it is the position of the placemark */
	TARGET_SHAPE,	 /* it is positions of its geometry */
	TARGET_FOLDER	 /* it is the name of the innermost folder */
} Target;

typedef struct Kml
{
	Parse *parse;
	Features *features;
	unsigned depth;		/* of the open element, 1 for the first */
	unsigned placemark; /* of the open one; 0: none */
	unsigned extended;	/* of the open extended data; 0: none */
	unsigned point;		/* of the open one whose position is the placemark's; 0: none */
	unsigned ring;		/* of the open boundary of a polygon; 0: none */
	unsigned shaped;	/* of the open geometry of another kind; 0: none */
	const char *kind;	/* of that */
	Shape shape;		/* of that */
	bool timed;			/* a time of it was taken */
	unsigned data;		/* of the open one; 0: none */
	unsigned taken;		/* of the element whose text is taken; 0: none */
	Target target;		/* of that text */
	unsigned column;	/* that it belongs to */
	unsigned folders;	/* that are open */
	unsigned folder_depth[BOOK_DEPTH];
	size_t folder_length[BOOK_DEPTH]; /* of the path outside of the folder */
	size_t path_length;
	char path[PATH_MAXIMUM]; /* names of the open folders, divided by slashes */
	unsigned cut;			 /* of the outermost folder whose name does not fit; 0: none */
	unsigned others;		 /* kinds of other features that were reported */
	unsigned schemas;
	char *schema[SCHEMAS_MAXIMUM];
} Kml;

/* The text that is taken: that of positions may be longer than that of a cell. */
static Buffer *
taken_text(Kml *kml)
{
	return kml->target == TARGET_SHAPE ? &kml->parse->shape : &kml->parse->cell;
}

/* Begin to take the text of the open element. */
static void
take_text(Kml *kml, Target target)
{
	kml->taken = kml->depth;
	kml->target = target;
	taken_text(kml)->length = 0;
	taken_text(kml)->failed = false;
}

static void
take_cell(Kml *kml, unsigned column)
{
	take_text(kml, TARGET_COLUMN);
	kml->column = column;
}

/* The column of the property that an attribute names, else of that which is called as the element. */
static unsigned
find_column(Kml *kml, const char *element, const char **attributes)
{
	const char *name = xml_attribute(attributes, "name");

	if (name == NULL)
		name = element;
	return features_column(kml->features, name, strlen(name));
}

/* Take the text of a child of the placemark that is a column, or of a member of such a child. */
static bool
start_datum(Kml *kml, const char *name)
{
	static const struct
	{
		const char *name;
		Datum datum;
		unsigned level; /* 1: a child of the placemark */
	} data[] = {{"address", DATUM_ADDRESS, 1}, {"phoneNumber", DATUM_PHONE_NUMBER, 1},
				{"Snippet", DATUM_SNIPPET, 1}, {"snippet", DATUM_SNIPPET, 1},
				{"when", DATUM_TIMESTAMP, 2},  {"begin", DATUM_BEGIN, 2},
				{"end", DATUM_END, 2}};

	for (size_t i = 0; i < lengthof(data); i++)
		if (kml->depth == kml->placemark + data[i].level && strcmp(name, data[i].name) == 0)
		{
			take_cell(kml, features_datum(kml->features, data[i].datum));
			return true;
		}
	return false;
}

static bool
is_one_of(const char *name, const char *const *names)
{
	while (*names != NULL && strcmp(name, *names) != 0)
		names++;
	return *names != NULL;
}

/* Put a text into the column of the open placemark. */
static void
set_datum(Kml *kml, Datum datum, const char *text, size_t length)
{
	Buffer *cell = &kml->parse->cell;

	if (length == 0)
		return;
	cell->length = 0;
	cell->failed = false;
	buffer_append(cell, text, length);
	features_set(kml->features, features_datum(kml->features, datum));
}

/* Kinds of WKT by their elements. */
static const struct
{
	const char *element;
	const char *kind; /* NULL: a ring of a polygon */
} kinds[] = {{"Point", "Point"},
			 {"LineString", "LineString"},
			 {"LinearRing", "LineString"},
			 {"Track", "LineString"},
			 {"Polygon", "Polygon"},
			 {"outerBoundaryIs", NULL},
			 {"innerBoundaryIs", NULL},
			 {"MultiGeometry", "GeometryCollection"},
			 {"MultiTrack", "GeometryCollection"}};

/* An element in a geometry: a part of it, or its positions. */
static void
start_shape(Kml *kml, const char *name)
{
	Shape *shape = &kml->shape;

	if (strcmp(name, "coordinates") == 0 || strcmp(name, "coord") == 0)
	{
		take_text(kml, TARGET_SHAPE);
		return;
	}
	/* of a track the first time is kept */
	if (strcmp(name, "when") == 0 && !kml->timed)
		kml->timed = start_datum(kml, name);
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (strcmp(name, kinds[i].element) == 0 && kinds[i].kind != NULL)
		{
			/* the ring of a polygon has no name */
			if (strcmp(name, "LinearRing") == 0 && kml->ring != 0)
				return;
			shape_next(shape);
			shape_name(shape, shape->length, kinds[i].kind);
			shape_text(shape, "(");
		}
		else if (strcmp(name, kinds[i].element) == 0)
		{
			shape_next(shape);
			shape_text(shape, "(");
			kml->ring = kml->depth;
		}
}

/* The element in a geometry ends. */
static void
end_shape(Kml *kml, const char *name)
{
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (strcmp(name, kinds[i].element) == 0 &&
			(strcmp(name, "LinearRing") != 0 || kml->ring == 0))
			shape_text(&kml->shape, ")");
}

/* The geometry of the open placemark is whole. */
static void
end_geometry(Kml *kml)
{
	const char *reason;

	if (kml->shape.positions == 1 && strcmp(kml->kind, "Model") != 0)
		features_single(kml->features);
	if (kml->shape.positions < 2)
		return;
	reason = shape_write(&kml->shape);
	if (reason == NULL)
		features_shape(kml->features, &kml->shape.extent);
	else
		features_unplaced(kml->features, reason);
}

static void
start_geometry(Kml *kml, const char *name)
{
	if (!features_geometry(kml->features, name, strlen(name)))
		return;
	if (strcmp(name, "Point") == 0)
	{
		kml->point = kml->depth;
		return;
	}
	kml->shaped = kml->depth;
	kml->timed = false;
	kml->kind = features_kind(name, strlen(name));
	shape_begin(&kml->shape, kml->parse);
	start_shape(kml, name);
}

/* A child of the placemark: a column, a geometry, or what has data.  How it is shown is no data. */
static void
start_member(Kml *kml, const char *name, const char **attributes)
{
	const char *link = strcmp(name, "link") == 0 ? xml_attribute(attributes, "href") : NULL;
	static const char *const geometries[] = {"Point",	"LineString", "LinearRing",
											 "Polygon", "Model",	  "MultiGeometry",
											 "Track",	"MultiTrack", NULL};
	static const char *const looks[] = {"visibility",		 "open",	  "styleUrl", "Style",
										"StyleMap",			 "LookAt",	  "Camera",	  "Region",
										"balloonVisibility", "TimeStamp", "TimeSpan", NULL};

	for (unsigned i = 0; titles[i] != NULL; i++)
		if (strcmp(name, titles[i]) == 0)
		{
			take_cell(kml, features_format_column(kml->features, i));
			return;
		}
	if (is_one_of(name, geometries))
		start_geometry(kml, name);
	else if (strcmp(name, "ExtendedData") == 0 || strcmp(name, "Metadata") == 0)
		kml->extended = kml->depth;
	else if (link != NULL)
		set_datum(kml, DATUM_LINK, link, strlen(link));
	else if (!start_datum(kml, name) && !is_one_of(name, looks))
		take_cell(kml, features_column(kml->features, name, strlen(name)));
}

/* An element of extended data: a value with a name, or of any other vocabulary. */
static void
start_extended(Kml *kml, const char *name, const char **attributes)
{
	if (kml->depth == kml->extended + 1)
	{
		if (strcmp(name, "Data") == 0)
		{
			kml->data = kml->depth;
			kml->column = find_column(kml, name, attributes);
		}
		else if (strcmp(name, "SchemaData") != 0)
			take_cell(kml, features_column(kml->features, name, strlen(name)));
	}
	else if (kml->data != 0 && strcmp(name, "value") == 0)
		take_cell(kml, kml->column);
	else if (strcmp(name, "SimpleData") == 0 || strcmp(name, "SimpleArrayData") == 0)
		take_cell(kml, find_column(kml, name, attributes));
}

static void
start_inner(Kml *kml, const char *name, const char **attributes)
{
	if (kml->depth == kml->placemark + 1)
		start_member(kml, name, attributes);
	else if (kml->extended != 0)
		start_extended(kml, name, attributes);
	else if (kml->shaped != 0)
		start_shape(kml, name);
	else if (kml->point != 0 && kml->depth == kml->point + 1 && strcmp(name, "coordinates") == 0)
		take_text(kml, TARGET_POSITION);
	else
		(void) start_datum(kml, name);
}

static void
start_placemark(Kml *kml, const char **attributes)
{
	const char *id = xml_attribute(attributes, "id");

	kml->placemark = kml->depth;
	features_open(kml->features);
	if (id != NULL)
		set_datum(kml, DATUM_ID, id, strlen(id));
	set_datum(kml, DATUM_FOLDER, kml->path, kml->path_length);
	if (kml->cut != 0)
		features_report(kml->features,
						"the names of its folders are longer than 1,000 bytes and are cut");
}

static bool
is_typed(const Kml *kml, const char *name)
{
	for (unsigned i = 0; i < kml->schemas; i++)
		if (strcmp(name, kml->schema[i]) == 0)
			return true;
	return false;
}

/* A schema names a type of placemarks, in KML 2.1. */
static void
add_schema(Kml *kml, const char **attributes)
{
	const char *name = xml_attribute(attributes, "name");
	const char *parent = xml_attribute(attributes, "parent");

	if (name == NULL || parent == NULL || strcmp(parent, "Placemark") != 0 || is_typed(kml, name))
		return;
	if (kml->schemas == SCHEMAS_MAXIMUM)
		parse_refuse(kml->parse, "the file has more than 256 schemas of placemarks");
	kml->schema[kml->schemas++] = parse_copy(kml->parse, name);
}

/* Report a feature that is no placemark, the first of each kind. */
static void
report_other(Kml *kml, const char *name)
{
	static const struct
	{
		const char *name;
		const char *reason;
	} others[] = {{"NetworkLink", "the file has network links, which are not followed"},
				  {"GroundOverlay", "the file has ground overlays, which are not rows"},
				  {"ScreenOverlay", "the file has screen overlays, which are not rows"},
				  {"PhotoOverlay", "the file has photo overlays, which are not rows"},
				  {"Tour", "the file has tours, which are not rows"}};

	for (size_t i = 0; i < lengthof(others); i++)
		if (strcmp(name, others[i].name) == 0 && (kml->others & 1U << i) == 0)
		{
			kml->others |= 1U << i;
			features_report(kml->features, others[i].reason);
		}
}

static void
start_outer(Kml *kml, const char *name, const char **attributes)
{
	if (strcmp(name, "Folder") == 0)
	{
		kml->folder_depth[kml->folders] = kml->depth;
		kml->folder_length[kml->folders++] = kml->path_length;
	}
	else if (strcmp(name, "Schema") == 0)
		add_schema(kml, attributes);
	else if (strcmp(name, "Placemark") == 0 || is_typed(kml, name))
		start_placemark(kml, attributes);
	else if (kml->folders > 0 && kml->depth == kml->folder_depth[kml->folders - 1] + 1 &&
			 strcmp(name, "name") == 0)
		take_text(kml, TARGET_FOLDER);
	else
		report_other(kml, name);
}

static void
start(void *data, const char *name, const char **attributes)
{
	Kml *kml = data;

	if (++kml->depth == 1 && strcmp(name, "kml") != 0)
		parse_refuse(kml->parse, "the file is not KML: its root element is not kml");
	if (kml->taken != 0)
		return;
	if (kml->placemark != 0)
		start_inner(kml, name, attributes);
	else
		start_outer(kml, name, attributes);
}

/* The innermost folder has a name. */
static void
set_folder(Kml *kml, const char *from, const char *to)
{
	size_t length = (size_t) (to - from);
	size_t kept;

	kml->path_length = kml->folder_length[kml->folders - 1];
	if (kml->path_length > 0 && kml->path_length < PATH_MAXIMUM)
		kml->path[kml->path_length++] = '/';
	kept = frame_cut(from, length, PATH_MAXIMUM - kml->path_length);
	if (kept < length && kml->cut == 0)
		kml->cut = kml->folder_depth[kml->folders - 1];
	memcpy(kml->path + kml->path_length, from, kept);
	kml->path_length += kept;
}

/* The end of the first position: white space that is not beside a comma divides positions. */
static const char *
position_end(const char *from, const char *to)
{
	for (const char *at = from; at < to; at++)
	{
		const char *next = at;

		while (next < to && xml_is_space(*next))
			next++;
		if (next > at && strchr(",;", at[-1]) == NULL && strchr(",;", *next) == NULL)
			return at;
		at = next;
	}
	return to;
}

/* Take a number of a position, with a decimal point. */
static void
take_number(Kml *kml, unsigned axis, const char *from, const char *to, char divider)
{
	char text[NUMBER_MAXIMUM];
	size_t length = (size_t) (to - from);

	if (divider == ';' && length < sizeof(text))
	{
		char *comma;

		memcpy(text, from, length);
		comma = memchr(text, ',', length);
		if (comma != NULL)
			*comma = '.';
		from = text;
	}
	if (kml->shaped == 0 || kml->shape.positions == 0)
		features_position(kml->features, axis, from, length);
	if (kml->shaped != 0)
		shape_number(&kml->shape, axis, from, length);
}

/*
 * Read longitude, latitude and altitude.  They are divided by commas, of a track by blanks; by
 * semicolons where some program has written decimal commas.
 */
static void
read_position(Kml *kml, const char *from, const char *to)
{
	size_t length = (size_t) (to - from);
	char divider = memchr(from, ';', length) != NULL   ? ';'
				   : memchr(from, ',', length) != NULL ? ','
													   : ' ';
	unsigned axis = 0;

	if (kml->shaped != 0)
		shape_next(&kml->shape);
	for (; from < to; axis++)
	{
		const char *sign = memchr(from, divider, (size_t) (to - from));
		const char *end = sign == NULL ? to : sign;
		const char *next = sign == NULL ? to : sign + 1;

		xml_trim(&from, &end);
		take_number(kml, axis, from, end, divider);
		from = next;
	}
	if (kml->shaped != 0)
		shape_position(&kml->shape, axis);
}

/* Read the positions of a geometry. */
static void
read_positions(Kml *kml, const char *from, const char *to)
{
	while (from < to)
	{
		const char *end = position_end(from, to);

		read_position(kml, from, end);
		for (from = end; from < to && xml_is_space(*from); from++)
			;
	}
}

/* Read the position of a point; of several the first. */
static void
read_point(Kml *kml, const char *from, const char *to)
{
	const char *first = position_end(from, to);

	if (first < to)
		features_report(kml->features, "the point has several positions, and the first was taken");
	if (from < first)
		read_position(kml, from, first);
}

/* Are these numbers of a track, which stand in an element of their own with blanks between? */
static bool
is_track(const char *from, const char *to)
{
	return memchr(from, ',', (size_t) (to - from)) == NULL;
}

/* The element whose text was taken has ended. */
static void
end_text(Kml *kml)
{
	Buffer *text = taken_text(kml);
	const char *from = text->length > 0 ? text->data : "";
	const char *to = from + text->length;

	kml->taken = 0;
	kml->shape.full |= kml->target == TARGET_SHAPE && text->failed;
	xml_trim(&from, &to);
	if (kml->target == TARGET_POSITION)
		read_point(kml, from, to);
	else if (kml->target == TARGET_SHAPE && is_track(from, to))
		read_position(kml, from, to);
	else if (kml->target == TARGET_SHAPE)
		read_positions(kml, from, to);
	else if (kml->target == TARGET_FOLDER)
		set_folder(kml, from, to);
	else if (from < to)
	{
		text->length = (size_t) (to - from);
		memmove(text->data, from, text->length);
		features_set(kml->features, kml->column);
	}
}

/* Forget an open element if it is the one that ends. */
static void
leave(const Kml *kml, unsigned *open)
{
	if (*open == kml->depth)
		*open = 0;
}

static void
end(void *data, const char *name)
{
	Kml *kml = data;

	if (kml->taken == kml->depth)
		end_text(kml);
	else if (kml->shaped != 0 && kml->taken == 0)
		end_shape(kml, name);
	if (kml->shaped == kml->depth)
		end_geometry(kml);
	leave(kml, &kml->ring);
	leave(kml, &kml->shaped);
	leave(kml, &kml->data);
	leave(kml, &kml->point);
	leave(kml, &kml->extended);
	if (kml->folders > 0 && kml->folder_depth[kml->folders - 1] == kml->depth)
		kml->path_length = kml->folder_length[--kml->folders];
	leave(kml, &kml->cut);
	if (kml->placemark == kml->depth)
	{
		kml->placemark = 0;
		features_close(kml->features);
	}
	kml->depth--;
}

static void
text(void *data, const char *bytes, size_t length)
{
	Kml *kml = data;

	if (kml->taken != 0)
		buffer_append(taken_text(kml), bytes, length);
}

/* Begin the sheet. */
static Kml *
begin(Parse *parse)
{
	Kml *kml = parse_allocate(parse, sizeof(Kml));

	kml->parse = parse;
	kml->features = features_begin(parse, &(FeaturesForm){titles, .number = 1, .name = ""});
	return kml;
}

static const XmlHandlers handlers = {start, end, text};

void
kml_read(Parse *parse)
{
	static const XmlFile file = {.subject = "the file",
								 .malformed = "not well-formed XML",
								 .doctype = "is not allowed",
								 .memory =
									 "the file takes more memory to read than a file may have",
								 .encodings = true,
								 .check = parse_check_magic};
	Kml *kml = begin(parse);

	xml_read_file(unzip_new(parse), &file, &handlers, kml);
	features_end(kml->features);
}

static bool
is_document(const char *name)
{
	size_t length = strlen(name);

	return length >= 4 && strcasecmp(name + length - 4, ".kml") == 0;
}

void
kml_read_kmz(Parse *parse)
{
	static const UnzipForm form = {"the archive", "archive", BOOK_BYTES, "2 GB"};
	Unzip *unzip = unzip_open(parse, &form);
	const int64_t first = unzip_find(unzip, "doc.kml");
	Kml *kml = begin(parse);
	bool found = first >= 0;

	if (found)
		xml_read(unzip, first, &handlers, kml);
	for (size_t i = 0; i < unzip->count; i++)
		if (unzip->names[i].part != first && is_document(unzip->names[i].name))
		{
			found = true;
			xml_read(unzip, unzip->names[i].part, &handlers, kml);
		}
	if (!found)
		parse_refuse(parse, "the archive has no KML");
	features_end(kml->features);
}
