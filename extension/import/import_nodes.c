/*
 * import_nodes.c
 *	  The objects of a document of JSON-LD, by their @id.
 *
 * Those of a graph are noted while it is read.  Those within others, such as a publisher that the first
 * dataset describes and the next ones name, are looked for when a reference leads to none of the former.
 * Several objects with one @id say all that any of them says.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "import/document_internal.h"

#define LEVELS_MAX 64 /* of objects in each other that are looked at */

/* ---- One object of several ---- */

/* A property of objects that become one. */
typedef struct Merged
{
	const char *name;
	List *values; /* of Piece *, each once */
} Merged;

/* What objects that become one have so far. */
typedef struct Merger
{
	List *properties; /* of Merged * */
	HTAB *by_name;	  /* these */
	HTAB *present;	  /* values, behind the name of their property */
} Merger;

/* Add a value to those of a property, unless it is there. */
static void
add_value(Merger *merger, Merged *merged, Piece *value)
{
	const char *key = psprintf("%s %.*s", merged->name, (int) value->length, value->text);

	CHECK_FOR_INTERRUPTS();
	if (cat_import_map_get(merger->present, key))
		return;
	cat_import_map_put(merger->present, key, value);
	merged->values = lappend(merged->values, value);
}

/* Add the members of an object. */
static void
add_members(Merger *merger, List *members)
{
	foreach_ptr(Piece, member, members)
	{
		Merged *merged = cat_import_map_get(merger->by_name, member->name);

		if (merged && strcmp(member->name, "@id") == 0)
			continue;
		if (!merged)
		{
			merged = palloc0(sizeof(Merged));
			merged->name = member->name;
			cat_import_map_put(merger->by_name, member->name, merged);
			merger->properties = lappend(merger->properties, merged);
		}
		if (*member->text != '[')
			add_value(merger, merged, member);
		else
			foreach_ptr(Piece, element, cat_import_split(member->text, member->length))
				add_value(merger, merged, element);
	}
}

/* Append a property; one that has a single value has no array. */
static void
append_merged(StringInfo object, const Merged *merged)
{
	bool several = list_length(merged->values) != 1;

	appendStringInfo(object, "%c\"%s\":%s", object->len == 0 ? '{' : ',', merged->name,
					 several ? "[" : "");
	foreach_ptr(const Piece, value, merged->values)
		appendStringInfo(object, "%s%.*s", foreach_current_index(value) > 0 ? "," : "",
						 (int) value->length, value->text);
	appendStringInfoString(object, several ? "]" : "");
}

/* Make one object of all that have its @id. */
static void
merge(Piece *node)
{
	Merger merger = {.by_name = cat_import_map(), .present = cat_import_map()};
	StringInfoData object;

	initStringInfo(&object);
	add_members(&merger, cat_import_split(node->text, node->length));
	foreach_ptr(const Piece, piece, node->more)
		add_members(&merger, cat_import_split(piece->text, piece->length));
	foreach_ptr(const Merged, merged, merger.properties)
		append_merged(&object, merged);
	appendStringInfoChar(&object, '}');
	hash_destroy(merger.by_name);
	hash_destroy(merger.present);
	node->text = object.data;
	node->length = object.len;
	node->more = NIL;
	node->merged = true;
}

/* ---- Objects within others ---- */

/* An object that is open while a text is looked through. */
typedef struct Level
{
	const char *begin;
	const char *id; /* the value of its @id, with quotes; NULL: none */
	int members;
} Level;

/* Add an object to those of its @id; returns the first one of it. */
static Piece *
add(HTAB *nodes, Piece *piece, const char *id)
{
	Piece *known = cat_import_map_get(nodes, id);

	piece->node = true;
	if (!known)
		cat_import_map_put(nodes, pstrdup(id), piece);
	else if (known->length != piece->length || memcmp(known->text, piece->text, known->length) != 0)
		known->more = lappend(known->more, piece);
	return known ? known : piece;
}

Piece *
cat_import_nodes_add(ImportDocument *document, Piece *piece, const char *id)
{
	piece->node = true;
	return id ? add(document->nodes, piece, id) : piece;
}

/* Note an object that has an @id and says more, unless the graph has one. */
static void
note_level(ImportDocument *document, const Level *level, const char *end)
{
	Piece *piece;
	const char *id;

	CHECK_FOR_INTERRUPTS();
	if (!level->id || level->members < 2)
		return;
	id = pnstrdup(level->id, strcspn(level->id, "\""));
	if (cat_import_map_get(document->nodes, id))
		return;
	piece = palloc0(sizeof(Piece));
	piece->text = level->begin;
	piece->length = (size_t) (end - level->begin);
	(void) add(document->nested, piece, id);
}

/* Take a string, which may be a name of the innermost object; returns what follows it. */
static const char *
scan_string(Level *level, const char *string, const char *end)
{
	static const char name[] = "\"@id\"";
	const char *after = cat_import_skip_string(string, end);
	bool is_id = after - string == (int) strlen(name) && memcmp(string, name, strlen(name)) == 0;
	const char *p = cat_import_skip_space(after, end);

	if (!level || p == end || *p != ':')
		return after;
	level->members++;
	p = cat_import_skip_space(p + 1, end);
	if (is_id && p < end && *p == '"')
		level->id = p + 1;
	return p;
}

/* Note the objects in a text of valid JSON. */
static void
scan(ImportDocument *document, const Piece *text)
{
	Level levels[LEVELS_MAX];
	const char *end = text->text + text->length;
	int depth = 0;

	for (const char *p = text->text; p < end;)
	{
		Level *level = depth > 0 && depth <= LEVELS_MAX ? &levels[depth - 1] : NULL;

		if (*p == '"')
		{
			p = scan_string(level, p, end);
			continue;
		}
		if (*p == '{' && ++depth <= LEVELS_MAX)
			levels[depth - 1] = (Level){.begin = p};
		else if (*p == '}')
		{
			if (level)
				note_level(document, level, p + 1);
			depth--;
		}
		p++;
	}
}

/* ---- Finding ---- */

/* Return the object with an @id that is within others; NULL for none. */
static Piece *
find_nested(ImportDocument *document, const char *id)
{
	if (!document->nested)
	{
		MemoryContext former = MemoryContextSwitchTo(document->lasting);

		document->nested = cat_import_map();
		if (document->text)
			scan(document, document->text);
		MemoryContextSwitchTo(former);
	}
	return cat_import_map_get(document->nested, id);
}

void
cat_import_nodes_merge(ImportDocument *document, Piece *node)
{
	/* it is needed as long as the document is */
	MemoryContext former = MemoryContextSwitchTo(document->lasting);

	if (node->more != NIL)
		merge(node);
	MemoryContextSwitchTo(former);
}

const Piece *
cat_import_node(ImportDocument *document, const char *id)
{
	Piece *node = cat_import_map_get(document->nodes, id);

	if (!node)
		node = find_nested(document, id);
	if (node)
		cat_import_nodes_merge(document, node);
	return node;
}

bool
cat_import_node_is_elsewhere(ImportDocument *document, const char *id)
{
	const Piece *nested;

	if (cat_import_map_get(document->nodes, id))
		return true;
	nested = find_nested(document, id);
	return nested && (nested->more != NIL || nested->merged);
}
