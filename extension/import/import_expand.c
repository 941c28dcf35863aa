/*
 * import_expand.c
 *	  Documents of JSON-LD as their contexts mean them.
 *
 * A document whose context has other names than those of DCAT is written anew with these, once, before it
 * is read.  A property in reverse becomes an object that says it forwards; what is nested or included
 * only to be written together stands where it belongs.  Texts that may be in several languages get the
 * one that the context says, and relative IRIs become absolute.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "base/base.h"
#include "import/context_internal.h"
#include "import/document_internal.h"

#define DEPTH_MAX 40			  /* levels of a document that are written anew */
#define JOINED_MAX 200			  /* members of an object of which some may be one property */
#define GROWTH_MAX 4			  /* how many times as long as it was a document may become, and */
#define GROWTH_FREE (1024 * 1024) /* bytes more */

/* How strings are written. */
typedef struct Strings
{
	const char *language; /* of texts; NULL: none */
	const Context *iris;  /* by which they are IRIs; NULL: they are none */
} Strings;

typedef struct Writer
{
	StringInfoData out;
	StringInfoData
		extra;	/* objects that say forwards what others say in reverse, with commas between */
	int blanks; /* objects that were given an @id */
	ContextReader contexts;
	Strings strings; /* of the value that is being written */
	bool has_nests;
	size_t growth; /* bytes that languages and bases have added */
	size_t growth_max;
	MemoryContext scratch; /* of one string */
} Writer;

/* Properties whose texts may be in several languages. */
static const char *const text_names[] = {"title",	"name",	 "description", "notes",
										 "keyword", "label", "prefLabel"};

/* An object that is written. */
typedef struct Subject
{
	const Context *context; /* of its members */
	const Context *inner;	/* of their values */
	char *id;				/* its @id, with quotes; NULL: it has none yet */
	List *written;			/* of Written * */
} Subject;

/* The value of a member, where it is written. */
typedef struct Written
{
	const char *name;
	const char *member; /* the name that gives it */
	int begin;
	int end;
} Written;

static void write_value(Writer *writer, const Context *context, const Piece *value, int depth);

static void
free_pieces(List *pieces)
{
	foreach_ptr(Piece, piece, pieces)
		if (piece->name)
			pfree(piece->name);
	list_free_deep(pieces);
}

/* Count bytes by which a context makes the document longer.  OD400 where they are too many. */
static void
grow(Writer *writer, size_t bytes)
{
	writer->growth += bytes;
	if (writer->growth > writer->growth_max)
		ereport(ERROR,
				(errcode(OD400), errmsg("the document is too large with the languages and IRIs "
										"that its context gives it")));
}

/* Write a string: a text in the language of those that are being written, or an IRI. */
static void
write_string(Writer *writer, const Piece *value)
{
	MemoryContext former = MemoryContextSwitchTo(writer->scratch);
	const char *iri = writer->strings.iris ? cat_import_text(cat_import_value(value)) : NULL;
	int before = writer->out.len;

	if (writer->strings.language)
		appendStringInfo(&writer->out, "{\"@value\":%.*s,\"@language\":\"%s\"}",
						 (int) value->length, value->text, writer->strings.language);
	else if (iri)
		cat_json_text_string(&writer->out, cat_import_context_iri(writer->strings.iris, iri));
	else
		appendBinaryStringInfo(&writer->out, value->text, (int) value->length);
	grow(writer, Max(writer->out.len - before, (int) value->length) - value->length);
	MemoryContextSwitchTo(former);
	MemoryContextReset(writer->scratch);
}

/* Return a string as an IRI that a context may make absolute, as JSON. */
static char *
iri_json(Writer *writer, const Context *context, const Piece *value)
{
	const StringInfoData out = writer->out;
	const Strings former = writer->strings;
	char *iri;

	initStringInfo(&writer->out);
	writer->strings = (Strings){.iris = context};
	write_string(writer, value);
	iri = pstrdup(writer->out.data);
	pfree(writer->out.data);
	writer->out = out;
	writer->strings = former;
	return iri;
}

