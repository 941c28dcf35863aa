/*
 * chart_table.c
 *	  Groups of rows as a table of values by label and series.
 */
#include "catalogue.h"

#include "contents/contents.h"
#include "contents/sheet_sql.h"
#include "pg/pg.h"
#include "visuals/chart_table_internal.h"

#define LABELS_MAX 1000
#define SERIES_MAX 50
#define DECIMALS 2
#define REST "Other" /* label of what exceeds the maximum */

/*
 * Append the groups g of the rows by label and series: n of the first row, value, the number of cells
 * that are in it, the number of those that are no numbers.  The last groups, if there are too many,
 * have neither label nor series (numbered false).
 */
static void
write_groups(SheetSql *sql)
{
	const SheetQuery *asked = sql->asked;
	const SheetAggregate *aggregate = linitial(asked->aggregates);
	bool sums = aggregate->kind == AGGREGATE_SUM;
	const char *number = sums ? cat_sheet_sql_cell("number", aggregate->column) : "1::numeric";
	const char *text = sums ? cat_sheet_sql_cell("text", aggregate->column) : "''";
	const char *second = list_length(asked->groups) > 1
							 ? cat_sheet_sql_cell("text", lsecond_int(asked->groups))
							 : "NULL::text";

	appendStringInfo(&sql->query.sql,
					 "WITH g AS (SELECT g.*, row_number() OVER (ORDER BY g.n) <= %d AS numbered "
					 "FROM (SELECT coalesce(%s, '') AS label, coalesce(%s, '') AS series, "
					 "min(r.n) AS n, coalesce(sum(%s), 0) AS value, count(%s) AS count, "
					 "count(*) FILTER (WHERE %s <> '' AND %s IS NULL) AS skipped",
					 CAT_GROUPS_MAX, cat_sheet_sql_cell("text", linitial_int(asked->groups)),
					 second, number, number, text, number);
	cat_sheet_sql_rows(sql, 1, ROW_NUMBER);
	appendStringInfoString(&sql->query.sql, " GROUP BY 1, 2) g)");
}

/*
 * Append the labels or series: those with the greatest totals have a place, which is in the order of
 * the rows.
 */
static void
write_axis(SheetSql *sql, const char *axis, int most)
{
	appendStringInfo(&sql->query.sql,
					 ", %s_axis AS (SELECT x.word, CASE WHEN x.rank <= %d THEN row_number() OVER ("
					 "PARTITION BY x.rank <= %d ORDER BY x.n) ELSE %d END AS place "
					 "FROM (SELECT g.%s AS word, min(g.n) AS n, row_number() OVER ("
					 "ORDER BY sum(g.value::float8) DESC, min(g.n)) AS rank FROM g WHERE "
					 "g.numbered GROUP BY 1) x)",
					 axis, most, most, most + 1, axis);
}

/* Return SQL of the words of an axis as members of a JSON array. */
static char *
words_sql(const char *axis, int most)
{
	return psprintf("(SELECT coalesce(string_agg(w.word, ',' ORDER BY w.place), '') FROM ("
					"SELECT DISTINCT v.%s AS place, CASE WHEN v.%s > %d THEN '\"" REST "\"' "
					"ELSE to_json(a.word)::text END AS word FROM v LEFT JOIN %s_axis a "
					"ON a.place = v.%s AND v.%s <= %d) w)",
					axis, axis, most, axis, axis, axis, most);
}

/* Append the sums v by the places of label and series, and the rows of the table, d. */
static void
write_values(SheetSql *sql)
{
	/* with one series, it has the rest as well */
	int rest = list_length(sql->asked->groups) > 1 ? SERIES_MAX + 1 : 1;

	appendStringInfo(
		&sql->query.sql,
		", v AS (SELECT coalesce(s.place, %d) AS series, coalesce(l.place, %d) AS label, "
		"sum(g.value) AS value FROM g LEFT JOIN label_axis l ON l.word = g.label AND g.numbered "
		"LEFT JOIN series_axis s ON s.word = g.series AND g.numbered GROUP BY 1, 2), "
		"d AS (SELECT s.series, string_agg(coalesce(trim_scale(round(v.value, %d))::text, '0'), "
		"',' ORDER BY l.label) AS values FROM (SELECT DISTINCT v.series FROM v) s "
		"CROSS JOIN (SELECT DISTINCT v.label FROM v) l "
		"LEFT JOIN v ON v.series = s.series AND v.label = l.label GROUP BY 1)",
		rest, LABELS_MAX + 1, DECIMALS);
}

/*
 * Return the groups as text of type json.
 *
 * Labels are in the order of the rows.  If there are too many labels or series, those with the
 * smallest values are added up as the last one.  count, skipped: set to the numbers of cells that are
 * numbers, and that are not, in groups with a label.
 */
Datum
cat_chart_table_json(const SheetQuery *asked, int64 *count, int64 *skipped)
{
	bool has_series = list_length(asked->groups) > 1;
	SheetSql sql;
	Datum table;
	bool isnull;

	cat_sheet_sql_begin(&sql, asked);
	write_groups(&sql);
	write_axis(&sql, "label", LABELS_MAX);
	write_axis(&sql, "series", SERIES_MAX);
	write_values(&sql);
	appendStringInfo(
		&sql.query.sql,
		" SELECT concat('{\"labels\":[', %s, ']', ',\"series\":[' || %s || ']', ',\"data\":', "
		"(SELECT %s FROM d), ',\"skipped\":' || nullif((SELECT sum(g.skipped) FROM g), 0), '}'), "
		"sum(g.count)::bigint, sum(g.skipped)::bigint FROM g WHERE g.numbered",
		words_sql("label", LABELS_MAX), has_series ? words_sql("series", SERIES_MAX) : "NULL::text",
		has_series ? "concat('[', string_agg('[' || d.values || ']', ',' ORDER BY d.series), ']')"
				   : "concat('[', min(d.values), ']')");
	cat_sql_builder_run(&sql.query);
	*count = cat_result_int64(2);
	*skipped = cat_result_int64(3);
	table = cat_result_datum(1, &isnull);
	return PointerGetDatum(PG_DETOAST_DATUM_COPY(table));
}
