/*
 * image.c
 *	  Images of categories: their bytes, and the fields of the record that the service sets.
 */
#include "catalogue.h"

#include "base/body.h"
#include "files/files.h"
#include "files/files_internal.h"

/* Return the file name of an image, made from its category's name. */
static char *
name_of(const WriteCall *call, const NewRecord *record, const char *extension)
{
	const char *name = cat_new_record_text(record, "name");
	char *stem;

	if (!name)
	{
		cat_statement_fresh("SELECT c.name::text FROM catalogue.categories c WHERE c.id = $1",
							text_param(call->id ? call->id : ""));
		name = SPI_processed > 0 ? cat_result_text(1) : "";
	}
	stem = cat_fold_slug(name);
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
	cat_statement_fresh(
		"INSERT INTO catalogue.stored_image AS s (category, blob, media_type) "
		"VALUES ($1, $2, $3) ON CONFLICT (category) DO UPDATE SET blob = excluded.blob, "
		"media_type = excluded.media_type",
		text_param(category), int8_param(arrival->blob), text_param(arrival->kind.media_type));
}

void
cat_image_drop(const WriteCall *call, List *members, NewRecord *record)
{
	Member *member = cat_body_member(members, "deleteImage");

	if (!member || !member->text || pg_strcasecmp(member->text, "true") != 0)
		return;
	cat_statement_fresh("DELETE FROM catalogue.stored_image s WHERE s.category = $1",
						text_param(call->id));
	cat_new_record_keep(record, "image", NULL);
	cat_new_record_keep(record, "file_name", NULL);
}
