/*
 * image.c
 *	  Images of categories and organizations: their bytes, and the fields of the record that the service sets.
 */
#include "catalogue.h"

#include "base/body.h"
#include "files/files.h"
#include "files/files_internal.h"

/* Where the images of a resource are stored, and the key of the record there */
typedef struct ImageTable
{
	const char *resource;
	const char *table;
	const char *key;
} ImageTable;

static const ImageTable tables[] = {
	{"categories", "stored_image", "category"},
	{"organizations", "stored_logo", "organization"},
};

/* NULL: its records have none. */
static const ImageTable *
table_of(const Resource *resource)
{
	for (size_t i = 0; i < lengthof(tables); i++)
		if (strcmp(tables[i].resource, resource->name) == 0)
			return &tables[i];
	return NULL;
}

bool
cat_image_taken(const Resource *resource)
{
	return table_of(resource) != NULL;
}

/* Return the file name of an image, made from its record's name. */
static char *
name_of(const WriteCall *call, const NewRecord *record, const char *extension)
{
	const char *name = cat_new_record_text(record, "name");
	char *stem;

	if (!name)
	{
		cat_statement_fresh(psprintf("SELECT r.name::text FROM catalogue.%s r WHERE r.id = $1",
									 table_of(call->resource)->resource),
							text_param(call->id ? call->id : ""));
		name = SPI_processed > 0 ? cat_result_text(1) : "";
	}
	stem = cat_fold_slug(name);
	return psprintf("%.*s.%s", FILE_NAME_LENGTH - EXTENSION_LENGTH - 1, *stem ? stem : "image",
					extension);
}

/*
 * Accept bytes as a record's image, and set the fields that the service provides.
 *
 * Raises OD415 if they are not an image of an accepted format.
 */
void
cat_image_take(Arrival *arrival, const WriteCall *call, NewRecord *record)
{
	ContentSample sample = cat_content_sniff_read(arrival->blob, arrival->size);
	char made[ID_LENGTH + 1];
	const char *id = call->id;

	arrival->kind = cat_filetype_image(&sample);
	if (!id)
	{
		cat_id_generate(made);
		cat_new_record_keep(record, "id", made);
		id = made;
	}
	cat_new_record_keep(record, "file_name", name_of(call, record, arrival->kind.extension));
	cat_new_record_keep(
		record, "image",
		psprintf("%s/%s/%s/image", arrival->base, table_of(call->resource)->resource, id));
}

/* Store the accepted bytes as the image of the record, which has been written. */
void
cat_image_keep(const Arrival *arrival, const WriteCall *call)
{
	const ImageTable *table = table_of(call->resource);

	cat_statement_fresh(
		psprintf("INSERT INTO catalogue.%s AS s (%s, blob, media_type) "
				 "VALUES ($1, $2, $3) ON CONFLICT (%s) DO UPDATE SET blob = excluded.blob, "
				 "media_type = excluded.media_type",
				 table->table, table->key, table->key),
		text_param(call->id), int8_param(arrival->blob), text_param(arrival->kind.media_type));
}

void
cat_image_drop(const WriteCall *call, List *members, NewRecord *record)
{
	const ImageTable *table = table_of(call->resource);
	Member *member = cat_body_member(members, "deleteImage");

	if (!member || !member->text || pg_strcasecmp(member->text, "true") != 0)
		return;
	cat_statement_fresh(
		psprintf("DELETE FROM catalogue.%s s WHERE s.%s = $1", table->table, table->key),
		text_param(call->id));
	cat_new_record_keep(record, "image", NULL);
	cat_new_record_keep(record, "file_name", NULL);
}