/* Return the name that a member has. */
static const char *
name_of(const Context *context, const Piece *member, const Term **term)
{
	*term = cat_import_context_term(context, member->name);
	if (*term && (*term)->name)
		return (*term)->name;
	return member->name;
}

/* Return the elements of a value: List of Piece *. */
static List *
elements_of(const Piece *value)
{
	return *value->text == '[' ? cat_import_split(value->text, value->length)
							   : list_make1(unconstify(Piece *, value));
}

/* Return the context of an object's members by its types, which hold for no other object. */
static const Context *
context_of_types(const Context *context, List *members)
{
	foreach_ptr(const Piece, member, members)
	{
		const Term *term;

		if (strcmp(name_of(context, member, &term), "@type") != 0)
			continue;
		foreach_ptr(const Piece, type, elements_of(member))
		{
			const char *name = cat_import_text(cat_import_value(type));
			const Term *scoped = name ? cat_import_context_term(context, name) : NULL;

			if (scoped && scoped->scoped)
				return scoped->scoped;
		}
	}
	return context;
}

/* Add a member to the object at the end of a text. */
static void
add_member(StringInfo out, const char *name, const char *json)
{
	out->len--;
	appendStringInfo(out, "%s\"%s\":%s}", out->data[out->len - 1] == '{' ? "" : ",", name, json);
}

/* Write types by the names that are read. */
static void
write_types(Writer *writer, const Context *context, const Piece *value)
{
	const char *separator = *value->text == '[' ? "[" : "";

	foreach_ptr(const Piece, type, elements_of(value))
	{
		const char *name = cat_import_text(cat_import_value(type));
		const Term *term = name ? cat_import_context_term(context, name) : NULL;

		appendStringInfoString(&writer->out, separator);
		if (term && term->name)
			cat_json_text_string(&writer->out, term->name);
		else
			appendBinaryStringInfo(&writer->out, type->text, (int) type->length);
		separator = ",";
	}
	if (*value->text == '[')
		appendStringInfoString(&writer->out, *separator == '[' ? "[]" : "]");
}

/* Write an object by which values are indexed as the list of them. */
static void
write_indexed(Writer *writer, const Context *context, const Piece *value, bool by_id, int depth)
{
	StringInfo out = &writer->out;

	appendStringInfoChar(out, '[');
	foreach_ptr(const Piece, member, cat_import_split(value->text, value->length))
	{
		const char *name = psprintf("\"%s\"", member->name);

		foreach_ptr(const Piece, element, elements_of(member))
		{
			appendStringInfoString(out, out->data[out->len - 1] == '[' ? "" : ",");
			write_value(writer, context, element, depth + 1);
			if (by_id && *element->text == '{')
				add_member(
					out, "@id",
					iri_json(writer, context, &(Piece){.text = name, .length = strlen(name)}));
		}
	}
	appendStringInfoChar(out, ']');
}

/* Set what strings are that are values of a member. */
static void
set_strings(Writer *writer, const Context *context, const char *name, const Term *term)
{
	bool is_text = false;

	if (strcmp(name, "@set") == 0 || strcmp(name, "@list") == 0)
		return;
	for (size_t i = 0; i < lengthof(text_names); i++)
		is_text |= strcmp(cat_import_local_name(name), text_names[i]) == 0;
	writer->strings.language =
		term && term->has_language ? term->language : cat_import_context_language(context);
	if (!is_text || (term && term->is_typed))
		writer->strings.language = NULL;
	writer->strings.iris = strcmp(name, "@id") == 0 || (term && term->is_iri) ? context : NULL;
}

