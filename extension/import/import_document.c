/*
 * import_document.c
 *	  The entries of a document: DCAT-US, DCAT as JSON-LD, or answers of CKAN.
 *
 * Objects that refer to each other by @id are looked up where an entry names one, and no further:
 * references in a circle lead nowhere.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "base/byte_order_mark.h"
#include "import/document_internal.h"

#define ENTRIES_MAX 100000 /* datasets of one document */

/* Return the text of a member of an object that has been split, NULL for none. */
static char *
piece_text(List *pieces, const char *name)
{
	const Piece *piece = cat_import_piece(pieces, name);

	return piece ? cat_import_text(cat_import_value(piece)) : NULL;
}

/* Return whether the type of an object is, or one of its types is, this word behind any prefix. */
static bool
has_type(List *pieces, const char *word)
{
	const Piece *type = cat_import_piece(pieces, "@type");
	ListCell *cell;

	if (!type)
		return false;
	foreach(cell, cat_import_elements(cat_import_value(type)))
	{
		const char *text = cat_import_text(lfirst(cell));

		if (text && strcmp(cat_import_local_name(text), word) == 0)
			return true;
	}
	return false;
}

/* Raise OD400 for a document that describes no datasets. */
pg_noreturn static void
refuse_document(void)
{
	ereport(
		ERROR,
		(errcode(OD400), errmsg("the document is no catalogue"),
		 errhint(
			 "A catalogue has dataset (DCAT), @graph (JSON-LD) or packages as result (CKAN).")));
}

/* Return whether an object says no more than where it is described. */
static bool
is_reference(const Piece *piece)
{
	List *pieces = cat_import_split(piece->text, piece->length);

	return *piece->text == '"' ||
		   (list_length(pieces) == 1 && cat_import_piece(pieces, "@id") != NULL);
}

/* Add the datasets that a catalogue lists; those that it only refers to are nodes of the graph. */
static void
add_listed(ImportDocument *document, const Piece *list, bool references)
{
	List *elements = NIL;

	if (*list->text == '[')
		elements = cat_import_split(list->text, list->length);
	else
		elements = list_make1(unconstify(Piece *, list));
	foreach_ptr(Piece, piece, elements)
	{
		if (!cat_import_is_null(piece) && (references || !is_reference(piece)))
			document->entries = lappend(document->entries, piece);
	}
}

/* Return whether an object is a dataset though it does not say so: not one of a tree of organizations,
 * nor a distribution. */
static bool
is_untyped_dataset(List *pieces)
{
	return !cat_import_piece(pieces, "@type") && !cat_import_piece(pieces, "children") &&
		   !cat_import_piece(pieces, "accessURL") && !cat_import_piece(pieces, "downloadURL") &&
		   (cat_import_piece(pieces, "title") || cat_import_piece(pieces, "distribution") ||
			cat_import_piece(pieces, "resources"));
}

/* What a catalogue, or a service, has besides datasets: objects that may list datasets themselves. */
static const char *const containers[] = {"catalog", "service", "datasetSeries"};

/* Note the language of a catalogue. */
static void
note_language(ImportDocument *document, List *pieces)
{
	static const Piece several = {.text = "[]", .length = 2};
	const Piece *language = cat_import_piece(pieces, "language");
	const Piece *known = document->language;

	if (language && !known)
		document->language =
			memcpy(MemoryContextAlloc(document->lasting, sizeof(Piece)), language, sizeof(Piece));
	else if (language && (known->length != language->length ||
						  memcmp(known->text, language->text, known->length) != 0))
		document->language = &several;
}

static void read_node(ImportDocument *document, Piece *piece);

/* Return copies of the members of an object that list datasets, or objects that do: List of Piece *. */
static List *
lists_of(List *pieces)
{
	List *lists = NIL;

	for (size_t i = 0; i < lengthof(containers); i++)
	{
		const Piece *list = cat_import_piece(pieces, containers[i]);

		if (list)
			lists = lappend(lists, memcpy(palloc(sizeof(Piece)), list, sizeof(Piece)));
	}
	return lists;
}

