/*
 * sheet_labels.c
 *	  Groups of a sheet's rows by the texts of one or two columns, for charts.
 */
#include "catalogue.h"

#include "executor/spi.h"
#include "utils/datum.h"

#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "contents/sheet_groups.h"
#include "contents/sheet_sql.h"
#include "sheets/sheets.h"

/* Append groups and their values: label0, label1, n of the first row, value, count, skipped. */
static void
write_groups(SheetSql *sql)
{
	const SheetQuery *asked = sql->asked;
	const SheetAggregate *aggregate = linitial(asked->aggregates);
	const char *number = cat_sheet_sql_cell("number", aggregate->column);

	for (int i = 0; i < 2; i++)
		appendStringInfo(&sql->query.sql, "%s%s AS label%d", i == 0 ? "SELECT " : ", ",
						 i < list_length(asked->groups)
							 ? cat_sheet_sql_cell("text", list_nth_int(asked->groups, i))
							 : "NULL::text",
						 i);
	if (aggregate->kind == AGGREGATE_COUNT)
		appendStringInfoString(
			&sql->query.sql,
			", min(r.n) AS n, count(*)::numeric AS value, count(*) AS count, 0 AS skipped");
	else
		appendStringInfo(&sql->query.sql,
						 ", min(r.n) AS n, coalesce(sum(%s), 0) AS value, count(%s) AS count, "
						 "count(*) FILTER (WHERE %s <> '' AND %s IS NULL) AS skipped",
						 number, number, cat_sheet_sql_cell("text", aggregate->column), number);
	cat_sheet_sql_rows(sql, 1, ROW_NUMBER);
	appendStringInfoString(&sql->query.sql, " GROUP BY 1, 2");
}

/* Read the groups.  Those behind the greatest number of groups are one, without labels. */
LabelGroups
cat_sheet_labels_read(const SheetQuery *sheet_query)
{
	LabelGroups groups = {0};
	SheetSql sql;

	cat_sheet_sql_begin(&sql, sheet_query);
	appendStringInfo(&sql.query.sql,
					 "SELECT least(g.at, %d), l.label0, l.label1, sum(g.value), "
					 "sum(g.count)::bigint, sum(g.skipped)::bigint "
					 "FROM (SELECT g.*, row_number() OVER (ORDER BY g.n) AS at FROM (",
					 CAT_GROUPS_MAX + 1);
	write_groups(&sql);
	appendStringInfo(&sql.query.sql,
					 ") g) g LEFT JOIN LATERAL (SELECT g.label0, g.label1 WHERE g.at <= %d) l "
					 "ON true GROUP BY 1, 2, 3 ORDER BY 1",
					 CAT_GROUPS_MAX);
	cat_sql_builder_run(&sql.query);
	groups.count = (int) SPI_processed;
	groups.list = palloc0(sizeof(LabelGroup) * (SPI_processed + 1));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple tuple = SPI_tuptable->vals[i];
		TupleDesc desc = SPI_tuptable->tupdesc;
		bool isnull;

		groups.list[i] = (LabelGroup){
			.labels = {SPI_getvalue(tuple, desc, 2), SPI_getvalue(tuple, desc, 3)},
			.value = datumCopy(SPI_getbinval(tuple, desc, 4, &isnull), false, -1),
			.count = DatumGetInt64(SPI_getbinval(tuple, desc, 5, &isnull)),
			.skipped = DatumGetInt64(SPI_getbinval(tuple, desc, 6, &isnull)),
		};
	}
	groups.rest = groups.count > CAT_GROUPS_MAX;
	return groups;
}
