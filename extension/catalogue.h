/*
 * catalogue.h
 *	  Types shared by all folders of the extension.
 *
 * Each folder has a header with the contract of every function that other folders call, such as
 * query/query.h; a header that ends in _internal.h is for its own folder only.  The headers of the
 * lower folders include each other from read down to base, so a file includes the topmost of those
 * that it calls.  Calls only go down this list:
 *
 *	  import, batch, services, select, rows/visuals, rows/contents, files, write, rows/sheets,
 *	  account, read, history, query, call, registry, pg, rows/pictures, base
 *
 * A read is conducted by list.c, item.c, search.c, versions.c or export.c in read/: read.c (who asks,
 * request_params: the query string, selection: what is shown, read_version), page_cache, list_page (by
 * a statement of sql_builder), embedding, json, count and call_reply.
 *
 * A change walks through write_call (who asks, and the record), body (the JSON of the client),
 * new_record and convert (the values), write (the statement), and then the triggers, which hold
 * every rule for psql and the interface alike: defaults, validate, link, state, deletion, history.
 */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include "compat.h"

#include "access/tupdesc.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"
#include "utils/timestamp.h"

#include "arguments.h"

/* Begin the definition of a function that SQL calls, with the arguments of PG_FUNCTION_ARGS. */
#define CAT_FUNCTION(name)     \
	PG_FUNCTION_INFO_V1(name); \
	Datum name(PG_FUNCTION_ARGS)

/* SQLSTATE of class OD with the HTTP status in it. */
#define OD308 MAKE_SQLSTATE('O', 'D', '3', '0', '8')
#define OD400 MAKE_SQLSTATE('O', 'D', '4', '0', '0')
#define OD401 MAKE_SQLSTATE('O', 'D', '4', '0', '1')
#define OD403 MAKE_SQLSTATE('O', 'D', '4', '0', '3')
#define OD404 MAKE_SQLSTATE('O', 'D', '4', '0', '4')
#define OD405 MAKE_SQLSTATE('O', 'D', '4', '0', '5')
#define OD406 MAKE_SQLSTATE('O', 'D', '4', '0', '6')
#define OD409 MAKE_SQLSTATE('O', 'D', '4', '0', '9')
#define OD412 MAKE_SQLSTATE('O', 'D', '4', '1', '2')
#define OD413 MAKE_SQLSTATE('O', 'D', '4', '1', '3')
#define OD415 MAKE_SQLSTATE('O', 'D', '4', '1', '5')
#define OD422 MAKE_SQLSTATE('O', 'D', '4', '2', '2')
#define OD429 MAKE_SQLSTATE('O', 'D', '4', '2', '9')
#define OD503 MAKE_SQLSTATE('O', 'D', '5', '0', '3')

/* Most characters of an id, of a consumer's id, of the name of its key, of an address. */
#define ID_LENGTH 15
#define CONSUMER_LENGTH 64
#define KEY_LENGTH 100
#define ADDRESS_LENGTH 2000

/*
 * How much a caller sees; who sees more also sees what those do who see less.
 *
 * A value of this type has, above the bits of the level, the rights of a user to read what is closed
 * (registry/visibility.c), so that it is an index of an array only by way of access_level().
 */
typedef enum AccessLevel
{
	ACCESS_OUTSIDER, /* no user: a consumer, or nobody */
	ACCESS_INTERNAL, /* a user */
	ACCESS_ALL,		 /* a superadmin, or a trusted database user */
	ACCESS_LEVELS
} AccessLevel;

/* Return the level without the rights. */
static inline AccessLevel
access_level(AccessLevel access)
{
	return (AccessLevel) ((unsigned) access & 3);
}

/* Of which records a rule grants an action. */
typedef enum CatReach
{
	REACH_ALL,
	REACH_OWN,	/* of those of the user */
	REACH_NEAR, /* of those of the user's organization */
	REACHES
} CatReach;

/* Who is notified of a change. */
typedef enum Audience
{
	AUDIENCE_USERS,		/* of each one */
	AUDIENCE_OUTSIDERS, /* of those that outsiders can see something of */
	AUDIENCES
} Audience;

