/*
 * registry_kind.c
 *	  How the values of a field are read, written and compared, by its type.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"

/* Kinds of fields by the type of the definition. */
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

/* What an element of a list is: NULL where the field is none. */
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
 * Note of what kind a field is, by its type, and of one that is a list what its elements are.
 *
 * items: the word for the type of the elements, and oid their type; NULL where it is no list.
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
