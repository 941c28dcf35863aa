/*
 * image.c
 *	  Image of a category.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "base/body.h"
#include "files/content_sniff_internal.h"
#include "files/files.h"
#include "files/files_internal.h"
#include "pg/pg.h"
#include "write/write.h"

/* Return the file name of an image, made from its category's name. */
static char *
name_of(const WriteCall *call, const NewRecord *record, const char *extension)
{
	const char *name = cat_new_record_text(record, "name");
	Oid type = TEXTOID;
	Datum id = CStringGetTextDatum(call->id ? call->id : "");
	char *stem;

	if (!name)
	{
		cat_statement_run("SELECT c.name::text FROM catalogue.categories c WHERE c.id = $1", 1,
						  &type, &id, NULL, true, 1);
		name = SPI_processed > 0 ? cat_result_text(1) : "";
	}
	stem = cat_slug_make(name);
	return psprintf("%.*s.%s", FILE_NAME_LENGTH - EXTENSION_LENGTH - 1, *stem ? stem : "image",
					extension);
}

/*
 * Accept bytes as a category's image, and set the fields that the service provides.
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
	cat_new_record_keep(record, "image", psprintf("%s/categories/%s/image", arrival->base, id));
}

/* Store the accepted bytes as the image of the category, whose record has been written. */
void
cat_image_keep(const Arrival *arrival, const char *category)
{
	Oid types[] = {TEXTOID, INT8OID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(category), Int64GetDatum(arrival->blob),
					  CStringGetTextDatum(arrival->kind.media_type)};

	cat_statement_run(
		"INSERT INTO catalogue.stored_image AS s (category, blob, media_type) "
		"VALUES ($1, $2, $3) ON CONFLICT (category) DO UPDATE SET blob = excluded.blob, "
		"media_type = excluded.media_type",
		3, types, values, NULL, true, 0);
}

void
cat_image_drop(const WriteCall *call, List *members, NewRecord *record)
{
	Member *member = cat_body_member(members, "deleteImage");
	Oid type = TEXTOID;
	Datum id;

	if (!member || !member->text || pg_strcasecmp(member->text, "true") != 0)
		return;
	id = CStringGetTextDatum(call->id);
	cat_statement_run("DELETE FROM catalogue.stored_image s WHERE s.category = $1", 1, &type, &id,
					  NULL, true, 0);
	cat_new_record_keep(record, "image", NULL);
	cat_new_record_keep(record, "file_name", NULL);
}
