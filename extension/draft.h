/*
 * draft.h
 *	  A record as it is to be written.
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
} Draft;

/* draft.c, form.c */
extern void draft_begin(Draft *draft, Resource *resource);
extern void draft_read(Draft *draft, const Writer *writer, List *members);
extern void draft_keep(Draft *draft, const char *column, const char *text);
extern char *draft_text(const Draft *draft, const char *column);
extern void draft_refuse(Draft *draft, const char *id);
extern const Field *draft_field(Resource *resource, const char *name);
extern void form_convert(Resource *resource, List *members);
/* write.c */
extern void write_create(Writer *writer, Draft *draft);
extern void write_update(Writer *writer, Draft *draft);

#endif /* DRAFT_H */