/* Take the objects of lists, of which none is only a reference. */
static void
read_lists(ImportDocument *document, List *lists)
{
	foreach_ptr(const Piece, list, lists)
	{
		List *elements = *list->text == '[' ? cat_import_split(list->text, list->length)
											: list_make1(unconstify(Piece *, list));

		foreach_ptr(Piece, element, elements)
			if (*element->text == '{' && !is_reference(element))
				read_node(document, element);
	}
}

/* Take an object of a graph. */
static void
read_node(ImportDocument *document, Piece *piece)
{
	MemoryContext former = MemoryContextSwitchTo(document->split);
	List *pieces = cat_import_split(piece->text, piece->length);
	const char *id = piece_text(pieces, "@id");
	const char *relative = piece_text(pieces, RELATIVE);
	bool dataset = has_type(pieces, "Dataset") || is_untyped_dataset(pieces);
	bool catalog = !dataset && has_type(pieces, "Catalog");
	const Piece *listed = catalog ? cat_import_piece(pieces, "dataset")
						  : !dataset && has_type(pieces, "DataService")
							  ? cat_import_piece(pieces, "servesDataset")
							  : NULL;
	List *lists;

	check_stack_depth();
	if (catalog)
		note_language(document, pieces);
	MemoryContextSwitchTo(former);
	lists = catalog ? lists_of(pieces) : NIL;
	listed = listed ? memcpy(palloc(sizeof(Piece)), listed, sizeof(Piece)) : NULL;
	piece = cat_import_nodes_add(document, piece, id ? pstrdup(id) : NULL);
	/* strings of which no context says that they are IRIs may refer to it, too */
	if (relative && !cat_import_map_get(document->nodes, relative))
		cat_import_map_put(document->nodes, pstrdup(relative), piece);
	MemoryContextReset(document->split);
	if (dataset && !piece->listed)
		document->entries = lappend(document->entries, piece);
	piece->listed |= dataset;
	if (listed)
		add_listed(document, listed, false);
	read_lists(document, lists);
}

/* Take the objects of a graph. */
static void
read_graph(ImportDocument *document, const Piece *graph)
{
	foreach_ptr(Piece, piece, cat_import_split(graph->text, graph->length))
	{
		read_node(document, piece);
	}
}

/* Take the result of a call of CKAN: a package, several, or a page of a search.  Others have no
 * resources: organizations, groups, tags. */
static void
read_result(ImportDocument *document, const Piece *result)
{
	const Piece *page =
		*result->text == '{'
			? cat_import_piece(cat_import_split(result->text, result->length), "results")
			: NULL;
	int before = list_length(document->entries);

	add_listed(document, page ? page : result, true);
	for (int i = before; i < list_length(document->entries); i++)
	{
		const Piece *piece = list_nth(document->entries, i);

		if (cat_import_piece(cat_import_split(piece->text, piece->length), "resources"))
			return;
	}
	if (list_length(document->entries) > before)
		refuse_document();
}

/* Note the labels of themes by their ids. */
static void
read_taxonomy(ImportDocument *document, const Piece *taxonomy)
{
	foreach_ptr(const Piece, piece, cat_import_split(taxonomy->text, taxonomy->length))
	{
		List *pieces = cat_import_split(piece->text, piece->length);
		char *id = piece_text(pieces, "id");
		char *label = piece_text(pieces, "label");

		if (id && label)
			cat_import_map_put(document->labels, id, label);
	}
}

/* Take what the members of an object that is the whole document say. */
static void
read_object(ImportDocument *document, const Piece *piece)
{
	List *pieces = cat_import_split(piece->text, piece->length);
	const Piece *graph = cat_import_piece(pieces, "@graph");
	const Piece *listed = cat_import_piece(pieces, "dataset");
	const Piece *result = cat_import_piece(pieces, "result");
	const Piece *taxonomy = cat_import_piece(pieces, "themeTaxonomy");

	if (taxonomy)
		read_taxonomy(document, taxonomy);
	if (listed)
	{
		note_language(document, pieces);
		read_lists(document, lists_of(pieces));
	}
	if (graph)
		read_graph(document, graph);
	else if (listed)
		add_listed(document, listed, true);
	else if (result)
		read_result(document, result);
	else if (has_type(pieces, "Dataset") || cat_import_piece(pieces, "distribution") ||
			 cat_import_piece(pieces, "resources"))
		document->entries = list_make1(unconstify(Piece *, piece));
	else
		refuse_document();
}