/* Write the value of a member that gets a name. */
static void
write_member_value(Writer *writer, const Context *context, const char *name, const Term *term,
				   const Piece *value, int depth)
{
	Container container = term ? term->container : CONTAINER_NONE;
	const Strings former = writer->strings;

	if (term && term->scoped)
		context = term->scoped;
	set_strings(writer, context, name, term);
	if (container == CONTAINER_LIST && *value->text == '[')
	{
		appendStringInfoString(&writer->out, "{\"@list\":");
		write_value(writer, context, value, depth + 1);
		appendStringInfoChar(&writer->out, '}');
	}
	else if (container > CONTAINER_LIST && *value->text == '{')
		write_indexed(writer, context, value, container == CONTAINER_ID, depth);
	else
		write_value(writer, context, value, depth + 1);
	writer->strings = former;
}

/* Set the @id of an object, which gets one if it has none. */
static void
require_id(Writer *writer, Subject *subject)
{
	if (!subject->id)
		subject->id = psprintf("\"_:in-reverse-%d\"", ++writer->blanks);
}

/* Add the object that was written to those that stand beside the document; out: what is written on. */
static void
end_extra(Writer *writer, StringInfoData out)
{
	appendStringInfo(&writer->extra, "%s%s", writer->extra.len > 0 ? "," : "", writer->out.data);
	pfree(writer->out.data);
	writer->out = out;
}

/* Write what an object says in reverse: each value gets the property, with the object as its value. */
static void
write_reverse(Writer *writer, Subject *subject, const char *name, const Piece *value, int depth)
{
	StringInfoData out = writer->out;
	const char *object;

	require_id(writer, subject);
	object = psprintf("{\"@id\":%s}", subject->id);
	foreach_ptr(const Piece, element, elements_of(value))
	{
		CHECK_FOR_INTERRUPTS();
		if (*element->text != '{' && *element->text != '"')
			continue;
		initStringInfo(&writer->out);
		if (*element->text == '"')
			appendStringInfo(&writer->out, "{\"@id\":%s}",
							 iri_json(writer, subject->inner, element));
		else
			write_value(writer, subject->inner, element, depth + 1);
		add_member(&writer->out, name, object);
		end_extra(writer, out);
	}
}

/* Write the objects that an object includes without saying anything of them. */
static void
write_included(Writer *writer, const Context *context, const Piece *value, int depth)
{
	StringInfoData out = writer->out;

	foreach_ptr(const Piece, element, elements_of(value))
	{
		if (*element->text != '{')
		{
			cat_import_context_note(&writer->contexts,
									"@included: has what is no object, which is left out");
			continue;
		}
		initStringInfo(&writer->out);
		write_value(writer, context, element, depth + 1);
		end_extra(writer, out);
	}
}

/* Write the members of "@reverse". */
static void
write_reverses(Writer *writer, Subject *subject, const Piece *value, int depth)
{
	foreach_ptr(const Piece, member, cat_import_split(value->text, value->length))
	{
		const Term *term;
		const char *name = name_of(subject->context, member, &term);

		write_reverse(writer, subject, name, member, depth);
	}
}

/* Return the value that an object has already under a name which another name, or a nested one, means, too;
 * NULL: none. */
static Written *
find_written(const Writer *writer, const Subject *subject, const char *name, const Piece *member)
{
	foreach_ptr(Written, written, *name == '@' ? NIL : subject->written)
		if (strcmp(written->name, name) == 0 &&
			(writer->has_nests || strcmp(written->member, member->name) != 0))
			return written;
	return NULL;
}

/* Return the elements of a list without its brackets; another value as it is. */
static char *
inside(char *value)
{
	if (*value != '[')
		return value;
	value[strlen(value) - 1] = '\0';
	return value + 1;
}

/* Put the value at the end, from begin on, into one list with a value before it. */
static void
join(StringInfo out, Subject *subject, Written *before, int begin)
{
	const char *added = inside(pstrdup(out->data + begin));
	const char *former = inside(pnstrdup(out->data + before->begin, before->end - before->begin));
	const char *separator = *former && *added ? "," : "";
	const char *rest = pnstrdup(out->data + before->end, begin - before->end);
	int end = before->end;

	out->len = before->begin;
	appendStringInfo(out, "[%s%s%s]", former, separator, added);
	foreach_ptr(Written, written, subject->written)
	{
		written->begin += written->begin > end ? out->len - end : 0;
		written->end += written->end >= end ? out->len - end : 0;
	}
	appendStringInfoString(out, rest);
}

