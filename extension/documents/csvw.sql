-- CSV on the Web: how the CSV of a file is written and what its columns mean, in the W3C's Metadata Vocabulary for
-- Tabular Data.

-- Return the datatype of a column; part of csvw_column().  Arguments: column, of a sheet; pattern of it: see
-- shim/worker/rows/written.c.  own, the CSV is the file itself; else it is made of the rows, and has an apostrophe
-- before numbers such as -1,234.  What fits no datatype of the vocabulary in all cells is a string.
CREATE FUNCTION catalogue.csvw_datatype("column" json, own boolean) RETURNS json LANGUAGE sql IMMUTABLE AS
$$
    SELECT CASE WHEN k.base IS NULL OR c.pattern = '' OR c.pattern IS NULL AND c.format IS NOT NULL THEN '"string"'
        WHEN coalesce(n.format, to_json(c.pattern)) IS NULL THEN to_json(k.base)
        ELSE json_build_object('base', k.base, 'format', coalesce(n.format, to_json(c.pattern))) END
    FROM (SELECT $1 ->> 'type', $1 ->> 'format', $1 ->> 'pattern') c(type, format, pattern),
        LATERAL (SELECT CASE WHEN $1 ->> 'unit' IS NULL AND ($2 OR $1 ->> 'thousands' IS NULL) THEN
            -- a number may have an exponent, but not beside a decimal comma
            CASE c.type WHEN 'decimal' THEN CASE $1 ->> 'decimalComma' WHEN 'true' THEN 'decimal' ELSE 'number' END
                WHEN 'month' THEN 'gYearMonth'
                WHEN 'text' THEN NULL WHEN 'quarter' THEN NULL ELSE c.type END END) k(base),
        LATERAL (SELECT nullif(json_strip_nulls(json_build_object(
            'decimalChar', CASE WHEN $1 ->> 'decimalComma' = 'true' THEN ',' END, 'groupChar', $1 ->> 'thousands'))
            ::text, '{}')::json) n(format);
$$;