/* How a field is read, written and compared. */
typedef enum FieldKind
{
	FIELD_TEXT,
	FIELD_ID, /* an identifier: compared exactly */
	FIELD_ENUM,
	FIELD_BOOLEAN,
	FIELD_INTEGER,
	FIELD_NUMBER,
	FIELD_DATETIME,
	FIELD_DATE,
	FIELD_JSON,
	FIELD_ARRAY, /* a JSON array */
	FIELD_LIST,	 /* an array of PostgreSQL, a JSON array to clients */
	FIELD_OTHER	 /* any other type: its text */
} FieldKind;

typedef struct Field
{
	char *name;	  /* lowerCamelCase */
	char *member; /* as JSON has it behind another one: a comma, the name, a colon */
	int member_length;
	char *column; /* as in pg_attribute */
	char *quoted; /* as in SQL */
	AttrNumber attno;
	AttrNumber history_attno; /* in the table of the history; 0: that has no such column */
	FieldKind kind;
	char *type; /* type of the definition, such as "string" */
	Oid type_oid;
	Oid base_oid;
	int32 typmod;
	int max; /* characters, 0 for no limit */
	bool required;
	bool has_default;
	bool read_only;	 /* made by the service */
	bool hidden;	 /* never shown, never compared: secrets, and what deletedAt shows instead */
	bool write_only; /* a secret: taken, never shown */
	bool internal;	 /* for users only: no outsider sees it or can ask for it */
	uint32 closed;	 /* rights, one of which a user needs to see it; 0: none is needed */
	bool reserved;	 /* for superadmins to write */
	bool fixed;		 /* not changed through the API after creation */
	bool searchable;
	bool collated;		   /* of another collation than the default one */
	bool composed;		   /* a name or a searched text: stored in NFC */
	bool slug;			   /* made of the name: lower case ASCII, or the id */
	bool color;			   /* of the domain of colours */
	bool address;		   /* of a domain of addresses */
	char *domain;		   /* name of its domain, or NULL */
	bool strict;		   /* that may refuse null */
	int limit;			   /* characters of JSON text that a client may write, 0 for no limit */
	char *unless;		   /* column that replaces this required one, or NULL */
	char *reference;	   /* resource that it refers to, or NULL */
	char *condition;	   /* SQL that a referenced record t must meet, or NULL */
	List *labels;		   /* of char *: values of an enumeration */
	struct Field *element; /* what each element of a list is, else NULL */
	bool is_element;	   /* this is one */
} Field;

typedef enum RelationKind
{
	RELATION_TO_ONE,
	RELATION_ONE_TO_MANY,
	RELATION_MANY_TO_MANY
} RelationKind;

/* An index that has the records that a key leads to in the order of creation; none: InvalidOid. */
typedef struct KeyIndex
{
	Oid table;
	Oid index;
	AttrNumber created_at; /* columns of the table: of the record that is led to */
	AttrNumber id;
	AttrNumber shown; /* of a join table: whether outsiders see that record; 0: there is none */
} KeyIndex;

typedef struct CatRelation
{
	char *name;
	char *member; /* as that of a field */
	int member_length;
	char *resource; /* that it is of */
	RelationKind kind;
	char *target; /* resource */
	char *via;	  /* quoted table that holds the key */
	Oid via_oid;
	char *near;		 /* quoted column of the key towards this resource (to-one: of this table) */
	char *far;		 /* many-to-many: quoted column towards the target */
	char *near_name; /* the same as in pg_attribute */
	char *far_name;
	char deletion;	 /* pg_constraint.confdeltype of the key */
	int position;	 /* its number among relations */
	bool owned;		 /* the record itself holds it: a key, or a list of ids that it shows */
	Field *key;		 /* to-one: the column with the id, else NULL */
	char *list_name; /* owned many-to-many: name of the column with the list */
	Field *list;	 /* that column, or NULL */
	char *created;	 /* many-to-many: quoted column with when this resource's record was created */
	char *flag;		 /* many-to-many: quoted column with whether outsiders see it, or NULL */
	KeyIndex here;	 /* leads from a record of the target to those of this resource */
	KeyIndex there;	 /* leads from a record of this resource to those of the target */
	bool internal;	 /* for users only, as its target is */
	uint32 closed;	 /* rights, one of which a user needs to see it, as for its target; 0: none */
	bool required;	 /* many-to-many: at least one */
	char *condition; /* SQL that a referenced record t must meet, or NULL */
} CatRelation;