/* Write the name and the value of a member of an object. */
static void
write_named(Writer *writer, Subject *subject, const char *name, const Term *term,
			const Piece *member, int depth)
{
	StringInfo out = &writer->out;
	Written *before = find_written(writer, subject, name, member);
	Written *written;
	int begin;

	if (!before)
		appendStringInfo(out, "%s\"%s\":", out->data[out->len - 1] == '{' ? "" : ",", name);
	begin = out->len;
	if (strcmp(name, "@type") == 0)
		write_types(writer, subject->context, member);
	else
		write_member_value(writer, subject->inner, name, term, member, depth);
	if (before)
		join(out, subject, before, begin);
	else if (list_length(subject->written) < JOINED_MAX)
	{
		written = palloc(sizeof(Written));
		*written = (Written){name, member->name, begin, out->len};
		subject->written = lappend(subject->written, written);
	}
}

/* Write a member of an object. */
static void
write_member(Writer *writer, Subject *subject, const Piece *member, int depth)
{
	const Term *term;
	const char *name = name_of(subject->context, member, &term);

	if (strcmp(name, "@context") == 0)
		return;
	if (strcmp(name, "@reverse") == 0 && *member->text != '{')
		cat_import_context_note(&writer->contexts, "@reverse: is no object, and is left out");
	else if (strcmp(name, "@included") == 0)
		write_included(writer, subject->inner, member, depth);
	else if (strcmp(name, "@reverse") == 0)
		write_reverses(writer, subject, member, depth);
	else if (term && term->reverse)
		write_reverse(writer, subject, name, member, depth);
	else if (cat_import_is_named(member, "seriesMember"))
		write_reverse(writer, subject, "dcat:inSeries", member, depth);
	else
		write_named(writer, subject, name, term, member, depth);
}

/* Return the context of an object: its own, or the one around it. */
static const Context *
own_context(Writer *writer, const Context *context, List *members)
{
	foreach_ptr(const Piece, member, members)
		if (strcmp(member->name, "@context") == 0)
			return cat_import_context_read(&writer->contexts, context, member);
	return context;
}

/* Return members with those of the objects that they nest in place of these. */
static List *
unnested(Writer *writer, const Context *context, List *members, int depth)
{
	List *all = NIL;

	foreach_ptr(Piece, member, members)
	{
		const Term *term;

		if (depth > DEPTH_MAX || strcmp(name_of(context, member, &term), "@nest") != 0)
		{
			all = lappend(all, member);
			continue;
		}
		foreach_ptr(const Piece, element, elements_of(member))
			if (*element->text == '{')
				all = list_concat(all, unnested(writer, context,
												cat_import_split(element->text, element->length),
												depth + 1));
			else
				cat_import_context_note(&writer->contexts,
										"@nest: has what is no object, which is left out");
	}
	return all;
}

/* Return the member that is the @id of an object, NULL for none. */
static const Piece *
id_of(const Context *context, List *members)
{
	const Term *term;

	foreach_ptr(const Piece, member, members)
		if (strcmp(name_of(context, member, &term), "@id") == 0 && *member->text == '"')
			return member;
	return NULL;
}

static void
write_object(Writer *writer, const Context *context, const Piece *value, int depth)
{
	List *members = cat_import_split(value->text, value->length);
	const Context *inner = own_context(writer, context, members);
	Subject subject = {.inner = inner, .context = context_of_types(inner, members)};
	const Piece *given;

	if (writer->has_nests)
		members = unnested(writer, subject.context, members, depth);
	given = id_of(subject.context, members);
	subject.id = given ? iri_json(writer, inner, given) : NULL;
	appendStringInfoChar(&writer->out, '{');
	foreach_ptr(const Piece, member, members)
		write_member(writer, &subject, member, depth);
	appendStringInfoChar(&writer->out, '}');
	if (subject.id && !given)
		add_member(&writer->out, "@id", subject.id);
	else if (subject.id && list_length(members) > 1 &&
			 strncmp(subject.id, given->text, given->length) != 0)
		add_member(&writer->out, RELATIVE, pnstrdup(given->text, given->length));
	if (subject.id)
		pfree(subject.id);
	list_free_deep(subject.written);
	free_pieces(members);
}