-- Return the texts of cells that stand for no value; part of csvw_column().  Arguments: marks, of the column.  own, as
-- of csvw_datatype(): another CSV has an apostrophe before what could be a formula, such as "-".  Blanks around a cell
-- do not count.
CREATE FUNCTION catalogue.csvw_nulls(marks json, own boolean) RETURNS json LANGUAGE sql IMMUTABLE STRICT AS
$$
    SELECT json_agg(m.mark ORDER BY m.mark COLLATE "C")
    FROM (SELECT '' UNION SELECT f.mark
          FROM json_object_keys($1) k(mark), LATERAL (VALUES (k.mark), (btrim(k.mark, E' \t')),
              (CASE WHEN NOT $2 AND catalogue.csv_text(k.mark) ~ '^"?''' THEN '''' || ltrim(k.mark, '''') END)) f(mark)
          WHERE f.mark IS NOT NULL) m(mark);
$$;

-- Return a text in several languages; part of csvw_write().  Arguments: value, in the language of the document. others,
-- objects with the member by language.  Returns: the text alone where there is no other.
CREATE FUNCTION catalogue.csvw_text(value text, others jsonb, member text, language text) RETURNS json
    LANGUAGE sql IMMUTABLE AS
$$
    SELECT CASE WHEN pg_catalog.count(o.value) = 0 THEN to_json(nullif($1, ''))
        ELSE (jsonb_build_array(jsonb_strip_nulls(jsonb_build_object('@value', $1, '@language', $4)))
            || jsonb_agg(jsonb_build_object('@value', o.value, '@language', o.tag) ORDER BY o.tag))::json END
    FROM (SELECT e.key, e.value ->> $3 FROM jsonb_each($2) e WHERE e.key <> 'und' AND e.key <> coalesce($4, '')
              AND e.value ->> $3 <> '' AND $1 <> '') o(tag, value);
$$;

-- Describe a column; part of csvw_table().  Arguments: column, own, as of csvw_datatype(). said, what the owner says of
-- it; others, so, by language.  Names are those of variables of URI Templates; the title of the CSV is one of titles.
CREATE FUNCTION catalogue.csvw_column("column" json, own boolean, said jsonb, others jsonb, language text)
    RETURNS json LANGUAGE sql IMMUTABLE AS
$$
    SELECT json_strip_nulls(json_build_object(
        'name', regexp_replace(replace(replace(replace(catalogue.url_encoded($1 ->> 'name'), '.', '%2E'), '-', '%2D'),
            '~', '%7E'), '^_', '%5F'),
        'titles', CASE WHEN o.titles IS NULL THEN t.titles
            ELSE (jsonb_build_object(coalesce($5, 'und'), t.titles) || o.titles)::json END,
        'datatype', catalogue.csvw_datatype($1, $2), 'null', catalogue.csvw_nulls($1 -> 'marks', $2),
        'required', CASE WHEN $1 ->> 'nulls' = '0' AND $1 -> 'marks' IS NULL THEN true END,
        'dc:description', catalogue.csvw_text($3 ->> 'description', $4, 'description', $5),
        'schema:unitText', coalesce($3 ->> 'unit', $1 ->> 'unit')))
    FROM (SELECT jsonb_object_agg(e.key, e.value -> 'label') FROM jsonb_each($4) e
            WHERE e.value ? 'label' AND e.key <> coalesce($5, 'und')) o(titles),
        LATERAL (SELECT json_agg(w.title ORDER BY w.n)
            FROM (VALUES (1, coalesce(nullif($1 ->> 'title', ''), $1 ->> 'name')), (2, $3 ->> 'label')) w(n, title)
            WHERE w.title <> '' AND (w.n = 1 OR w.title <> $1 ->> 'title')) t(titles);
$$;

-- Describe how a CSV is written; part of csvw_table().  Arguments: details and columns of the sheet; own, as of
-- csvw_datatype().  A heading of several rows, or with a column without a title, is passed over, since its cells are
-- not the titles.
CREATE FUNCTION catalogue.csvw_dialect(details json, columns json, own boolean) RETURNS json LANGUAGE sql IMMUTABLE AS
$$
    SELECT CASE WHEN $3 THEN json_strip_nulls(json_build_object('encoding', d.details -> 'encoding',
            'delimiter', coalesce(nullif(d.details ->> 'delimiter', ''), E'\u001f'), 'quoteChar', '"',
            'skipBlankRows', true, 'header', r.titled, 'headerRowCount', r.titled::integer,
            'skipRows', CASE WHEN r.titled THEN r.heading - 1 ELSE coalesce(r.heading, r.passed, 0) END))
        ELSE '{"encoding": "utf-8", "delimiter": ",", "quoteChar": "\"", "header": true}' END
    FROM (SELECT $1) d(details),
        LATERAL (SELECT CASE json_typeof(d.details -> 'header') WHEN 'number'
                THEN (d.details ->> 'header')::integer END AS heading,
            greatest((d.details ->> 'skip')::integer, (SELECT max(t.line::integer)
                FROM json_array_elements_text(d.details -> 'titles') t(line))) AS passed) h,
        LATERAL (SELECT h.heading, h.passed, h.heading IS NOT NULL
            AND coalesce(json_array_length(d.details -> 'headerRows'), 1) = 1
            AND NOT EXISTS (SELECT FROM json_array_elements($2) c WHERE c ->> 'title' = '') AS titled) r;
$$;

-- Describe the CSV of a sheet; part of csvw_write().  Arguments: details and columns, of the sheet; url, of the
-- CSV; own, as of csvw_datatype(); said, what the owner says of columns; others, so, by language.
CREATE FUNCTION catalogue.csvw_table(details json, columns json, url text, own boolean, said jsonb,
    others jsonb, language text) RETURNS json LANGUAGE sql IMMUTABLE AS
$$
    SELECT json_strip_nulls(json_build_object('url', $3, 'dialect', catalogue.csvw_dialect($1, $2, $4), 'tableSchema',
        json_build_object('columns', (SELECT coalesce(json_agg(catalogue.csvw_column(c.facts, $4,
                $5 -> (c.facts ->> 'name'),
                (SELECT jsonb_object_agg(o.key, o.value -> (c.facts ->> 'name')) FROM jsonb_each($6) o
                 WHERE o.value ? (c.facts ->> 'name')), $7) ORDER BY c.at), '[]')
            FROM json_array_elements($2) WITH ORDINALITY c(facts, at)))));
$$;

-- Part of catalogue.csvw_write().
CREATE FUNCTION catalogue.csvw_write_part(file json, inherited json, own boolean, url text, language text)
    RETURNS text LANGUAGE plpgsql STABLE AS
$$
DECLARE
    record     CONSTANT jsonb := (catalogue.dcat_records(json_build_array($1)))[1];
    given      CONSTANT jsonb := CASE jsonb_typeof(record -> 'optionals') WHEN 'object' THEN record -> 'optionals' END;
    tag        CONSTANT text := coalesce(catalogue.dcat_value('textLanguage', given -> 'textLanguage') ->> 'name',
                   nullif($5, ''));
    texts      CONSTANT jsonb := catalogue.dcat_value('translations', given -> 'translations');
    licence    CONSTANT jsonb := coalesce(catalogue.dcat_value('license', given -> 'license'), catalogue.dcat_value(
                   'license', (catalogue.dcat_records(json_build_array($2)))[1] -> 'license'));
    said       CONSTANT jsonb := catalogue.columns_said($1 -> 'optionals');
    others     CONSTANT jsonb := (SELECT jsonb_object_agg(w.tag, o.said) FROM json_each(
                       CASE WHEN texts IS NOT NULL THEN $1 #> '{optionals,translations}' END) t,
                   LATERAL (SELECT catalogue.dcat_value('languages', to_jsonb(t.key)) ->> 0) w(tag),
                   LATERAL (SELECT catalogue.columns_said(t.value)) o(said)
                   WHERE w.tag IS NOT NULL AND o.said <> '{}');
    context    CONSTANT json := CASE WHEN tag IS NULL THEN '"http://www.w3.org/ns/csvw"'
                   ELSE json_build_array('http://www.w3.org/ns/csvw', json_build_object('@language', tag)) END;
    head       CONSTANT text := json_strip_nulls(json_build_object('@context', context,
                   'dc:title', catalogue.csvw_text(record ->> 'name', texts, 'name', tag),
                   'dc:description', catalogue.csvw_text(record ->> 'description', texts, 'description', tag),
                   'dc:license', CASE WHEN licence ? 'iri' THEN jsonb_build_object('@id', licence -> 'iri')
                       ELSE licence -> 'label' END))::text;
    tables     CONSTANT text[] := ARRAY(
                   SELECT concat('{"dc:title":' || to_json(nullif(s.name, '')) || ',', substr(catalogue.csvw_table(
                       s.details::json, s.columns,
                       $4 || CASE n.described ->> 'default' WHEN 'false' THEN '?sheet=' || s.number ELSE '' END,
                       own, said, others, tag)::text, 2))
                   FROM catalogue.files f JOIN catalogue.sheet s ON s.file = f.id AND s.revision = f.revision,
                       LATERAL (SELECT d::json FROM catalogue.sheets_of(f.id, f.revision) d
                           WHERE (d::json ->> 'number')::integer = s.number) n(described)
                   WHERE f.id = record ->> 'id'
                       AND (n.described ->> 'hidden' = 'false' OR n.described ->> 'default' = 'true')
                   ORDER BY s.number);
BEGIN
    RETURN left(head, -1) || ',' || CASE WHEN cardinality(tables) = 1
        THEN regexp_replace(tables[1], '^\{("dc:title":"([^"\\]|\\.)*",)?', '')
        ELSE '"tables":[' || array_to_string(tables, ',') || ']}' END;
END
$$;

CREATE FUNCTION catalogue.csvw_write(file json, inherited json, own boolean, url text, language text) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_lend';
COMMENT ON FUNCTION catalogue.csvw_write(json, json, boolean, text, text) IS
'Return a file in CSV on the Web; part of catalogue.csvw()
Arguments: file, the record, whose rows are read.  inherited, optionals of its dataset.  own, the CSV is the file
itself.  url, of the CSV.  language of texts that have no other.';

CREATE FUNCTION catalogue.csvw(file text, base text DEFAULT '', actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE plpgsql AS
$$
DECLARE
    sent       CONSTANT catalogue.reply := catalogue.download(file, 'csv', '', actor);
    sheets     CONSTANT catalogue.reply := catalogue.contents_sheets(sent.id, '', actor);
    reply      catalogue.reply := catalogue.item('files', sheets.id, 'fields=name,description,dataset,optionals',
                   actor => actor);
    inherited  CONSTANT json := (catalogue.list('datasets', 'match=EXACT&fields=optionals&id='
                   || (reply.data::json ->> 'dataset'), actor => actor)).data::json #> '{0,optionals}';
BEGIN
    reply.etag := NULL;
    reply.links := NULL;
    reply.relations := NULL;
    reply.data := catalogue.csvw_write(reply.data::json, coalesce(inherited, '{}'), sent.data::jsonb ? 'blob',
        $2 || '/files/' || reply.id || '/download/csv',
        coalesce((catalogue.dcat_settings()).data::json ->> 'language', ''));
    RETURN reply;
END
$$;
COMMENT ON FUNCTION catalogue.csvw(text, text, jsonb) IS
'Describe the CSV of a file in CSV on the Web
Arguments: file, its id, slug or stored name.  base, address of the service, without a slash at the end.  actor, as for
catalogue.download().
Returns: data is an object of the Metadata Vocabulary for Tabular Data: a table, or a group of the tables of the sheets
that are not hidden: url of the CSV, dialect, and tableSchema, whose columns have name, titles, datatype, null,
required, and description and unit of optionals.columns.
Errors: as of catalogue.download() and catalogue.contents_sheets(): OD404 the file has no bytes, OD406 no rows, OD409
they are not read.
Source: W3C, Metadata Vocabulary for Tabular Data';
