/*
 * draft.h
 *	  A record as it is to be written, and how rows are.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef DRAFT_H
#define DRAFT_H

typedef struct Draft
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
} Draft;

/* new_record.c, form.c */
extern void draft_begin(Draft *draft, Resource *resource);
extern void draft_read(Draft *draft, const Writer *writer, List *members);
extern void draft_keep(Draft *draft, const char *column, const char *text);
extern char *draft_text(const Draft *draft, const char *column);
extern void draft_refuse(Draft *draft, const char *id);
extern const Field *draft_field(Resource *resource, const char *name);
extern void form_convert(Resource *resource, List *members);
/* state.c: values and changed by attribute number less one */
extern void state_complete(Resource *resource, Datum *values, bool *nulls, const bool *changed);
extern void state_take_back(Resource *resource, const Datum *old, Datum *values, bool *changed);
/* write.c */
extern void write_create(Writer *writer, Draft *draft);
extern void write_update(Writer *writer, Draft *draft);
/* bulk_insert.c, bulk_default.c: rows without a statement; columns are named by their place in the
 * list given first */
typedef struct Bulk Bulk;
extern void bulk_init(void);
extern Expr *bulk_default(struct RelationData *table, int at);
extern bool bulk_refuses_null(Oid domain);
extern Oid bulk_table(const char *name);
extern Bulk *bulk_open(Oid table, int count, const char *const *columns);
extern Bulk *bulk_open_ruled(Oid table, int count, const char *const *columns);
extern struct TupleTableSlot *bulk_row(Bulk *bulk);
extern void bulk_set(Bulk *bulk, int column, Datum value);
extern void bulk_set_copy(Bulk *bulk, int column, Datum value);
extern void bulk_set_text(Bulk *bulk, int column, const char *text);
extern void bulk_end_row(Bulk *bulk);
extern void bulk_flush(Bulk *bulk);
extern void bulk_close(Bulk *bulk);

#endif /* DRAFT_H */
