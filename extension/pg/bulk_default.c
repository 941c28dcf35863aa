/*
 * bulk_default.c
 *	  Cache of the default expressions of tables.
 *
 * Parsing a default expression costs more than inserting the row.  Defaults are cached until the
 * table changes, or any type, since a domain can have a default of its own.
 */
#include "catalogue.h"

#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "parser/parse_coerce.h"
#include "rewrite/rewriteHandler.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "pg/bulk_insert.h"
#include "pg/pg.h"

typedef struct Defaults
{
	Oid relid;
	uint64 loaded;		  /* cat_invalidation_number() before they were read */
	const uint64 *table;  /* number of the last invalidation of the table */
	MemoryContext memory; /* holds what follows; NULL: not read yet */
	Node **columns;		  /* expressions by attribute number minus one; NULL for none */
} Defaults;

static HTAB *tables; /* relid to Defaults */

void
cat_bulk_default_init(void)
{
	HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(Defaults)};

	tables = hash_create("catalogue defaults", 16, &control, HASH_ELEM | HASH_BLOBS);
}

bool
cat_bulk_default_refuses_null(Oid domain)
{
	/* a callback at the end of the memory context refers to it */
	DomainConstraintRef *rules = palloc(sizeof(DomainConstraintRef));
	ListCell *cell;

	InitDomainConstraintRef(domain, rules, CurrentMemoryContext, false);
	foreach(cell, rules->constraints)
	{
		const DomainConstraintState *rule = lfirst(cell);

		if (rule->constrainttype == DOM_CONSTRAINT_NOTNULL ||
			contain_nonstrict_functions((Node *) rule->check_expr))
			return true;
	}
	return false;
}

/*
 * Return null coerced to a domain, so that its constraints are checked; NULL if it cannot refuse
 * null.
 */
static Node *
null_of_domain(Form_pg_attribute attribute)
{
	Oid type = attribute->atttypid;

	if (get_typtype(type) != TYPTYPE_DOMAIN || !cat_bulk_default_refuses_null(type))
		return NULL;
	return coerce_to_domain((Node *) makeConst(type, -1, attribute->attcollation, attribute->attlen,
											   (Datum) 0, true, attribute->attbyval),
							InvalidOid, -1, type, COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1,
							false);
}

/*
 * Read the defaults of a table.  If they are invalidated meanwhile, they are read again the next
 * time.
 */
static void
read_defaults(Defaults *defaults, Relation table)
{
	int natts = RelationGetDescr(table)->natts;
	MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "catalogue defaults", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	Node **columns = palloc0(natts * sizeof(Node *));

	/* free the old defaults first, so that an error leaves none */
	if (defaults->memory)
		MemoryContextDelete(defaults->memory);
	defaults->memory = NULL;
	defaults->loaded = cat_invalidation_number();
	for (int at = 0; at < natts; at++)
	{
		Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(table), at);

		if (attribute->attisdropped || attribute->attgenerated)
			continue;
		columns[at] = build_column_default(table, at + 1);
		if (!columns[at])
			columns[at] = null_of_domain(attribute);
	}
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(memory, TopMemoryContext);
	defaults->memory = memory;
	defaults->columns = columns;
}

static bool
is_valid(const Defaults *defaults)
{
	return defaults->memory && defaults->loaded >= *defaults->table &&
		   defaults->loaded >= cat_invalidation_last(INVALIDATION_TYPES);
}

/* Return a copy of a column's default by attribute number minus one, NULL for none. */
Expr *
cat_bulk_default(Relation table, int at)
{
	Oid relid = RelationGetRelid(table);
	bool found;
	Defaults *defaults = hash_search(tables, &relid, HASH_ENTER, &found);

	if (!found)
		*defaults = (Defaults){.relid = relid, .table = cat_invalidation_of_table(relid)};
	if (!is_valid(defaults))
		read_defaults(defaults, table);
	return copyObject((Expr *) defaults->columns[at]);
}
