/*
 * select_internal.h
 *	  One SELECT of a client over the tables that it may see: used inside select/ only.
 *	  Decisions: docs/explanation/decisions.md#extensionselect
 */
#ifndef CATALOGUE_SELECT_SELECT_INTERNAL_H
#define CATALOGUE_SELECT_SELECT_INTERNAL_H

#include "catalogue.h"

#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"

#include "query/comparison.h"
#include "rows/contents/contents.h"

/* A table of a statement. */
typedef struct SelectTable SelectTable;

/* Names in the text of a statement, and what they stand for. */
typedef struct SelectNames
{
	List *names;	 /* of char *: tables that no WITH defines, each once */
	bool geometries; /* there are functions of geometries */
	List *tables;	 /* of SelectTable *, once they are found */
} SelectNames;

/* What a client's statement may use, to be restored by cat_select_limits_end(). */
typedef struct SelectLimits
{
	int nest;					 /* GUC nesting level */
	bool read_only;				 /* the transaction was so before */
	bool own_timeout;			 /* statement_timeout ends the statement at the deadline, */
	bool had_timeout;			 /* and was to end it later */
	TimestampTz former_deadline; /* of statement_timeout, if had_timeout */
	TimestampTz deadline;		 /* of the client's statement */
	int timeout;				 /* milliseconds that it may take */
	bool bounded;				 /* memory is limited */
	uint64 former_memory;		 /* limit of the process, if bounded */
	bool switched;				 /* the current user is the role of client statements */
} SelectLimits;

/* select_check.c */

extern bool cat_select_words_type(const char *name);
/* Parse the text of a statement, and find the names in it.  A fault is added to the list for a text
 * that is not one SELECT, or that has something that is not permitted; then the result is without
 * use.  Raises what PostgreSQL's parser raises. */
extern SelectNames cat_select_check_text(const char *sql, List **faults);
/* Check the statement as PostgreSQL has understood it; a fault is added for what is not permitted. */
extern void cat_select_check_plan(SPIPlanPtr plan, List **faults);

/* select_condition.c */

/* Return the conditions among clauses by which columns of a table of the plan compare with constants, in lists of nodes. */
extern List *cat_select_condition_all(PlannerInfo *root, int table, const List *clauses);
/* Append them to a statement that reads t, which has these columns, each after AND. */
extern void cat_select_condition_write(StringInfo sql, TupleDesc columns, const List *conditions);
/* Have rows of a file pass those that a filter compares as the statement does. */
extern void cat_select_condition_filter(SheetQuery *asked, const List *conditions);

/* select_geometry.c */

#define CAT_SELECT_SRID 4326 /* of geometries: degrees of WGS 84 */

/* Whether a function is one of geometries, which calls PostGIS within bounds. */
extern bool cat_select_geometry_is_function(Oid function);
/* Prepare what a statement with such functions needs, before cat_select_limits_enter(); a fault is added where PostGIS is
 * missing. */
extern void cat_select_geometry_begin(List **faults);

/* select_limits.c */

/* A copy of a query whose numbers, and arguments of functions that cannot be interrupted, are
 * bounded. */
extern Query *cat_select_bound(Query *query);
/* Return the value of a node of such a copy, which may be bounded. */
extern const Node *cat_select_bound_value(const Node *node);
/* Limit the time and the temporary files of what follows, until cat_select_limits_end(). */
extern void cat_select_limits_begin(SelectLimits *limits);
/* Limit the memory, and switch to the role that has no privileges.  Raises OD503 where it is
 * missing. */
extern void cat_select_limits_enter(SelectLimits *limits);
/* Permit so many bytes of memory more for a while; returns what cat_select_limits_lower() has to be given. */
extern uint64 cat_select_limits_raise(uint64 bytes);
extern void cat_select_limits_lower(uint64 former);
/* Restore what was before cat_select_limits_enter(). */
extern void cat_select_limits_leave(SelectLimits *limits);
/* Restore what was before; an error restores the settings itself. */
extern void cat_select_limits_end(SelectLimits *limits, bool failed);

/* select_postgis.c */

/* PostGIS, where it is installed. */
typedef struct PostGIS
{
	Oid schema;
	Oid geometry; /* its types */
	Oid geography;
} PostGIS;

/* Whether an object belongs to an extension. */
extern bool cat_select_postgis_is_member(Oid catalog, Oid object, const char *extension);
/* Find PostGIS; false if it is not installed. */
extern bool cat_select_postgis_find(PostGIS *postgis);
/* Find its function of a name and argument types. */
extern void cat_select_postgis_function(FmgrInfo *function, const PostGIS *postgis,
										const char *name, const Oid *types, int count,
										MemoryContext memory);
/* Call a function with at most four arguments, none of which is null; raises 22023 for an error of PostGIS without a
 * code of its own. */
extern Datum cat_select_postgis_call(FmgrInfo *function, int count, const Datum *values,
									 bool *isnull);
/* Load its library, and what it looks up of the ellipsoid, which it keeps as long as the process lives: it reads tables
 * and opens files for it, with memory of C++. */
extern void cat_select_postgis_load(const PostGIS *postgis);

/* select_scan.c */

#define CAT_SELECT_ROW_ID "_id" /* name of the column with the number of a row of a file */

/* Return a table: the rows of a sheet; geometries: the statement computes with these. */
extern SelectTable *cat_select_scan_file(const char *name, const SheetQuery *asked,
										 bool geometries);
/* Return a table: the result of a SELECT. */
extern SelectTable *cat_select_scan_records(const char *name, const char *sql);
/* Make tables known to SPI until the end of the call, and let the statement read them with the rights of the present user
 * until cat_select_scan_end(). */
extern void cat_select_scan_begin(const List *tables);
extern void cat_select_scan_end(void);
/* Return the column of the sheet that a column of the table is, ROW_NUMBER for the first one. */
extern int cat_select_scan_column(int number);
/* Return what is told of a table that was read, List of char *. */
extern List *cat_select_scan_notes(const SelectTable *table);

/* select_table.c */

/* The name of a column of a file as an identifier in the text of a statement is read. */
extern char *cat_select_table_identifier(const char *name);

/* Find the tables that a statement names, as the actor sees them.  A fault is added for a name that stands for nothing.
 * Raises what a read of the file or the resource raises, such as OD403 and OD409. */
extern void cat_select_table_all(SelectNames *names, const Actor *actor, List **faults);

#endif /* CATALOGUE_SELECT_SELECT_INTERNAL_H */
