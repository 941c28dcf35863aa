/*
 * draft.h
 *	  A record as it is to be written, and how rows are.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef DRAFT_H
#define DRAFT_H

typedef struct NewRecord
{
	Resource *resource;
	int natts;
	Datum *values; /* by attribute number less one */
	bool *nulls;
	bool *given;
	List **links; /* by relation: ids, where linked */
	bool *linked;
	List *faults;
	List *ignored;	/* of char *: members of the body that mean nothing */
	const char *id; /* once it is written */
} NewRecord;

/* new_record.c, form.c */
extern void cat_new_record_begin(NewRecord *draft, Resource *resource);
extern void cat_new_record_read(NewRecord *draft, const WriteCall *writer, List *members);
extern void cat_new_record_keep(NewRecord *draft, const char *column, const char *text);
extern char *cat_new_record_text(const NewRecord *draft, const char *column);
extern void cat_new_record_refuse(NewRecord *draft, const char *id);
extern const Field *cat_new_record_field(Resource *resource, const char *name);
extern void cat_form_convert(Resource *resource, List *members);
/* state.c: values and changed by attribute number less one */
extern void cat_state_complete(Resource *resource, Datum *values, bool *nulls, const bool *changed);
extern void cat_state_take_back(Resource *resource, const Datum *old, Datum *values, bool *changed);
/* write.c */
extern void cat_write_create(WriteCall *writer, NewRecord *draft);
extern void cat_write_update(WriteCall *writer, NewRecord *draft);
/* bulk_insert.c, bulk_default.c: rows without a statement; columns are named by their place in the
 * list given first */
typedef struct BulkInsert BulkInsert;
extern void cat_bulk_default_init(void);
extern Expr *cat_bulk_default(struct RelationData *table, int at);
extern bool cat_bulk_default_refuses_null(Oid domain);
extern Oid cat_bulk_insert_table(const char *name);
extern BulkInsert *cat_bulk_insert_open(Oid table, int count, const char *const *columns);
extern BulkInsert *cat_bulk_insert_open_ruled(Oid table, int count, const char *const *columns);
extern struct TupleTableSlot *cat_bulk_insert_row(BulkInsert *bulk);
extern void cat_bulk_insert_set(BulkInsert *bulk, int column, Datum value);
extern void cat_bulk_insert_set_copy(BulkInsert *bulk, int column, Datum value);
extern void cat_bulk_insert_set_text(BulkInsert *bulk, int column, const char *text);
extern void cat_bulk_insert_end_row(BulkInsert *bulk);
extern void cat_bulk_insert_flush(BulkInsert *bulk);
extern void cat_bulk_insert_close(BulkInsert *bulk);

#endif /* DRAFT_H */
