/*
 * import_note.c
 *	  Notes on entries, and texts that are cut.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"

#include "import/import_internal.h"

#define NOTES_MAX 20 /* notes on one entry that are reported */

void
cat_import_note(ImportEntry *entry, const char *note)
{
	ListCell *cell;

	foreach(cell, entry->notes)
		if (strcmp(lfirst(cell), note) == 0)
			return;
	if (list_length(entry->notes) == NOTES_MAX)
		note = "there are more notes";
	if (list_length(entry->notes) <= NOTES_MAX)
		entry->notes = lappend(entry->notes, unconstify(char *, note));
}

const char *
cat_import_cut(const char *text, int characters)
{
	int length = text ? (int) strlen(text) : 0;

	if (length <= characters || pg_mbstrlen_with_len(text, length) <= characters)
		return text;
	length = pg_mbcharcliplen(text, length, characters - 1);
	return psprintf("%.*s\xe2\x80\xa6", length, text);
}

const char *
cat_import_whole(const char *text, bool *all)
{
	int length = (int) strlen(text);

	*all = length <= VALUE_MAX;
	return *all ? text : pnstrdup(text, (Size) pg_mbcliplen(text, length, VALUE_MAX));
}
