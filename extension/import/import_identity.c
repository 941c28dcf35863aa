/*
 * import_identity.c
 *	  Which records earlier imports have made of the entries of a document.
 *
 * An entry is known by its source and any of its keys: its IRI, its identifiers, in CKAN its id, guid
 * and name.  A row of catalogue.imported has one of them as its id, catalogue.imported_key the others.
 * All entries are looked at before the first one is taken, so that their order does not count: a row
 * is of the entry that names it by the strongest key, and a key that several entries name is of the one
 * that has it already.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "base/base.h"
#include "import/identity_internal.h"
#include "import/records_internal.h"
#include "pg/pg.h"

#define FURTHER_ID 3 /* number of column id of catalogue.imported_key */

/* How strong a key is. */
typedef enum Rank
{
	RANK_IRI,
	RANK_IDENTIFIER,
	RANK_NAME,	  /* which another entry may have had before */
	RANK_FURTHER, /* likewise, and which another one may have beside it */
	RANK_FORMER, /* an IRI as it was before it was read as one that is relative; it is not stored */
	RANKS
} Rank;

/* A row of catalogue.imported. */
typedef struct Row
{
	const char *id;
	const char *record;
	bool ended; /* imports have ended its dataset */
	int entry;	/* number of the entry that it is of; 0: none so far */
} Row;

/* A key of the document. */
typedef struct Use
{
	char *key;	/* in small letters */
	Row *row;	/* that has it, NULL for none */
	bool is_id; /* of the row */
	bool named; /* by the entry that the row is of */
	int entry;	/* number of the entry that it is of, where no row has it; 0: none so far */
} Use;

/* A key of an entry. */
typedef struct Key
{
	const char *shown; /* as the source writes it */
	Rank rank;
	Use *use;
} Key;

typedef struct Finder
{
	Import *import;
	HTAB *uses; /* Use * by key */
	HTAB *rows; /* Row * by id */
	CatScan imported;
	CatScan further;
	bool has_further; /* false: a catalogue whose tables are older than this library */
	MemoryContext lasting;
} Finder;

/* Find the row of a table that the source has by a key; false for none. */
static bool
seek(const Finder *finder, CatScan *scan, const char *key)
{
	cat_index_scan_seek_words(
		scan, list_make2(unconstify(char *, finder->import->source), unconstify(char *, key)));
	return cat_index_scan_next(scan, false);
}

/* Return the row of an id, NULL for none. */
static Row *
find_row(Finder *finder, const char *id)
{
	Row *row = cat_import_map_get(finder->rows, id);
	bool isnull;

	if (row)
		return row;
	if (!seek(finder, &finder->imported, id))
		return NULL;
	row = palloc0(sizeof(Row));
	row->id = pstrdup(id);
	row->record =
		TextDatumGetCString(slot_getattr(finder->imported.slot, IMPORTED_RECORD, &isnull));
	(void) slot_getattr(finder->imported.slot, IMPORTED_ENDED, &isnull);
	row->ended = !isnull;
	cat_import_map_put(finder->rows, row->id, row);
	return row;
}

/* Return the row that has a further key, NULL for none. */
static Row *
find_further(Finder *finder, const char *key)
{
	bool isnull;

	if (!finder->has_further || !seek(finder, &finder->further, key))
		return NULL;
	return find_row(finder,
					TextDatumGetCString(slot_getattr(finder->further.slot, FURTHER_ID, &isnull)));
}

/* Look up a key. */
static Use *
make_use(Finder *finder, const char *key)
{
	Use *use = palloc0(sizeof(Use));

	use->key = pstrdup(key);
	use->row = find_row(finder, use->key);
	use->is_id = use->row != NULL;
	if (!use->row)
		use->row = find_further(finder, use->key);
	cat_import_map_put(finder->uses, use->key, use);
	return use;
}

/* Add a key to an entry, once; NULL: none. */
static void
add_key(Finder *finder, ImportIdentity *identity, const char *shown, Rank rank)
{
	const char *folded = shown ? cat_import_fold(shown) : NULL;
	MemoryContext former;
	Key *key;

	foreach_ptr(Key, known, identity->keys)
	{
		if (!folded || strcmp(known->use->key, folded) != 0)
			continue;
		known->rank = Min(known->rank, rank);
		return;
	}
	if (!folded || list_length(identity->keys) > 2 * IDENTIFIERS_MAX)
		return;
	former = MemoryContextSwitchTo(finder->lasting);
	key = palloc(sizeof(Key));
	*key = (Key){
		.shown = pstrdup(shown), .rank = rank, .use = cat_import_map_get(finder->uses, folded)};
	if (!key->use)
		key->use = make_use(finder, folded);
	identity->keys = lappend(identity->keys, key);
	MemoryContextSwitchTo(former);
}

