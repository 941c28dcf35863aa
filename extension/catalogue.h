/*
 * catalogue.h
 *	  Types and functions shared by the files of the extension.
 *
 * Read this first; parts of it are asked.h, what is asked for, rows.h, how records are read, and
 * reply.h, how a call answers.
 *
 * A request walks through the files in this order: registry (what there is), request_params (what
 * is asked), sql_builder, filter and filter_value (SQL text), row_fetch (what was read), json
 * (text), call_reply and packed (the answer).  A change walks through body (the JSON of a client),
 * convert and validate (faults), write (the statement) and the triggers, which hold every rule for
 * psql and API alike.
 */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include "compat.h"

#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/bitmapset.h"
#include "storage/lock.h"
#include "utils/hsearch.h"
#include "utils/timestamp.h"

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

#define ID_LENGTH 15
#define CONSUMER_LENGTH 64 /* of the id of a consumer */
#define KEY_LENGTH 100	   /* of the name of its key */
#define ADDRESS_LENGTH 2000

#include "sight.h"

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
	AttrNumber past; /* its column in the history, 0 where that has none */
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
	bool reserved;	 /* for superadmins to write */
	bool fixed;		 /* not changed through the API after creation */
	bool searchable;
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
	int position;	 /* its place among relations */
	bool owned;		 /* the record itself holds it: a key, or a list of ids that it shows */
	Field *key;		 /* to-one: the column with the id, else NULL */
	char *list_name; /* owned many-to-many: name of the column with the list */
	Field *list;	 /* that column, or NULL */
	char *born;		 /* many-to-many: quoted column with when this resource's record was created */
	KeyIndex here;	 /* leads from a record of the target to those of this resource */
	KeyIndex there;	 /* leads from a record of this resource to those of the target */
	bool internal;	 /* for users only, as its target is */
	bool required;	 /* many-to-many: at least one */
	char *condition; /* SQL that a referenced record t must meet, or NULL */
} CatRelation;

/* Columns whose values together are unique among the living. */
typedef struct UniqueKey
{
	List *fields; /* of int: index into Resource.fields */
	List *folded; /* of int: 1 where letter case does not count */
	char *index;  /* name of the index */
	bool alone;	  /* nothing but the index can tell: it is of some records, or of what is made of
					 values */
	Oid plain;	  /* the index, where it has the texts of all living records; else InvalidOid */
} UniqueKey;

/* A foreign key towards a resource: what stands in the way of deletion, or goes along. */
typedef struct Dependent
{
	char *resource;	   /* resource of the records that refer; of a join table, the other side's */
	bool is_join;	   /* the table is a join table */
	bool has_status;   /* its records have states */
	char *table;	   /* quoted, qualified */
	char *column;	   /* quoted */
	char *column_name; /* as in pg_attribute */
	char *far;		   /* join table: quoted column of the other key */
	char *far_name;
	char *far_table; /* join table: table that the other key refers to */
	char *flag;		 /* quoted column that follows what outsiders see of the record, or NULL */
	char *flag_name;
	char deletion; /* pg_constraint.confdeltype: c cascades, n does not block, else blocks */
} Dependent;

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
	Oid key_index;		/* primary key, InvalidOid where it is not the id alone */
	Oid order_index;	/* living records by created_at and id, or InvalidOid */
	List *actions;		/* of char * */
	List *kept;			/* of char *: columns that the service itself gives values */
	List *unique_keys;	/* of UniqueKey * */
	List *dependents;	/* of Dependent * */
	bool deactivates;	/* has a column deactivated_at */
	uint64 signature;	/* changes with the definition */
	const char *unfit;	/* why the table is not what a resource needs, NULL: it is */
	const char *remedy; /* what to do about that */
	Oid past_relid;		/* table of the history, InvalidOid for none */
	char *past_table;	/* quoted, qualified; or NULL */
	Oid past_key;		/* its index by id and change */
	Oid past_ended;		/* its index of records that were deleted, by created_at and id */
	Field *change;		/* column with the number of the change that made the record, or NULL */
	TimestampTz settled[AUDIENCES]; /* newest change of all resources when */
	TimestampTz newest[AUDIENCES];	/* this was the newest of the resource (read_version.c) */

	/* what reads look for, so that they need not search by name */
	AttrNumber id, created_at, updated_at, deleted_at;
	AttrNumber deactivated_at;		 /* 0: it has none */
	Bitmapset *shown[ACCESS_LEVELS]; /* fields that are shown to callers of that sight */
	Bitmapset *lists[ACCESS_LEVELS]; /* relations that are shown as lists of ids */
	Field *status;					 /* the state of a record, NULL where there are no states */
	bool flagged;					 /* has flags that follow other records (shown.c) */
	bool guarded;					 /* a rule for any resource does not reach it */

	/* visibility.c */
	bool closed[ACCESS_LEVELS];		 /* callers of that sight see nothing of it */
	List *conditions[ACCESS_LEVELS]; /* of Condition *: what the records that they see meet */
	MemoryContext context;
} Resource;