static void
write_value(Writer *writer, const Context *context, const Piece *value, int depth)
{
	CHECK_FOR_INTERRUPTS();
	if (*value->text == '"')
		write_string(writer, value);
	else if (depth > DEPTH_MAX || (*value->text != '{' && *value->text != '['))
		appendBinaryStringInfo(&writer->out, value->text, (int) value->length);
	else if (*value->text == '{')
		write_object(writer, context, value, depth);
	else
	{
		List *elements = cat_import_split(value->text, value->length);
		const char *separator = "[";

		foreach_ptr(const Piece, element, elements)
		{
			appendStringInfoString(&writer->out, separator);
			write_value(writer, context, element, depth + 1);
			separator = ",";
		}
		appendStringInfoString(&writer->out, elements ? "]" : "[]");
		free_pieces(elements);
	}
}

/* ---- Documents ---- */

/* Return whether a document has a text. */
static bool
has(const Piece *document, const char *text)
{
	return memmem(document->text, document->length, text, strlen(text)) != NULL;
}

/* Return whether an @id in a document begins with a prefix of its context. */
static bool
has_compact(const Context *context, const Piece *document)
{
	static const char name[] = "\"@id\"";
	const char *end = document->text + document->length;
	const char *p = document->text;

	while ((p = memmem(p, (size_t) (end - p), name, strlen(name))) != NULL)
	{
		p = cat_import_skip_space(p + strlen(name), end);
		if (p == end || *p != ':')
			continue;
		p = cat_import_skip_space(p + 1, end);
		if (p < end && *p == '"' && cat_import_context_is_compact(context, p + 1))
			return true;
	}
	return false;
}

/* Return whether the context of an object, or of one of the documents in a list, changes names or IRIs, or
 * one within it may. */
static bool
is_changed(Writer *writer, const Piece *document)
{
	bool changed = false;

	foreach_ptr(const Piece, part, cat_import_split(document->text, document->length))
	{
		if (part->name && strcmp(part->name, "@context") == 0)
		{
			const Context *context = cat_import_context_read(&writer->contexts, NULL, part);

			changed |= context->changes || has_compact(context, document);
		}
		else if (!part->name && *part->text == '{')
			changed |= is_changed(writer, part);
		else if (part->name)
			changed |= has(part, "\"@context\"");
		if (changed)
			break;
	}
	return changed;
}

/* Return a document with the objects that say in reverse what others say. */
static const Piece *
with_extra(Writer *writer, const Piece *document)
{
	Piece *joined = palloc0(sizeof(Piece));

	*joined = *document;
	joined->text = writer->out.data;
	if (writer->extra.len > 0)
		joined->text = psprintf("[%s,{\"@graph\":[%s]}]", writer->out.data, writer->extra.data);
	joined->length = strlen(joined->text);
	return joined;
}

const Piece *
cat_import_expand(const Piece *document, List **notes)
{
	Writer writer = {.has_nests = has(document, "\"@nest\""),
					 .growth_max = GROWTH_MAX * document->length + GROWTH_FREE};
	bool changed = writer.has_nests || has(document, "\"@included\"") ||
				   has(document, "\"@reverse\"") || has(document, "seriesMember\"");

	if (has(document, "\"@context\""))
		changed |= is_changed(&writer, document);
	if (changed)
	{
		initStringInfo(&writer.out);
		initStringInfo(&writer.extra);
		writer.scratch = AllocSetContextCreate(CurrentMemoryContext, "catalogue import string",
											   ALLOCSET_SMALL_SIZES);
		write_value(&writer, NULL, document, 0);
		document = with_extra(&writer, document);
		MemoryContextDelete(writer.scratch);
	}
	*notes = writer.contexts.notes;
	return document;
}
