/*
 * consumer.c
 *	  The registered application that a request comes from, and what its key
 *	  is limited to.
 *
 * The shim has verified the credential.  Whether the consumer and the key still
 * live is looked at here, at each call, so that their end counts at once.
 */
#include "catalogue.h"

#include "access/tableam.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(catalogue_credential);
PG_FUNCTION_INFO_V1(catalogue_use_key);
PG_FUNCTION_INFO_V1(catalogue_client_token);

/* A table of consumers, and where rows of it were found, by a hash of their first column. */
typedef struct Register
{
	const char *table;
	const char *index;
	ItemPointerData places[64];
} Register;

static Register consumers = {.table = "consumers", .index = "consumers_pkey"};
static Register keys = {.table = "consumer_keys", .index = "consumer_keys_pkey"};

static bool
has_key(CatScan *scan, const char *key)
{
	bool isnull;
	Datum value = slot_getattr(scan->slot, 1, &isnull);

	return strcmp(TextDatumGetCString(value), key) == 0;
}

/*
 * Find the row of a key, first where it was the last time; scan_close() comes
 * next.  False, and nothing open, where there is none.
 */
static bool
find_row(CatScan *scan, Register *source, const char *key)
{
	Oid table = bulk_table(source->table);
	uint32 hash = hash_bytes((const unsigned char *) key, (int) strlen(key));
	ItemPointer place = &source->places[hash % lengthof(source->places)];

	if (ItemPointerIsValid(place) && scan_place(scan, table, place))
	{
		if (has_key(scan, key))
			return true;
		scan_close(scan);
	}
	if (!scan_open(scan, table,
				   get_relname_relid(source->index, get_namespace_oid("catalogue", false))))
		elog(ERROR, "table \"%s\" cannot be read by its primary key", source->table);
	scan_seek(scan, key);
	if (scan_next(scan, false))
	{
		*place = scan->slot->tts_tid;
		return true;
	}
	scan_close(scan);
	return false;
}

static Datum
column_of(CatScan *scan, const char *column, bool *isnull)
{
	AttrNumber attno = get_attnum(RelationGetRelid(scan->table), column);

	if (attno <= 0)
		elog(ERROR, "column \"%s\" of table \"%s\" does not exist", column,
			 RelationGetRelationName(scan->table));
	return slot_getattr(scan->slot, attno, isnull);
}

/* Whether a row says that it is neither revoked nor past its time. */
static bool
is_living(CatScan *scan)
{
	bool revoked;
	bool endless;
	TimestampTz expires;

	column_of(scan, "revoked_at", &revoked);
	expires = DatumGetTimestampTz(column_of(scan, "expires_at", &endless));
	/* "revoked" is the null flag of when it was: true where it was not */
	return revoked && (endless || expires > GetCurrentStatementStartTimestamp());
}

static void
pg_attribute_noreturn() refuse(void)
{
	ereport(ERROR,
			(errcode(OD401), errmsg("the consumer of this credential is not registered any more")));
}

/* The texts of an array, palloc'd; NIL for a null. */
static List *
texts_of(Datum array, bool isnull)
{
	List *texts = NIL;
	Datum *values;
	int count;

	if (isnull)
		return NIL;
	values = texts_of_array(array, &count);
	for (int i = 0; i < count; i++)
		texts = lappend(texts, TextDatumGetCString(values[i]));
	return texts;
}

/* Take the limits of the key into the actor; OD401 unless it lives and is the consumer's. */
static void
look_up_key(Actor *actor, const char *key)
{
	CatScan scan;
	bool isnull;
	Datum value;

	if (!find_row(&scan, &keys, key))
		refuse();
	if (!is_living(&scan) ||
		strcmp(TextDatumGetCString(column_of(&scan, "consumer", &isnull)), actor->consumer) != 0)
		refuse();
	value = column_of(&scan, "resources", &isnull);
	actor->resources = texts_of(value, isnull);
	value = column_of(&scan, "organization", &isnull);
	if (!isnull)
		strlcpy(actor->organization, TextDatumGetCString(value), sizeof(actor->organization));
	scan_close(&scan);
}

