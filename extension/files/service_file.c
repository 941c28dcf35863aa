/*
 * service_file.c
 *	  The file of a remote service, created together with it.
 */
#include "catalogue.h"

#include "base/body.h"
#include "call/call.h"
#include "files/files.h"
#include "files/files_internal.h"
#include "registry/registry.h"
#include "write/write.h"

/* Set the type of a file that was given none: that of the answers of its service. */
static void
add_type(NewRecord *record, const Resource *services)
{
	const Field *field = cat_registry_column(record->resource, "type");
	const char *type =
		cat_filetype_named(strcmp(services->name, "soapservices") == 0 ? "xml" : "json");

	if (field && !record->given[field->attno - 1] && type)
		cat_new_record_keep(record, "type", type);
}

void
cat_service_file_create(const WriteCall *call, List *members, WriteCall *other)
{
	Member *file = cat_body_member(members, "file");
	NewRecord record;

	if (!file || file->kind != MEMBER_OBJECT)
		return;
	*other = *call;
	other->resource = cat_registry_resource("files");
	cat_permission_require(&other->actor, other->resource, other->action);
	cat_consumer_require(&other->actor, other->resource->name);
	cat_new_record_begin(&record, other->resource);
	cat_new_record_read(&record, other, cat_body_record(file->raw, strlen(file->raw)));
	add_type(&record, call->resource);
	cat_write_create(other, &record);
	file->kind = MEMBER_STRING;
	file->text = pstrdup(other->id);
	file->raw = psprintf("\"%s\"", other->id);
}
