/*
 * batch_text.c
 *	  Bodies of which all values are texts, such as cells of CSV.
 */
#include "catalogue.h"

#include "base/base.h"
#include "batch/batch_internal.h"
#include "registry/registry.h"
#include "write/write.h"

char *
cat_batch_text_convert(const char *body, const char *resource)
{
	List *members = cat_body_members(body, strlen(body));
	StringInfoData out;
	ListCell *cell;

	cat_form_convert_cells(cat_registry_resource(resource), members);
	initStringInfo(&out);
	foreach(cell, members)
	{
		const Member *member = lfirst(cell);

		appendStringInfoChar(&out, foreach_current_index(cell) > 0 ? ',' : '{');
		cat_json_text_string(&out, member->name);
		appendStringInfo(&out, ":%s", member->raw);
	}
	appendStringInfoString(&out, members ? "}" : "{}");
	return out.data;
}