/* A member of a request's body. */
typedef enum MemberKind
{
	MEMBER_NULL,
	MEMBER_BOOLEAN,
	MEMBER_NUMBER,
	MEMBER_STRING,
	MEMBER_ARRAY,
	MEMBER_OBJECT
} MemberKind;

typedef struct Member
{
	char *name; /* NULL for the element of an array */
	MemberKind kind;
	char *raw;	/* JSON text */
	char *text; /* decoded string, or the text of number and boolean; NULL: cannot be stored */
} Member;

#include "callers.h"

#include "asked.h"

#include "reply.h"

#include "base/settings.h"
/* id.c, fold.c, slug.c */
extern void cat_id_generate(char *id);
extern void cat_fold_append(StringInfo out, const char *text, size_t length);
extern char *cat_fold_text(const char *text, size_t length);
extern Oid cat_fold_collation(void);
extern char *cat_fold_ascii(const char *text, size_t length);
extern char *cat_slug_make(const char *name);
/* search_text.c */
extern void cat_search_text_unmark(char *text);
/* field_name.c, type_word.c */
extern char *cat_name_camel(const char *column);
extern char *cat_name_of_table(Oid relid);
extern const char *cat_type_word(Oid type);
/* registry.c, registry_load.c, registry_index.c, registry_signature.c; definition.h has the rest */
extern void cat_registry_init(void);
extern Resource *cat_registry_known(Oid relid);
extern Resource *cat_registry_find(const char *name);
pg_noreturn extern void cat_registry_missing(const char *word);
extern char *cat_registry_plural(const char *model);
extern Resource *cat_registry_resource(const char *name);
extern Resource *cat_registry_table(Oid relid);
extern Field *cat_registry_field(Resource *resource, const char *name);
extern Field *cat_registry_column(Resource *resource, const char *column);
extern CatRelation *cat_registry_relation(Resource *resource, const char *name);
extern void cat_registry_begin(void);
extern void cat_registry_end(void);
extern void cat_registry_require(void);
pg_noreturn extern void cat_registry_rethrow(void);
extern Resource *cat_registry_load(const char *name, Oid relid, MemoryContext parent);
extern void cat_registry_kind(Field *field, const char *items, Oid oid);
extern void cat_registry_index_load(Resource *resource);
extern void cat_registry_index_load_relation(CatRelation *relation);
extern void cat_registry_index_load_history(Resource *resource);
extern void cat_registry_index_load_shortcuts(Resource *resource);
extern bool cat_registry_actions_refuse(const Resource *resource, const char *action);
extern List *cat_registry_actions_refused(const Resource *resource);
extern uint64 cat_registry_signature(const Resource *resource, const char *shown);
/* body.c */
extern List *cat_body_members(const char *json, size_t length);
extern List *cat_body_argument(FunctionCallInfo fcinfo, int number);
extern char *cat_body_text(List *members, const char *name, List **faults);
extern List *cat_body_elements(const char *json);
extern Member *cat_body_value(const char *text);
extern Member *cat_body_member(List *members, const char *name);
extern Datum cat_text_array_make(Datum *texts, int count);
extern Datum *cat_text_array_elements(Datum array, int *count);
extern Datum cat_text_array_of_list(List *list);
/* validation_error.c, convert.c, convert_elements.c, literal.c, validate.c */
extern void cat_validation_error_add(List **faults, const char *field, const char *rule,
									 const Member *member, const char *message);
extern Member *cat_fault_value(const char *text);
extern bool cat_validation_error_has(List *faults, const char *field);
extern char *cat_validation_error_json(List *faults);
pg_noreturn extern void cat_validation_error_raise(List *faults, int code, const char *hint);
pg_noreturn extern void cat_validation_error_raise_parameters(List *faults);
/* nearest.c: names are lists of char * */
extern const char *cat_nearest_name(List *names, const char *word);
extern void cat_nearest_fault(List **faults, const char *word, const char *nearest);
extern void cat_convert_member(const Field *field, const Member *member, Datum *value, bool *isnull,
							   List **faults);
