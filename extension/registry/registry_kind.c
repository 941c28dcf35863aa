/*
 * registry_kind.c
 *	  Kind of a field, which determines how its values are read, written and compared.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"

#include "registry/registry_internal.h"

/* Field kinds by the type in the definition. */
static const struct
{
	const char *type;
	FieldKind kind;
} kinds[] = {
	{"string", FIELD_TEXT},		{"email", FIELD_TEXT},	  {"boolean", FIELD_BOOLEAN},
	{"integer", FIELD_INTEGER}, {"number", FIELD_NUMBER}, {"datetime", FIELD_DATETIME},
	{"date", FIELD_DATE},		{"json", FIELD_JSON},	  {"array", FIELD_ARRAY},
};

static FieldKind
kind_of(const char *type, Oid base, bool is_id, bool is_enum)
{
	if (is_id)
		return FIELD_ID;
	if (is_enum)
		return FIELD_ENUM;
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (strcmp(kinds[i].type, type) == 0)
		{
			if (kinds[i].kind == FIELD_TEXT && base != TEXTOID && base != VARCHAROID &&
				base != BPCHAROID)
				return FIELD_OTHER;
			if (kinds[i].kind == FIELD_ARRAY && base != JSONOID && base != JSONBOID)
				return FIELD_OTHER;
			if (kinds[i].kind == FIELD_DATETIME && base != TIMESTAMPTZOID)
				return FIELD_OTHER;
			return kinds[i].kind;
		}
	return FIELD_OTHER;
}

/* Return the element of a list field, NULL if the field is not a list. */
static Field *
element_of(const Field *field, const char *type, Oid oid)
{
	Field *element;

	if (!type)
		return NULL;
	element = palloc0(sizeof(Field));
	element->name = field->name;
	element->type = unconstify(char *, type);
	element->type_oid = element->base_oid = oid;
	element->typmod = -1;
	element->labels = field->labels;
	element->is_element = true;
	element->kind = kind_of(type, oid, false, field->labels != NIL);
	return element;
}

/*
 * Set the kind of a field, and for a list also its element.
 *
 * items: name of the element type in the definition, NULL if the field is not a list; oid: the
 * element type.
 */
void
cat_registry_kind(Field *field, const char *items, Oid oid)
{
	bool is_id = field->reference || strcmp(field->column, "id") == 0;

	field->element = element_of(field, items, oid);
	field->kind = field->element
					  ? FIELD_LIST
					  : kind_of(field->type, field->base_oid, is_id, field->labels != NIL);
}