/* Return whether a property is a further identifier.  Elements of a list, which is no entry, have no names. */
static bool
is_further(const Piece *piece)
{
	return piece->name && cat_import_identifier_is_further(piece->name);
}

/* Return whether a property is an identifier of the entry's own. */
static bool
is_identifier(const Piece *piece)
{
	return cat_import_is_named(piece, "identifier") && !is_further(piece);
}

/* Return the identifiers of an entry that are such properties, sorted, since they are a set: List of
 * char *. */
static List *
read_identifiers(ImportDocument *document, List *pieces, bool (*is_one)(const Piece *piece))
{
	List *texts = NIL;

	foreach_ptr(const Piece, piece, pieces)
		if (is_one(piece))
			texts =
				list_concat(texts, cat_import_identifier_texts(document, cat_import_value(piece)));
	return list_truncate(cat_import_sorted(texts), IDENTIFIERS_MAX);
}

/* Add the identifiers that an entry of CKAN has brought from where CKAN has harvested it. */
static void
add_extras(Finder *finder, ImportIdentity *identity, List *pieces)
{
	static const char *const names[] = {"guid", "identifier", "uri", NULL};
	const Piece *extras = cat_import_piece(pieces, "extras");
	ListCell *cell;

	foreach(cell, extras ? cat_import_elements(cat_import_value(extras)) : NIL)
	{
		const Member *extra = lfirst(cell);
		List *members =
			extra->kind == MEMBER_OBJECT ? cat_body_members(extra->raw, strlen(extra->raw)) : NIL;
		const char *name = cat_import_text(cat_body_member(members, "key"));

		if (name && cat_query_string_is_among(name, names))
			add_key(finder, identity, cat_import_text(cat_body_member(members, "value")),
					RANK_NAME);
	}
}

/* Return the text of a member, NULL for none. */
static const char *
text_of(List *pieces, const char *name)
{
	const Piece *piece = cat_import_piece(pieces, name);

	return piece ? cat_import_text(cat_import_value(piece)) : NULL;
}

/* Read the keys of an entry, in the order in which a new row has one of them as its id. */
static void
read_keys(Finder *finder, ImportIdentity *identity, List *pieces)
{
	ImportDocument *document = &finder->import->document;
	const char *iri = text_of(pieces, "@id");
	bool blank = iri && strncmp(iri, "_:", 2) == 0;

	foreach_ptr(const char, text, read_identifiers(document, pieces, is_identifier))
		add_key(finder, identity, text, RANK_IDENTIFIER);
	add_key(finder, identity, blank ? NULL : iri, RANK_IRI);
	add_key(finder, identity, text_of(pieces, "id"), RANK_IDENTIFIER);
	add_key(finder, identity, text_of(pieces, "guid"), RANK_NAME);
	add_extras(finder, identity, pieces);
	foreach_ptr(const char, text, read_identifiers(document, pieces, is_further))
		add_key(finder, identity, text, RANK_FURTHER);
	if (identity->keys == NIL || cat_import_piece(pieces, "resources"))
		add_key(finder, identity, text_of(pieces, "name"), RANK_NAME);
	if (identity->keys == NIL && blank)
		add_key(finder, identity, iri, RANK_IRI);
	add_key(finder, identity, text_of(pieces, RELATIVE), RANK_FORMER);
}

/* Return the node of the graph that an entry only refers to, NULL for none. */
static const Piece *
referred(ImportDocument *document, List *pieces)
{
	const char *id = list_length(pieces) == 1 ? text_of(pieces, "@id") : NULL;

	return id ? cat_import_node(document, id) : NULL;
}

/* Read the keys of all entries.  One that only refers to a node of the graph becomes that node. */
static void
read_all(Finder *finder)
{
	Import *import = finder->import;
	MemoryContext split = AllocSetContextCreate(CurrentMemoryContext, "catalogue import keys",
												ALLOCSET_DEFAULT_SIZES);
	ListCell *cell;

	foreach(cell, import->document.entries)
	{
		ImportIdentity *identity = &import->identities[foreach_current_index(cell)];
		MemoryContext former = MemoryContextSwitchTo(split);
		List *pieces = cat_import_split_stored(lfirst(cell));
		const Piece *node = referred(&import->document, pieces);

		CHECK_FOR_INTERRUPTS();
		if (node)
		{
			lfirst(cell) = unconstify(Piece *, node);
			pieces = cat_import_split_stored(node);
		}
		read_keys(finder, identity, pieces);
		if (identity->keys != NIL)
			identity->id = ((Key *) linitial(identity->keys))->shown;
		MemoryContextSwitchTo(former);
		MemoryContextReset(split);
	}
	MemoryContextDelete(split);
}