static void
look_up_alone(const Actor *actor)
{
	CatScan scan;

	if (!find_row(&scan, &consumers, actor->consumer) || !is_living(&scan))
		refuse();
	scan_close(&scan);
}

/*
 * Look up the key of the consumer that actor->consumer names, or the consumer
 * itself where key is NULL, as a gateway vouches for it.
 *
 * OD401 where that is unknown, revoked or past its time.  The keys of a consumer
 * are revoked with it, and the shim knows of no key that outlives its consumer.
 */
void
consumer_look_up(Actor *actor, const char *key)
{
	if (key)
		look_up_key(actor, key);
	else
		look_up_alone(actor);
}

/* Whether the key that the actor came with lets it ask for a resource. */
bool
consumer_may_ask(const Actor *actor, const char *resource)
{
	ListCell *cell;

	foreach(cell, actor->resources)
		if (strcmp(lfirst(cell), resource) == 0)
			return true;
	return actor->resources == NIL;
}

/* OD403 unless so. */
void
consumer_require(const Actor *actor, const char *resource)
{
	if (!consumer_may_ask(actor, resource))
		ereport(ERROR, (errcode(OD403), errmsg("this key is not for resource \"%s\"", resource)));
}

/* SQL of the organization of a record t: its key, itself, or that of who created it. */
static const char *
organization_of(Resource *resource)
{
	if (strcmp(resource->name, "organizations") == 0)
		return "t.id";
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (field->reference && strcmp(field->reference, "organizations") == 0)
			return psprintf("t.%s", field->quoted);
	}
	if (registry_column(resource, "created_by"))
		return "(SELECT u.organization FROM catalogue.users u WHERE u.id = t.created_by)";
	return "NULL::text";
}

/*
 * OD403 where the actor's key is for one organization and a record, as this
 * transaction has left it, is not that one's.  Nothing where there is no record.
 */
void
consumer_require_record(const Actor *actor, Resource *resource, const char *id)
{
	Oid types[] = {TEXTOID, TEXTOID};
	Datum values[2];
	bool isnull;

	if (actor->organization[0] == '\0')
		return;
	values[0] = CStringGetTextDatum(id);
	values[1] = CStringGetTextDatum(actor->organization);
	plan_run(psprintf("SELECT %s IS NOT DISTINCT FROM $2 FROM %s t WHERE t.id = $1",
					  organization_of(resource), resource->table),
			 2, types, values, NULL, true, 1);
	if (SPI_processed == 1 &&
		!DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)))
		ereport(ERROR, (errcode(OD403), errmsg("this key is for records of another organization")));
}

/* The reply whose data are what a statement gives for the function's arguments. */
static Datum
reply_of(FunctionCallInfo fcinfo, const char *sql, Oid *types, bool fresh)
{
	Datum values[2];
	char nulls[2];
	Reply reply = {0};

	reply_begin();
	for (int i = 0; i < PG_NARGS(); i++)
	{
		values[i] = PG_GETARG_DATUM(i);
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	plan_run(sql, PG_NARGS(), types, values, nulls, fresh, 1);
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data,
						   SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	return reply_end(fcinfo, &reply);
}

Datum
catalogue_credential(PG_FUNCTION_ARGS)
{
	Oid types[] = {TEXTOID, TEXTOID};

	return reply_of(fcinfo, "SELECT catalogue.key_facts($1, $2)", types, false);
}

Datum
catalogue_use_key(PG_FUNCTION_ARGS)
{
	Oid types[] = {TEXTOID, INT4OID};

	return reply_of(fcinfo, "SELECT catalogue.grant_requests($1, $2)", types, true);
}

Datum
catalogue_client_token(PG_FUNCTION_ARGS)
{
	Oid type = JSONOID;

	return reply_of(fcinfo, "SELECT catalogue.token_key($1)", &type, false);
}