/* A facet whose numbers are kept (facet_counter.c). */
typedef struct CountedFacet
{
	char *name;
	const Field *field; /* the value, or the ids of linked records */
	bool by_year;
	const CatRelation *relation; /* whose records are the values, or NULL */
} CountedFacet;

typedef struct Resource
{
	char *name;
	char *model;
	Oid relid;
	Oid storage;	/* file of the table: another one when that is written anew */
	char *table;	/* quoted, qualified */
	TupleDesc desc; /* of the table */
	bool read_only;
	bool logged;
	bool newest_first;
	int nfields;
	Field *fields;
	int nrelations;
	CatRelation *relations;
	Oid key_index;		 /* primary key, InvalidOid where it is not the id alone */
	Oid order_index;	 /* living records by created_at and id, or InvalidOid */
	List *actions;		 /* of char * */
	List *kept;			 /* of char *: columns that the service itself gives values */
	List *counted;		 /* of CountedFacet * */
	List *unique_keys;	 /* of UniqueKey * */
	List *dependents;	 /* of Dependent * */
	bool deactivates;	 /* has a column deactivated_at */
	uint64 signature;	 /* changes with the definition */
	const char *unfit;	 /* why the table is not what a resource needs, NULL: it is */
	const char *remedy;	 /* what to do about that */
	Oid history_relid;	 /* table of the history, InvalidOid for none */
	char *history_table; /* quoted, qualified; or NULL */
	Field *change;		 /* column with the number of the change that made the record, or NULL */
	TimestampTz compared[AUDIENCES]; /* newest change of all resources when */
	TimestampTz newest[AUDIENCES];	 /* this was the newest of the resource (read_version.c) */

	/* what reads look for, so that they need not search by name */
	AttrNumber id, created_at, updated_at, deleted_at;
	AttrNumber deactivated_at;		 /* 0: it has none */
	Bitmapset *shown[ACCESS_LEVELS]; /* fields that are shown at that access level */
	Bitmapset *lists[ACCESS_LEVELS]; /* relations that are shown as lists of ids */
	Field *status;					 /* the state of a record, NULL where there are no states */
	bool update_order;				 /* lists by updated_at are sorted by catalogue.update_order */
	bool flagged;					 /* has flags that follow other records (after_change.c) */
	bool guarded;					 /* a rule for any resource does not reach it */

	/* visibility.c */
	bool private[ACCESS_LEVELS]; /* hidden at that level, whatever the rights */
	uint32 right;				 /* to read what is closed of it; 0: nothing is */
	uint32 own_right;			 /* to read own records that are closed; 0: there is none */
	uint32 near_right;			 /* so, those of the user's organization */
	uint32 closed;				 /* those of the three that open its records; 0: they are open */
	bool closes;				 /* some fields, or relations, need a right */
	const Field *owner;			 /* whose records are own ones, NULL: nobody's */
	const CatRelation *parent; /* then: to the record that one belongs to (belonging.c), or NULL */
	List *conditions[ACCESS_LEVELS]; /* of Condition *: what the records that they see meet */
	MemoryContext context;
} Resource;

/* Who asks.  "trusted" is a database user who calls without an actor. */
typedef struct Actor
{
	bool trusted;
	AccessLevel access;
	char user[ID_LENGTH + 1];			/* empty: nobody */
	Oid role;							/* of pg_enum; InvalidOid: none */
	char consumer[CONSUMER_LENGTH + 1]; /* empty: none */
	List *resources;					/* of char *: what its key is for; NIL: all */
	List *verbs;						/* so, what requests it is for */
	char organization[ID_LENGTH + 1];	/* whose records may be changed with its key; empty: all */
	char limit[ID_LENGTH + 1];			/* whose records the running change may touch; empty: all */
	const char *base;					/* address that a change was sent to; NULL: unknown */
	bool css;							/* who asks has colours shown as CSS has them, */
	bool strict;						/* and what is not known refused */
	bool recent;						/* the user has given the password within the last hour */
} Actor;

#endif /* CATALOGUE_H */
