CREATE TABLE IF NOT EXISTS catalogue.counter (
    resource  text    NOT NULL,
    living    bigint  NOT NULL,
    shown     bigint  NOT NULL DEFAULT 0
);
SELECT catalogue.add_columns('catalogue.counter', 'shown bigint NOT NULL DEFAULT 0');
COMMENT ON TABLE catalogue.counter IS
    'Parts of the number of living records; their sum by resource is exact for every snapshot';
COMMENT ON COLUMN catalogue.counter.resource IS 'Path word of the resource';
COMMENT ON COLUMN catalogue.counter.living IS 'Records created or restored, less those deleted';
COMMENT ON COLUMN catalogue.counter.shown IS 'Records that became visible to outsiders, less those that no longer are';
-- room for the next states of each row; former ones are removed when more than this part of a page is full
ALTER TABLE catalogue.counter SET (fillfactor = 10);
CREATE INDEX IF NOT EXISTS counter_resource ON catalogue.counter (resource);

CREATE TABLE IF NOT EXISTS catalogue.facet_counter (
    resource  text    NOT NULL,
    facet     text    NOT NULL,
    value     text    NOT NULL,
    living    bigint  NOT NULL,
    shown     bigint  NOT NULL
);
COMMENT ON TABLE catalogue.facet_counter IS
    'Parts of the numbers of living records by the values of counted facets, as those of catalogue.counter';
COMMENT ON COLUMN catalogue.facet_counter.resource IS 'Path word of the resource';
COMMENT ON COLUMN catalogue.facet_counter.facet IS
    'The facet; empty in a row that says that the records have been counted by the facet in its value';
COMMENT ON COLUMN catalogue.facet_counter.value IS 'What the records have in common';
COMMENT ON COLUMN catalogue.facet_counter.living IS
    'Records that have got the value, less those that no longer have it';
COMMENT ON COLUMN catalogue.facet_counter.shown IS 'So, of those that outsiders see';
ALTER TABLE catalogue.facet_counter SET (fillfactor = 10);
CREATE INDEX IF NOT EXISTS facet_counter_value ON catalogue.facet_counter (resource, facet, value);

DO
$order$
DECLARE
    former  record;
BEGIN
    IF to_regclass('catalogue.update_order') IS NULL THEN
        CREATE TABLE catalogue.update_order (
            resource    text         NOT NULL,
            id          text         COLLATE "C" NOT NULL,
            updated_at  timestamptz  NOT NULL,
            PRIMARY KEY (resource, id)
        );
        -- an earlier version had an index in the table of each resource
        FOR former IN
            SELECT r.resource, to_regclass(format('%I.%I', c.relnamespace::regnamespace,
                catalogue.index_name(r.resource, '_by_updated_at'))) AS index
            FROM catalogue.resource r JOIN pg_catalog.pg_class c ON c.oid = r.relation
            WHERE catalogue.update_order_of(r.resource) IS NOT NULL
        LOOP
            PERFORM catalogue.recount(former.resource);
            IF former.index IS NOT NULL THEN
                EXECUTE format('DROP INDEX %s', former.index);
            END IF;
        END LOOP;
    END IF;
END
$order$;
COMMENT ON TABLE catalogue.update_order IS
    'When living records were changed last, of resources whose lists are sorted by that quickly';
COMMENT ON COLUMN catalogue.update_order.resource IS 'Path word of the resource';
COMMENT ON COLUMN catalogue.update_order.id IS 'The record';
COMMENT ON COLUMN catalogue.update_order.updated_at IS 'As in the record';
CREATE INDEX IF NOT EXISTS update_order_instant ON catalogue.update_order (resource, updated_at, id);

-- Not in the log: after a crash the numbers are counted anew.
CREATE UNLOGGED TABLE IF NOT EXISTS catalogue.facet_cache (
    hash        bigint       PRIMARY KEY,
    key         text         NOT NULL,
    counted_at  timestamptz  NOT NULL,
    facets      text         NOT NULL
);
COMMENT ON TABLE catalogue.facet_cache IS
    'Numbers of facets and searches that have taken long to count, for catalogue.facets_age';
COMMENT ON COLUMN catalogue.facet_cache.hash IS 'Of the key';
COMMENT ON COLUMN catalogue.facet_cache.key IS 'Statement, its values, and who sees the numbers';
COMMENT ON COLUMN catalogue.facet_cache.counted_at IS 'When they were counted';
COMMENT ON COLUMN catalogue.facet_cache.facets IS
    'The numbers, as in meta.facets; of a search the number and the instant of its state, in microseconds since 2000';
