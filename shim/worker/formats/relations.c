/*
 * relations.c - relationships of the parts of an archive, from the .rels part of each part and
 * from [Content_Types].xml.
 */

#include "formats/book.h"

#define PATH_MAXIMUM 512

typedef struct Reading
{
	Parse *parse;
	const char *base; /* folder of the part with its final slash, or "" */
	Relation *first;
	Relation **last;
} Reading;

/* Resolve the target of a relation: absolute, or relative to the folder of its part. */
static char *
resolve(Parse *parse, const char *base, const char *target)
{
	char path[PATH_MAXIMUM];
	size_t used = 0;

	if (*target != '/' && *target != '\\')
		used = (size_t) snprintf(path, sizeof(path), "%.200s", base);
	target += strspn(target, "/\\");
	for (;;)
	{
		size_t length = strcspn(target, "/\\");

		if (length == 2 && memcmp(target, "..", 2) == 0)
		{
			/* back to the slash before the last folder */
			used -= used > 0;
			while (used > 0 && path[used - 1] != '/')
				used--;
		}
		else if (!(length == 1 && *target == '.') && used + length + 2 < sizeof(path))
		{
			memcpy(path + used, target, length);
			used += length;
			if (target[length] != '\0')
				path[used++] = '/';
		}
		target += length;
		if (*target == '\0')
			break;
		target++;
	}
	path[used] = '\0';
	return parse_copy(parse, path);
}

static void
add(Reading *reading, const char *id, const char *kind, const char *target)
{
	Relation *relation = parse_allocate(reading->parse, sizeof(Relation));

	relation->id = parse_copy(reading->parse, id);
	relation->kind = parse_copy(reading->parse, kind);
	relation->target = resolve(reading->parse, reading->base, target);
	*reading->last = relation;
	reading->last = &relation->next;
}

static void
start_relation(void *data, const char *name, const char **attributes)
{
	const char *id = xml_attribute(attributes, "Id");
	const char *type = xml_attribute(attributes, "Type");
	const char *target = xml_attribute(attributes, "Target");
	const char *mode = xml_attribute(attributes, "TargetMode");
	const char *slash;

	if (strcmp(name, "Relationship") != 0 || id == NULL || type == NULL || target == NULL ||
		(mode != NULL && strcmp(mode, "External") == 0))
		return;
	slash = strrchr(type, '/');
	add(data, id, slash == NULL ? type : slash + 1, target);
}

/*
 * The kind in a content type: "main" in application/vnd.openxmlformats-....sheet.main+xml.
 */
static void
start_content(void *data, const char *name, const char **attributes)
{
	Reading *reading = data;
	const char *part = xml_attribute(attributes, "PartName");
	const char *type = xml_attribute(attributes, "ContentType");
	const char *dot = type == NULL ? NULL : strrchr(type, '.');
	char *kind;

	if (strcmp(name, "Override") != 0 || part == NULL || dot == NULL)
		return;
	kind = parse_copy(reading->parse, dot + 1);
	kind[strcspn(kind, "+")] = '\0';
	add(reading, "", kind, part);
}

Relation *
relations_read(Unzip *unzip, const char *part)
{
	static const XmlHandlers handlers = {start_relation, NULL, NULL};
	const char *slash = strrchr(part, '/');
	int folder = slash == NULL ? 0 : (int) (slash + 1 - part);
	char base[PATH_MAXIMUM];
	char name[PATH_MAXIMUM + 32];
	Reading reading = {unzip->parse, base, NULL, NULL};
	int64_t found;

	reading.last = &reading.first;
	snprintf(base, sizeof(base), "%.*s", folder, part);
	snprintf(name, sizeof(name), "%s_rels/%s.rels", base, part + folder);
	found = unzip_find(unzip, name);
	if (found >= 0)
		xml_read(unzip, found, &handlers, &reading);
	return reading.first;
}

Relation *
relations_of_contents(Unzip *unzip)
{
	static const XmlHandlers handlers = {start_content, NULL, NULL};
	Reading reading = {unzip->parse, "", NULL, NULL};
	int64_t found = unzip_find(unzip, "[Content_Types].xml");

	reading.last = &reading.first;
	if (found >= 0)
		xml_read(unzip, found, &handlers, &reading);
	return reading.first;
}

const Relation *
relations_by_id(const Relation *relations, const char *id)
{
	while (relations != NULL && strcmp(relations->id, id) != 0)
		relations = relations->next;
	return relations;
}

const Relation *
relations_by_kind(const Relation *relations, const char *kind)
{
	while (relations != NULL && strcmp(relations->kind, kind) != 0)
		relations = relations->next;
	return relations;
}
