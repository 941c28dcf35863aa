-- Search: the search text, and its index.

CREATE FUNCTION catalogue.search_text(VARIADIC fields "any") RETURNS text
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 20 AS 'MODULE_PATHNAME', 'catalogue_search_text';
COMMENT ON FUNCTION catalogue.search_text(VARIADIC "any") IS
'Return the search text of a record
Arguments: fields, the searchable columns of a table, in the order of the table.
Returns: each field folded, with the character U+001F before, between and behind them; nulls are left out.
Source: Query parameters (query)';

CREATE FUNCTION catalogue.search_has(document text, part text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_search_has';
COMMENT ON FUNCTION catalogue.search_has(text, text) IS
'Tell whether a text contains another, byte for byte
Arguments: document, as of catalogue.search_text().  part, the text to look for; no character of it is special.
Also the operator catalogue.@>, which an index of the class catalogue.search_ops serves.
Source: Query parameters (match)';

CREATE OPERATOR catalogue.@> (LEFTARG = text, RIGHTARG = text, FUNCTION = catalogue.search_has, RESTRICT = contsel,
    JOIN = contjoinsel);
COMMENT ON OPERATOR catalogue.@> (text, text) IS 'contains';

CREATE FUNCTION catalogue.search_rank(document text, terms text, match text, every boolean) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5 AS 'MODULE_PATHNAME', 'catalogue_search_rank';
COMMENT ON FUNCTION catalogue.search_rank(text, text, text, boolean) IS
'Rank a record by the terms of a search
Arguments: document, as of catalogue.search_text().  terms, folded, with U+001E between them; behind each, with U+001F
before each of them, the words that need not stand side by side. match: CONTAINS, BEGINS, ENDS or EXACT.  every: all
terms must be found, else any.
Returns: 1 when a field is a term; 2 when one begins with a term; 3 when one contains a term; 4 when the record has all
words of a term; 0 when it is not found.
Source: Query parameters (query)';

-- GIN extractValue of search_ops.
CREATE FUNCTION catalogue.grams_value(document text, nkeys internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_grams_value';

-- GIN extractQuery of search_ops.
CREATE FUNCTION catalogue.grams_query(query text, nkeys internal, strategy int2, partial internal, extra internal,
    nulls internal, mode internal)
    RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_grams_query';

-- GIN triConsistent of search_ops.
CREATE FUNCTION catalogue.grams_consistent(found internal, strategy int2, query text, nkeys int4, extra internal,
    keys internal, nulls internal)
    RETURNS "char"
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_grams_consistent';

-- GIN comparePartial of search_ops.
CREATE FUNCTION catalogue.grams_partial(wanted int8, key int8, strategy int2, extra internal) RETURNS int4
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_grams_partial';

CREATE OPERATOR CLASS catalogue.search_ops FOR TYPE text USING gin AS
    OPERATOR 1 catalogue.@> (text, text),
    FUNCTION 1 btint8cmp(int8, int8),
    FUNCTION 2 catalogue.grams_value(text, internal),
    FUNCTION 3 catalogue.grams_query(text, internal, int2, internal, internal, internal, internal),
    FUNCTION 5 catalogue.grams_partial(int8, int8, int2, internal),
    FUNCTION 6 catalogue.grams_consistent(internal, int2, text, int4, internal, internal, internal),
    STORAGE int8;
COMMENT ON OPERATOR CLASS catalogue.search_ops USING gin IS
    'every run of three characters of a text, and each character';
COMMENT ON OPERATOR FAMILY catalogue.search_ops USING gin IS 'parts of texts';

CREATE FUNCTION catalogue.index_search(target regclass, searchable text[]) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    path    text;
    made    text;
    columns text;
    wrong   text;
BEGIN
    SELECT relname, catalogue.index_name(relname, '_search') INTO path, made
    FROM pg_catalog.pg_class
    WHERE oid = target;
    SELECT w.name INTO wrong
    FROM unnest(searchable) w(name)
        LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = target AND a.attname = w.name AND a.attnum > 0
            AND NOT a.attisdropped
        LEFT JOIN pg_catalog.pg_type b ON b.oid = catalogue.base_type(a.atttypid)
    WHERE b.oid IS NULL OR b.typcategory NOT IN ('S', 'E') LIMIT 1;
    IF FOUND THEN
        RAISE datatype_mismatch USING MESSAGE = format('column "%s" of table "%s" cannot be searched', wrong, path),
            HINT = 'Search looks in columns of texts and enumerations.';
    END IF;
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) INTO columns
    FROM pg_catalog.pg_attribute a WHERE a.attrelid = target AND a.attname = ANY (searchable) AND a.attnum > 0;
    IF columns IS DISTINCT FROM (SELECT obj_description(i.indexrelid, 'pg_class')
                                 FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
                                 WHERE i.indrelid = target AND c.relname = made) THEN
        EXECUTE format('DROP INDEX IF EXISTS %I.%I',
            (SELECT relnamespace::regnamespace FROM pg_catalog.pg_class WHERE oid = target), made);
        IF columns IS NOT NULL THEN
            EXECUTE format(
                'CREATE INDEX %I ON %s USING gin (catalogue.search_text(%s) catalogue.search_ops) WITH '
                '(gin_pending_list_limit = 256) WHERE deleted_at IS NULL',
                made, target, columns);
            EXECUTE format('COMMENT ON INDEX %I.%I IS %L',
                (SELECT relnamespace::regnamespace FROM pg_catalog.pg_class WHERE oid = target), made, columns);
        END IF;
    END IF;
END
$$;
COMMENT ON FUNCTION catalogue.index_search(regclass, text[]) IS
'Make the index that search uses
Arguments: target, the table.  searchable, its columns in which search looks; none drops the index.  An index over just
these columns is left alone. After a label of an enumeration was renamed: REINDEX INDEX <table>_search.
Errors: 42804 a column is not there, or is no text and no enumeration.  Source: Query parameters (query)';
