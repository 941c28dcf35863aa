/*
 * import_group.c
 *	  New datasets that are written together.
 *
 * A statement for each record costs more than the record.  Entries that follow each other, and that no
 * earlier import has made anything of, are therefore read one after the other, and their datasets
 * inserted by one statement, then their files.  All of a group are written, or none: then, and where an
 * entry needs more than that, entries are taken alone (import.c), so that the result is the same.
 */
#include "catalogue.h"

#include "utils/memutils.h"

#include "base/base.h"
#include "import/group_internal.h"
#include "import/identity_internal.h"
#include "import/records_internal.h"
#include "registry/registry.h"
#include "write/write.h"

/* Records of one statement, a power of two: each number of rows is a statement that is planned. */
#define ROWS_MAX 32

/* An entry of the group. */
typedef struct GroupEntry
{
	ImportEntry *entry;
	int number;
	RecordBody body; /* of its dataset */
	List *files;	 /* of RecordBody * */
} GroupEntry;

typedef struct EntryGroup
{
	Import *import;
	GroupEntry *parts;
	int first; /* index of the first entry */
	int most;
	int count;
	HTAB *names; /* of their datasets, folded */
} EntryGroup;

/* Make an entry of the group the present one. */
static void
set_present(Import *import, const GroupEntry *part)
{
	import->entry = part->entry;
	import->number = part->number;
	import->record = part->body.id;
	import->part = "";
}

/* Return whether a dataset can have the title of its entry as its name, and none of the group has it. */
static bool
has_free_name(EntryGroup *group, const ImportEntry *entry)
{
	char *folded = entry->name ? cat_import_fold(entry->name) : NULL;

	if (!folded || cat_import_map_get(group->names, folded) ||
		cat_reference_has_name(cat_registry_resource("datasets"), entry->name, ""))
		return false;
	cat_import_map_put(group->names, folded, folded);
	return true;
}

/* Return whether no earlier import has made anything of an entry, as its keys tell. */
static bool
is_new(const ImportIdentity *identity)
{
	return identity->id && identity->key && !identity->known && identity->others == NIL;
}

/* Read the next entry, and set the body of its dataset; false where it has to be written alone. */
static bool
read_next(EntryGroup *group)
{
	Import *import = group->import;
	int index = group->first + group->count;
	GroupEntry *part = &group->parts[group->count];

	if (!is_new(&import->identities[index]))
		return false;
	part->entry = cat_import_begin_entry(import, index);
	part->number = index + 1;
	set_present(import, part);
	cat_import_take(import);
	if (part->entry->access != ENTRY_PUBLIC || !has_free_name(group, part->entry))
		return false;
	cat_import_write_begin(import, &part->body);
	return true;
}

/* Create records by their bodies, List of RecordBody *; the ids are set in these. */
static void
create(const Import *import, const char *resource, List *bodies)
{
	int rows = ROWS_MAX;

	for (int done = 0; done < list_length(bodies); done += rows)
	{
		List *texts = NIL;
		List *ids;

		while (rows > list_length(bodies) - done)
			rows /= 2;
		for (int i = done; i < done + rows; i++)
			texts = lappend(texts, ((RecordBody *) list_nth(bodies, i))->text.data);
		ids = cat_write_create_all(&import->actor, resource, texts);
		for (int i = 0; i < rows; i++)
			cat_import_body_written(list_nth(bodies, done + i), list_nth(ids, i));
	}
}

/* Create the datasets. */
static void
create_datasets(EntryGroup *group)
{
	List *bodies = NIL;

	for (int i = 0; i < group->count; i++)
	{
		RecordBody *body = &group->parts[i].body;

		set_present(group->import, &group->parts[i]);
		(void) cat_import_body_complete(group->import, body);
		bodies = lappend(bodies, body);
	}
	create(group->import, "datasets", bodies);
}

/* Create the files of all datasets. */
static void
create_files(EntryGroup *group)
{
	Import *import = group->import;
	List *bodies = NIL;

	for (int i = 0; i < group->count; i++)
	{
		GroupEntry *part = &group->parts[i];

		set_present(import, part);
		part->files = cat_import_files_begin(import);
		foreach_ptr(RecordBody, body, part->files)
			(void) cat_import_body_complete(import, body);
		bodies = list_concat(bodies, part->files);
	}
	create(import, "files", bodies);
}

/* Write as many entries as can be written together. */
static void
write_group(void *argument)
{
	EntryGroup *group = argument;
	Import *import = group->import;

	cat_consumer_require_method(&import->actor, "POST");
	while (group->count < group->most && read_next(group))
		group->count++;
	if (group->count == 0)
		return;
	create_datasets(group);
	create_files(group);
	for (int i = 0; i < group->count; i++)
	{
		set_present(import, &group->parts[i]);
		cat_import_write_end(import, &group->parts[i].body, group->parts[i].files);
	}
}

/* Undo what a group that has failed leaves in memory, and have its entries taken alone. */
static void
give_up(const EntryGroup *group)
{
	Import *import = group->import;

	cat_import_terms_forget(import);
	import->alone = group->count + 1;
	import->group = Max(import->group / 4, 1);
}

bool
cat_import_group(Import *import)
{
	EntryGroup group = {.import = import, .first = import->number};
	ErrorData *error;

	if (import->alone > 0 || !is_new(&import->identities[import->number]))
	{
		import->alone -= import->alone > 0;
		return false;
	}
	import->group = import->group == 0 ? ROWS_MAX : Min(2 * import->group, ROWS_MAX);
	group.most = Min(import->group, list_length(import->document.entries) - group.first);
	group.parts = palloc0(sizeof(GroupEntry) * group.most);
	group.names = cat_import_map();
	error = cat_statement_in_subtransaction(write_group, &group);
	if (error && !cat_validation_error_is_fault(error))
		ReThrowError(error);
	if (error)
	{
		give_up(&group);
		group.count = 0;
		import->alone--;
	}
	cat_import_terms_keep(import);
	import->number = group.first + group.count;
	for (int i = 0; i < group.count; i++)
	{
		set_present(import, &group.parts[i]);
		import->outcome = IMPORT_CREATED;
		cat_import_report(import);
	}
	return group.count > 0;
}
