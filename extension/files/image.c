/*
 * image.c
 *	  Image of a category.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
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
name_of(const WriteCall *writer, const NewRecord *draft, const char *extension)
{
	const char *name = cat_new_record_text(draft, "name");
	Oid type = TEXTOID;
	Datum id = CStringGetTextDatum(writer->id ? writer->id : "");
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
cat_image_take(Arrival *arrival, const WriteCall *writer, NewRecord *draft)
{
	ContentSample sample = cat_content_sniff_read(arrival->blob, arrival->size);
	char made[ID_LENGTH + 1];
	const char *id = writer->id;

	arrival->kind = cat_filetype_image(&sample);
	if (!id)
	{
		cat_id_generate(made);
		cat_new_record_keep(draft, "id", made);
		id = made;
	}
	cat_new_record_keep(draft, "file_name", name_of(writer, draft, arrival->kind.extension));
	cat_new_record_keep(draft, "image", psprintf("%s/categories/%s/image", arrival->base, id));
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

/* Remove the image of a category if the body contains "deleteImage": true. */
void
cat_image_drop(const WriteCall *writer, List *members, NewRecord *draft)
{
	Member *member = cat_body_member(members, "deleteImage");
	Oid type = TEXTOID;
	Datum id;

	if (!member || !member->text || pg_strcasecmp(member->text, "true") != 0)
		return;
	id = CStringGetTextDatum(writer->id);
	cat_statement_run("DELETE FROM catalogue.stored_image s WHERE s.category = $1", 1, &type, &id,
					  NULL, true, 0);
	cat_new_record_keep(draft, "image", NULL);
	cat_new_record_keep(draft, "file_name", NULL);
}
