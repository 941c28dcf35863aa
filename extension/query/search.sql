-- Search: the search text, and its index.

CREATE FUNCTION catalogue.search_text(VARIADIC fields "any") RETURNS text
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 20 AS 'MODULE_PATHNAME', 'catalogue_search_text';
COMMENT ON FUNCTION catalogue.search_text(VARIADIC "any") IS
'Return the search text of a record
Arguments: fields, the searchable columns of a table, in the order of the table.
Returns: each field folded, with the character U+001F before, between and behind them; nulls are left out.  Of JSON the
texts in its member translations, each like a field.
Source: Query parameters (query)';

CREATE FUNCTION catalogue.search_has(document text, part text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_search_has';
COMMENT ON FUNCTION catalogue.search_has(text, text) IS
'Tell whether a text contains others, byte for byte
Arguments: document, as of catalogue.search_text().  part, the texts to look for, with U+001E between them; each must
occur. No other character is special.
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

CREATE FUNCTION catalogue.search_words(languages text, VARIADIC fields "any") RETURNS tsvector
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 50 AS 'MODULE_PATHNAME', 'catalogue_search_words';
COMMENT ON FUNCTION catalogue.search_words(text, VARIADIC "any") IS
'Return the words of a record, as a search for words compares them
Arguments: languages, names of languages with commas between, at most 8.  fields, the searchable columns of a table, the
name first; null ones are left out.
Returns: the stems of each word in these languages, folded; of the first field with the character U+001F before them,
the folded words as well, and the whole field with U+001E before it; no word that one of the languages leaves out, and
no positions.  Words of more than 63 bytes, and what follows 512 KiB of words, are left out.
Errors: 42704 a language has no stemmer.  Source: Query parameters (query)';

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

-- Make an index unless it is there.  Arguments: target, the table.  suffix of its name.  expression, what it is of as a
-- GIN index; null drops it.  described, what the expression depends on: an index with that as its comment stays.
-- pending, the most kB of its pending list, which is read by each search: a longer one is merged in fewer steps.
CREATE FUNCTION catalogue.index_expression(target regclass, suffix text, expression text, described text,
    pending integer) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    namespace  text;
    made   text;
BEGIN
    SELECT relnamespace::regnamespace, catalogue.index_name(relname, suffix) INTO namespace, made
    FROM pg_catalog.pg_class WHERE oid = target;
    IF described IS DISTINCT FROM (SELECT obj_description(i.indexrelid, 'pg_class')
                                   FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
                                   WHERE i.indrelid = target AND c.relname = made) THEN
        EXECUTE format('DROP INDEX IF EXISTS %s.%I', namespace, made);
        IF described IS NOT NULL THEN
            EXECUTE format('CREATE INDEX %I ON %s USING gin (%s) WITH (gin_pending_list_limit = %s) '
                'WHERE deleted_at IS NULL', made, target, expression, pending);
            EXECUTE format('COMMENT ON INDEX %s.%I IS %L', namespace, made, described);
        END IF;
    END IF;
END
$$;

-- Return the setting catalogue.search_languages as the indexes have it: names with commas between.
CREATE FUNCTION catalogue.search_languages() RETURNS text
    LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_search_languages';

CREATE FUNCTION catalogue.index_search(target regclass, searchable text[]) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    languages  CONSTANT text := catalogue.search_languages();
    path       CONSTANT text := (SELECT relname FROM pg_catalog.pg_class WHERE oid = target);
    columns    text;
    words      text;
    wrong      text;
BEGIN
    SELECT w.name INTO wrong
    FROM unnest(searchable) w(name)
        LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = target AND a.attname = w.name AND a.attnum > 0
            AND NOT a.attisdropped
        LEFT JOIN pg_catalog.pg_type b ON b.oid = catalogue.base_type(a.atttypid)
    WHERE b.oid IS NULL OR b.typcategory NOT IN ('S', 'E') AND b.oid NOT IN ('json'::regtype, 'jsonb'::regtype)
    LIMIT 1;
    IF FOUND THEN
        RAISE datatype_mismatch USING MESSAGE = format('column "%s" of table "%s" cannot be searched', wrong, path),
            HINT = 'Search looks in columns of texts and enumerations, and in the translations of one of JSON.';
    END IF;
    SELECT string_agg(quote_ident(a.attname)
                      || CASE WHEN a.attcollation IN (0, 'pg_catalog.default'::regcollation) THEN ''
                              ELSE ' COLLATE "C"' END, ', ' ORDER BY a.attnum),
           string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname <> 'name', a.attnum) INTO columns, words
    FROM pg_catalog.pg_attribute a WHERE a.attrelid = target AND a.attname = ANY (searchable) AND a.attnum > 0;
    PERFORM catalogue.index_expression(target, '_search',
        format('catalogue.search_text(%s) catalogue.search_ops', columns), columns, 4096);
    PERFORM catalogue.index_expression(target, '_words', format('catalogue.search_words(%L, %s)', languages, words),
        CASE WHEN words IS NOT NULL THEN format('%s: %s', languages, words) END, 256);
END
$$;
COMMENT ON FUNCTION catalogue.index_search(regclass, text[]) IS
'Make the indexes that search uses
Arguments: target, the table.  searchable, its columns in which search looks; none drops the indexes.  An index over
just these columns, and of words in the languages of catalogue.search_languages, is left alone.  After a label of an
enumeration was renamed: REINDEX INDEX <table>_search, <table>_words.
Errors: 42804 a column is not there, or is no text, no enumeration and no JSON.  Source: Query parameters (query)';

CREATE FUNCTION catalogue.index_searches() RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    resource  record;
BEGIN
    FOR resource IN SELECT r.relation, r.searchable FROM catalogue.resource r ORDER BY r.resource LOOP
        PERFORM catalogue.index_search(resource.relation, resource.searchable);
    END LOOP;
END
$$;
COMMENT ON FUNCTION catalogue.index_searches() IS
'Make the indexes of search of all resources that are not there
To call after a change of the setting catalogue.search_languages, in a session that has it.  Writers of a table wait
while its index is made; an index that is as it should be is left alone.  Source: Query parameters (query)';

-- Merge the pending lists of the indexes of search, which each search reads, except those of tables of other owners;
-- part of catalogue.sweep().
CREATE FUNCTION catalogue.sweep_searches() RETURNS void LANGUAGE sql AS
$$
    SELECT gin_clean_pending_list(c.oid)
    FROM catalogue.resource r JOIN pg_catalog.pg_index i ON i.indrelid = r.relation
        JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_am a ON a.oid = c.relam
    WHERE a.amname = 'gin' AND pg_has_role(c.relowner, 'USAGE')
$$;
