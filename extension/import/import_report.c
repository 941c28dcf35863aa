/*
 * import_report.c
 *	  What has become of each entry.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "base/base.h"
#include "import/records_internal.h"
#include "pg/pg.h"

static const char *const outcomes[IMPORT_OUTCOMES] = {"created", "updated", "unchanged", "refused",
													  "gone"};

/* Begin an element of the report, up to its outcome. */
static void
begin(Import *import, ImportOutcome outcome)
{
	import->counts[outcome]++;
	if (import->report->len > 0)
		appendStringInfoChar(import->report, ',');
	appendStringInfo(import->report, "{\"outcome\":\"%s\"", outcomes[outcome]);
}

/* Append which entry it is about. */
static void
add_entry(const Import *import)
{
	appendStringInfo(import->report, ",\"entry\":%d", import->number);
	cat_json_text_member(import->report, "id", import->entry->id);
	cat_json_text_member(import->report, "name", import->entry->name);
}

void
cat_import_report(Import *import)
{
	begin(import, import->outcome);
	add_entry(import);
	/* a record that is undone has no id to be reported */
	if (!import->dry_run || import->outcome != IMPORT_CREATED)
		cat_json_text_member(import->report, "record", import->record);
	cat_json_text_list(import->report, "kept", import->entry->kept);
	cat_json_text_list(import->report, "notes", import->entry->notes);
	appendStringInfoChar(import->report, '}');
}

/* Append errors by field, with the part of the entry that each is of before the field's name. */
static void
add_faults(StringInfo out, const char *part, const char *detail)
{
	const char *separator = "";

	foreach_ptr(const Member, member, cat_body_members(detail, strlen(detail)))
	{
		appendStringInfoString(out, separator);
		cat_json_text_string(out, psprintf("%s%s", part, member->name));
		appendStringInfo(out, ":%s", member->raw);
		separator = ",";
	}
}

void
cat_import_report_refused(Import *import, ErrorData *error)
{
	const char *state = unpack_sql_state(error->sqlerrcode);
	bool ours = strncmp(state, "OD", 2) == 0;

	if (!cat_validation_error_is_fault(error))
		ReThrowError(error);
	begin(import, IMPORT_REFUSED);
	add_entry(import);
	appendStringInfo(import->report, ",\"status\":%s,\"message\":", ours ? state + 2 : "400");
	cat_json_text_string(import->report, ours ? error->message : "the entry is not valid");
	appendStringInfoString(import->report, ",\"data\":{");
	if (ours && error->detail && *error->detail == '{')
		add_faults(import->report, import->part, error->detail);
	appendStringInfoChar(import->report, '}');
	cat_json_text_list(import->report, "notes", import->entry->notes);
	appendStringInfoChar(import->report, '}');
}

void
cat_import_report_gone(Import *import, const char *id, const char *record, const char *name,
					   const char *done, const char *reason)
{
	begin(import, IMPORT_GONE);
	cat_json_text_member(import->report, "id", id);
	cat_json_text_member(import->report, "name", name);
	cat_json_text_member(import->report, "record", record);
	cat_json_text_member(import->report, "done", done);
	cat_json_text_member(import->report, "message", reason);
	appendStringInfoChar(import->report, '}');
}

StringInfo
cat_import_report_json(const Import *import)
{
	StringInfo out = makeStringInfo();

	appendStringInfoString(out, "{\"source\":");
	cat_json_text_string(out, import->source);
	appendStringInfo(out, ",\"dryRun\":%s", import->dry_run ? "true" : "false");
	for (int i = 0; i < IMPORT_OUTCOMES; i++)
		appendStringInfo(out, ",\"%s\":" INT64_FORMAT, outcomes[i], import->counts[i]);
	cat_json_text_list(out, "notes", import->notes);
	appendStringInfo(out, ",\"entries\":[%s]}", import->report->data);
	return out;
}