extern const char *cat_convert_text(const Field *field, const Member *member, List **faults);
extern void cat_parse_options_check(const char *field, const Member *member, List **faults);
/* one_line.c */
extern bool cat_one_line_is(const Field *field);
extern bool cat_one_line_has_space(const char *text);
extern const char *cat_one_line_trim(const char *text);
extern void cat_one_line_trim_row(const Resource *resource, Datum *values, const bool *nulls,
								  const bool *changed);
/* address.c */
extern bool cat_address_is_field(const Field *field);
extern bool cat_address_is_web(const char *text);
extern char *cat_convert_elements(const Field *field, const Member *member, List **faults);
extern char *cat_convert_id(const char *field, const Member *member, List **faults);
extern bool cat_literal_boolean(const char *text);
extern bool cat_literal_integer(const char *text);
extern bool cat_literal_number(const char *text);
extern bool cat_literal_date(const char *text);
extern bool cat_literal_datetime(const char *text);
extern char *cat_literal_instant(const char *text);
extern Datum cat_literal_timestamp(const char *text);
extern bool cat_literal_fits(FieldKind kind, const char *value);
extern void cat_validate_record(Resource *resource, const Datum *values, const bool *nulls,
								const bool *changed, List **faults);
extern void cat_validate_references(const char *name, Resource *target, const char *condition,
									const char *referrer, List *ids, List **faults);
extern List *cat_validate_caught(Resource *resource);
extern char *cat_validate_text(const Field *field, const Datum *values, const bool *nulls);
/* setting.c */
extern void cat_setting_check(Resource *resource, const char *id, const Datum *values,
							  const bool *nulls, const bool *changed, List **faults);
extern int64 cat_setting_count(const Resource *resource, const char *id);
extern char *cat_setting_rows(const Resource *resource, const char *id);
/* defaults.c, link.c */
extern void cat_defaults_fill(Resource *resource, Datum *values, bool *nulls);
extern List *cat_link_ids(const CatRelation *relation, const Member *member, List **faults);
extern bool cat_link_is_keeping(const Resource *resource);
extern void cat_link_write(const CatRelation *relation, const char *id, List *ids);
extern void cat_link_replace(const CatRelation *relation, const char *id, List *ids);
/* deletion.c, state.c */
extern void cat_deletion_lock(const Resource *resource, const char *id);
extern void cat_deletion_cascade(const Resource *resource, const char *id, TimestampTz at);
extern void cat_deletion_check(const Resource *resource, const char *id);
extern void cat_deletion_undo(const Resource *resource, const char *id, TimestampTz at);
extern const char *cat_state_draft(void);
extern void cat_state_require(const WriteCall *writer, const char *status);
extern const char *cat_state_after(const Resource *resource, const char *id, const char *action);
extern void cat_state_follow(const Resource *resource, const char *id, const char *before,
							 const char *after);
/* action_log.c, row_counter.c */
extern void cat_action_log_records(const Resource *resource, List *actions, List *ids);
extern int64 cat_row_counter_of(const Tally *tally, AccessLevel sight);
extern Tally cat_row_counter_alike(const Resource *resource, int64 count);
extern void cat_row_counter_add(const Resource *resource, const Tally *delta);
extern Tally cat_row_counter_read(const Resource *resource);
/* differ.c: rows by attribute number less one */
extern bool *cat_differ_columns(TupleDesc desc, const Datum *olds, const bool *old_nulls,
								const Datum *news, const bool *new_nulls);
extern bool cat_differ_alike(Oid type, Datum old, Datum new);
extern bool cat_differ_records(const Resource *resource, const Datum *olds, const bool *old_nulls,
							   const Datum *news, const bool *new_nulls);
/* internal_update.c */
extern bool cat_internal_update_columns(const Resource *resource, const bool *changed, int natts);
extern bool cat_internal_update_rows(const Resource *resource, struct TupleTableSlot *old,
									 struct TupleTableSlot *new);
/* user.c */
extern void cat_user_check_own_password(const WriteCall *writer, List *members, List **faults);
/* secret.c */
extern char *cat_secret_seal(const Resource *resource, const Field *field, const char *id,
							 const char *text);
extern bool cat_secret_is_sealed(const char *text);
#include "draft.h"
#include "rows.h"
#include "storage.h"

/* what a scan is, comes first */
#include "contents.h"

#endif /* CATALOGUE_H */
