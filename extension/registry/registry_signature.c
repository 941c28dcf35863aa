/*
 * registry_signature.c
 *	  A number for what a resource is: state tags go by it.
 *
 * A changed definition changes answers though no record has changed.  So does
 * a table that PostgreSQL writes anew, for a column of another type or emptied
 * by TRUNCATE; it is in another file then.
 */
#include "catalogue.h"

#include "common/hashfn.h"

static uint64
add_number(uint64 hash, uint64 number)
{
	return hash_bytes_extended((const unsigned char *) &number, sizeof(number), hash);
}

/* Add a text; a missing one is another than an empty one. */
static uint64
add_text(uint64 hash, const char *text)
{
	if (!text)
		return add_number(hash, 0);
	return hash_bytes_extended((const unsigned char *) text, (int) strlen(text) + 1, hash);
}

static uint64
add_texts(uint64 hash, List *texts)
{
	ListCell *cell;

	foreach(cell, texts)
		hash = add_text(hash, lfirst(cell));
	return add_number(hash, list_length(texts));
}

static uint64
add_field(uint64 hash, const Field *field)
{
	hash = add_text(hash, field->name);
	hash = add_number(hash, field->attno);
	hash = add_number(hash, field->type_oid);
	hash = add_number(hash, field->hidden + 2 * field->internal + 4 * field->searchable);
	hash = add_text(hash, field->reference);
	return add_texts(hash, field->labels);
}

static uint64
add_relation(uint64 hash, const CatRelation *relation)
{
	hash = add_text(hash, relation->name);
	hash = add_text(hash, relation->target);
	hash = add_text(hash, relation->via);
	hash = add_text(hash, relation->near);
	hash = add_text(hash, relation->far);
	return add_number(hash, relation->kind + 4 * relation->internal);
}

/*
 * A number that is another one when other fields, relations or records are shown, or the same ones
 * in another way.
 *
 * shown: that column of catalogue.resource.
 */
uint64
cat_registry_signature(const Resource *resource, const char *shown)
{
	uint64 hash = add_number(resource->storage, resource->newest_first);

	hash = add_text(hash, shown);
	for (int i = 0; i < resource->nfields; i++)
		hash = add_field(hash, &resource->fields[i]);
	for (int i = 0; i < resource->nrelations; i++)
		hash = add_relation(hash, &resource->relations[i]);
	return hash;
}