/* Return how weak a key is by which an entry names a row: by its rank, then whether imports have ended
 * the dataset, then whether the row has had it from the first. */
static int
weakness_of(const Key *key)
{
	return 4 * (int) key->rank + 2 * key->use->row->ended + !key->use->is_id;
}

/* Give entries the rows that they name by keys that are so weak. */
static void
claim(const Import *import, int weakness)
{
	for (int i = 0; i < list_length(import->document.entries); i++)
	{
		ImportIdentity *identity = &import->identities[i];

		CHECK_FOR_INTERRUPTS();
		foreach_ptr(const Key, key, identity->keys)
		{
			Row *row = key->use->row;

			if (identity->key || !row || row->entry || weakness_of(key) != weakness)
				continue;
			identity->key = row->id;
			identity->known = true;
			row->entry = i + 1;
		}
	}
}

/* Note that the entry that a row is of names these keys of it. */
static void
mark_named(const ImportIdentity *identity, int number)
{
	foreach_ptr(const Key, key, identity->keys)
		if (key->use->row && key->use->row->entry == number)
			key->use->named = true;
}

/* Return whether a key is, or becomes, one of an entry; *other: else the entry that it is of, 0: none. */
static bool
takes_key(Use *use, int number, int *other)
{
	bool moves = use->row && use->row->entry && !use->is_id && !use->named;

	*other = use->row && !moves ? use->row->entry : use->entry;
	if (*other == 0 && (!use->row || moves))
		*other = use->entry = number;
	return *other == number;
}

/* Note that an entry does not have one of its keys; other: the entry that has it, 0: none. */
static void
note_other(ImportIdentity *identity, const Key *key, int other)
{
	const char *shown = cat_import_cut(key->shown, 200);
	char *note = NULL;

	if (other && key->rank == RANK_FURTHER)
		return;
	if (other)
		note = psprintf("identifier: \"%s\" is that of entry %d as well", shown, other);
	else if (!key->use->row->ended)
		note = psprintf("identifier: \"%s\" is that of dataset %s as well, which stays as it is",
						shown, key->use->row->record);
	if (note && list_length(identity->notes) < IDENTIFIERS_MAX)
		identity->notes = lappend(identity->notes, note);
}

/* Determine which keys of an entry are its own, and what the others lead to. */
static void
assign_keys(ImportIdentity *identity, int number)
{
	foreach_ptr(const Key, key, identity->keys)
	{
		Use *use = key->use;
		int other;

		if (key->rank == RANK_FORMER && (!use->row || use->row->entry))
			continue;
		if (!takes_key(use, number, &other))
		{
			if (!other)
				identity->others = lappend(identity->others, unconstify(char *, use->row->id));
			else if (!identity->rival)
				identity->rival = other;
			note_other(identity, key, other);
		}
		else if (!identity->key)
			identity->key = use->key;
		else if (!use->row || use->row->entry != number)
			identity->added = lappend(identity->added, use->key);
	}
}

void
cat_import_identify(Import *import)
{
	Finder finder = {.import = import,
					 .uses = cat_import_map(),
					 .rows = cat_import_map(),
					 .lasting = CurrentMemoryContext};
	int count = list_length(import->document.entries);

	import->identities = palloc0(sizeof(ImportIdentity) * (size_t) (count + 1));
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	cat_import_open_imported(&finder.imported);
	finder.has_further =
		cat_index_scan_open_named(&finder.further, "imported_key", "imported_key_pkey");
	read_all(&finder);
	cat_index_scan_close(&finder.imported);
	if (finder.has_further)
		cat_index_scan_close(&finder.further);
	PopActiveSnapshot();
	for (int weakness = 0; weakness < 4 * RANKS; weakness++)
		claim(import, weakness);
	for (int i = 0; i < count; i++)
		mark_named(&import->identities[i], i + 1);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		assign_keys(&import->identities[i], i + 1);
		if (!finder.has_further)
			import->identities[i].added = NIL;
	}
}