/* Return whether an object of a list is a document itself. */
static bool
is_document(List *pieces)
{
	return cat_import_piece(pieces, "@graph") || cat_import_piece(pieces, "result") ||
		   (cat_import_piece(pieces, "dataset") && !cat_import_piece(pieces, "@type"));
}

/* Return whether an object of a list is a document; *known: set if it is one or a node of a graph. */
static bool
look_at(const ImportDocument *document, const Piece *piece, bool *known)
{
	MemoryContext former = MemoryContextSwitchTo(document->split);
	List *pieces = cat_import_split(piece->text, piece->length);
	bool is = is_document(pieces);

	*known |= is || *piece->text == '[' || is_untyped_dataset(pieces) ||
			  cat_import_piece(pieces, "@type") || cat_import_piece(pieces, "@id");
	MemoryContextSwitchTo(former);
	MemoryContextReset(document->split);
	return is;
}

/* Take the objects of a list, of which some may be documents, or graphs that are arrays. */
static void
read_list(ImportDocument *document, const Piece *list)
{
	List *elements = cat_import_split(list->text, list->length);
	bool known = elements == NIL;

	foreach_ptr(Piece, piece, elements)
	{
		if (look_at(document, piece, &known))
			read_object(document, piece);
		else if (*piece->text == '[')
			read_graph(document, piece);
		else
			read_node(document, piece);
	}
	if (!known)
		refuse_document();
}

/* Raise OD400 for a document that is text of another kind. */
pg_noreturn static void
refuse_text(void)
{
	ereport(ERROR,
			(errcode(OD400),
			 errmsg("the document is neither a JSON object nor an array; Turtle and RDF/XML are "
					"imported by their url, or as the body or the file of a form")));
}

/* Return the JSON that a string holds, without a byte order mark. */
static const Piece *
decode(const Piece *piece)
{
	const Member *value = cat_import_value(piece);
	Piece *decoded = palloc0(sizeof(Piece));
	const char *text;
	const char *what;

	if (!value || !value->text)
		ereport(ERROR,
				(errcode(OD400), errmsg("the document has a character that cannot be stored")));
	text = value->text + byte_order_mark_length(value->text);
	decoded->text = text + strspn(text, " \t\r\n");
	what = cat_import_sniff(text);
	if (what)
		ereport(ERROR, (errcode(OD400), errmsg("the document is not imported: %s", what)));
	if (*decoded->text != '{' && *decoded->text != '[')
		refuse_text();
	(void) DirectFunctionCall1(json_in, CStringGetDatum(text));
	decoded->length = strlen(decoded->text);
	return decoded;
}

/* Return a document whose long strings are cut. */
static const Piece *
shortened(const Piece *piece)
{
	Piece *cut;
	char *text;

	if (cat_import_is_short(piece->text, piece->length))
		return piece;
	cut = palloc0(sizeof(Piece));
	text = pnstrdup(piece->text, piece->length);
	cut->length = cat_import_shorten(text, piece->length);
	cut->text = text;
	return cut;
}

/* Raise OD400 for more entries than an import takes. */
static void
require_few(const ImportDocument *document)
{
	if (list_length(document->entries) > ENTRIES_MAX)
		ereport(ERROR, (errcode(OD400),
						errmsg("the document has %d datasets", list_length(document->entries)),
						errhint("At most %d are taken.", ENTRIES_MAX)));
}

void
cat_import_document_read(ImportDocument *document, const Piece *piece)
{
	document->lasting = CurrentMemoryContext;
	document->nodes = cat_import_map();
	document->labels = cat_import_map();
	document->split = AllocSetContextCreate(CurrentMemoryContext, "catalogue import split",
											ALLOCSET_DEFAULT_SIZES);
	if (*piece->text == '"')
		piece = decode(piece);
	piece = cat_import_expand(shortened(piece), &document->notes);
	document->text = piece;
	if (*piece->text == '[')
		read_list(document, piece);
	else if (*piece->text == '{')
		read_object(document, piece);
	else
		refuse_text();
	require_few(document);
	foreach_ptr(Piece, entry, document->entries)
		cat_import_nodes_merge(document, entry);
	MemoryContextDelete(document->split);
}
