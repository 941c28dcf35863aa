package Catalogue::Fingerprint;

# What the catalogs of a database have of the catalogue: two databases with the same lines have the same functions,
# types, tables with their columns, constraints, indexes and triggers, privileges, comments and registry.

use strict;
use warnings;

my $query = <<'SQL';
SELECT 'function ' || p.oid::regprocedure || ' ' || CASE p.prokind WHEN 'a' THEN pg_get_function_result(p.oid)
    ELSE pg_get_functiondef(p.oid) END
    || ' ' || coalesce((SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM unnest(p.proacl) a), '') || ' '
        || coalesce(obj_description(p.oid, 'pg_proc'), '') || ' ' || p.proowner::regrole
FROM pg_proc p WHERE p.pronamespace = 'catalogue'::regnamespace
UNION ALL
SELECT 'type ' || t.oid::regtype || ' ' || concat_ws(' ', t.typtype, format_type(t.typbasetype, t.typtypmod),
    t.typnotnull, t.typdefault, t.typacl::text, obj_description(t.oid, 'pg_type'), t.typowner::regrole,
    (SELECT string_agg(e.enumlabel, ',' ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid))
FROM pg_type t WHERE t.typnamespace = 'catalogue'::regnamespace
UNION ALL
SELECT 'relation ' || c.oid::regclass || ' ' || concat_ws(' ', c.relkind, c.relpersistence,
    ARRAY(SELECT o FROM unnest(c.reloptions) o ORDER BY o), c.relacl::text, c.relowner::regrole,
    obj_description(c.oid, 'pg_class'),
    CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) WHEN c.relkind = 'i' THEN pg_get_indexdef(c.oid) END)
FROM pg_class c WHERE c.relnamespace = 'catalogue'::regnamespace
UNION ALL
SELECT 'column ' || c.oid::regclass || '.' || a.attname || ' ' || concat_ws(' ', format_type(a.atttypid, a.atttypmod),
    a.attnotnull, a.attstorage, a.attidentity, a.attgenerated, a.attacl::text, a.attstattarget,
        pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind IN ('r', 'v', 'c', 'p')
UNION ALL
SELECT 'constraint ' || coalesce(nullif(o.conrelid, 0)::regclass::text, nullif(o.contypid, 0)::regtype::text) || '.'
    || o.conname || ' ' || pg_get_constraintdef(o.oid)
FROM pg_constraint o WHERE o.connamespace = 'catalogue'::regnamespace
UNION ALL
SELECT 'trigger ' || t.tgrelid::regclass || '.' || t.tgname || ' ' || pg_get_triggerdef(t.oid) || ' '
    || t.tgenabled::text
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = 'catalogue'::regnamespace
    AND NOT t.tgisinternal
UNION ALL
SELECT 'event trigger ' || e.evtname || ' ' || e.evtevent || ' ' || e.evtfoid::regprocedure || ' '
    || coalesce(e.evttags::text, '') || e.evtenabled::text FROM pg_event_trigger e WHERE e.evtname LIKE 'catalogue%'
UNION ALL
SELECT 'operator ' || o.oid::regoperator || ' ' || o.oprcode FROM pg_operator o
    WHERE o.oprnamespace = 'catalogue'::regnamespace
UNION ALL
SELECT 'member ' || pg_describe_object(d.classid, d.objid, d.objsubid)
    FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
        WHERE e.extname = 'catalogue' AND d.deptype = 'e'
UNION ALL
SELECT 'dumped ' || t::regclass || ' ' || c FROM pg_extension e, unnest(e.extconfig, e.extcondition) u(t, c)
    WHERE e.extname = 'catalogue'
UNION ALL
SELECT 'registry ' || r::text FROM catalogue.resource r
UNION ALL
SELECT 'field ' || (to_jsonb(f) - '{type_oid,base_oid,item_oid}'::text[])::text FROM catalogue.field f
UNION ALL
SELECT 'related ' || (to_jsonb(l) - 'via_oid')::text FROM catalogue.relation l
ORDER BY 1
SQL

# The lines of a database, each with what identifies an object first.
sub of
{
	my ($service, $database) = @_;
	# definitions have several lines
	return $service->sql("SELECT translate(line, E'\n', ' ') FROM ($query) q(line)", $database);
}

# The lines that only one of two lists has, with its sign before them.
sub difference
{
	my ($one, $other) = @_;
	my %one   = map { $_ => 1 } @$one;
	my %other = map { $_ => 1 } @$other;
	return ((map { "-$_" } grep { !$other{$_} } @$one), map { "+$_" } grep { !$one{$_} } @$other);
}

1;
