-- Croissant 1.0 of MLCommons: a dataset with its files and, of CSV, their columns, for programs of machine learning.

-- Return the context of a document; part of catalogue.croissant().
CREATE FUNCTION catalogue.croissant_context(language text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
    RETURN jsonb_strip_nulls(jsonb_build_object('@language', language)) || '{
        "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
        "dct": "http://purl.org/dc/terms/", "rai": "http://mlcommons.org/croissant/RAI/", "citeAs": "cr:citeAs",
        "column": "cr:column", "conformsTo": "dct:conformsTo", "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"}, "examples": {"@id": "cr:examples", "@type": "@json"},
        "extract": "cr:extract", "field": "cr:field", "fileObject": "cr:fileObject", "fileProperty": "cr:fileProperty",
        "fileSet": "cr:fileSet", "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset",
        "jsonPath": "cr:jsonPath", "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path",
        "recordSet": "cr:recordSet", "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated",
        "replace": "cr:replace", "separator": "cr:separator", "source": "cr:source", "subField": "cr:subField",
        "transform": "cr:transform"}';
END
$$;

-- Of the first CSV that were read, each of at most 1,000 columns: an object has these by the id of the file.
CREATE FUNCTION catalogue.croissant_columns(files json, actor jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN (SELECT jsonb_object_agg(f.id, c.columns)
        FROM (SELECT e.file ->> 'id' AS id
              FROM json_array_elements(files) WITH ORDINALITY e(file, n)
              WHERE e.file ->> 'parseState' = 'ready' AND e.file #>> '{type,name}' ILIKE 'csv'
              ORDER BY e.n LIMIT 20) f,
            LATERAL (SELECT (catalogue.contents_columns(f.id, '', actor)).data::jsonb) c(columns)
        WHERE jsonb_array_length(c.columns) <= 1000);
END
$$;
COMMENT ON FUNCTION catalogue.croissant_columns(json, jsonb) IS
    'Return the columns of files; part of catalogue.croissant()';

-- Return rows as a record set; part of catalogue.croissant().  Arguments: file, id of a FileObject.  columns, of the
-- file.
CREATE FUNCTION catalogue.croissant_records(file text, name text, columns jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
    RETURN jsonb_build_object('@type', 'cr:RecordSet', '@id', file || '/rows', 'name', name, 'field',
        (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('@type', 'cr:Field',
             '@id', file || '/rows/' || (c.facts ->> 'name'), 'name', c.facts -> 'name',
             'description', nullif(concat_ws(': ', c.facts ->> 'label', c.facts ->> 'description'), ''),
             'dataType', CASE (catalogue.schema_type(c.facts::json)).type WHEN 'integer' THEN 'sc:Integer'
                 WHEN 'number' THEN 'sc:Float' WHEN 'boolean' THEN 'sc:Boolean' WHEN 'date' THEN 'sc:Date'
                 WHEN 'datetime' THEN 'sc:DateTime' ELSE 'sc:Text' END,
             'source', jsonb_build_object('fileObject', jsonb_build_object('@id', file), 'extract',
                 jsonb_build_object('column', coalesce(c.facts ->> 'title', c.facts ->> 'name'))))) ORDER BY c.n)
         FROM jsonb_array_elements(columns) WITH ORDINALITY c(facts, n)));
END
$$;

-- Return a dataset in Croissant; part of catalogue.dcat_write().  Arguments: dataset, of catalogue.dcat_written().
-- columns, of catalogue.croissant_columns(); NULL where no file has any.  A dataset is live where a file has no digest,
-- because its bytes are elsewhere.
CREATE FUNCTION catalogue.croissant(dataset jsonb, columns jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
    files    CONSTANT jsonb[] := ARRAY(
        SELECT f.file || jsonb_build_object('id', regexp_replace(f.file ->> 'iri', '^.*/', ''))
        FROM jsonb_array_elements(dataset -> 'distribution') WITH ORDINALITY f(file, n)
        WHERE f.file ? 'downloadURL' ORDER BY f.n);
    licence  CONSTANT jsonb := coalesce(dataset -> 'license', (SELECT f.file -> 'license' FROM unnest(files) f(file)
                                   WHERE f.file ? 'license' LIMIT 1));
    creator  CONSTANT jsonb := jsonb_build_object('@type', 'sc:Organization', 'name', dataset #> '{publisher,name}',
        'url', dataset #> '{publisher,iri}');
BEGIN
    RETURN jsonb_strip_nulls(jsonb_build_object('@context', catalogue.croissant_context(dataset ->> 'language'),
        '@type', 'sc:Dataset', '@id', dataset -> 'iri', 'conformsTo', 'http://mlcommons.org/croissant/1.0',
        'name', dataset -> 'title', 'description', dataset -> 'description', 'url', dataset -> 'landingPage',
        'identifier', dataset -> 'identifier', 'inLanguage', dataset -> 'language', 'keywords', dataset -> 'keyword',
        'license', coalesce(licence -> 'iri', licence -> 'label'), 'creator', creator, 'publisher', creator,
        'datePublished', dataset -> 'issued', 'dateModified', dataset -> 'modified', 'version', dataset -> 'version',
        'isLiveDataset', EXISTS (SELECT FROM unnest(files) f(file) WHERE NOT f.file ? 'sha256'),
        'distribution', (SELECT jsonb_agg(jsonb_build_object('@type', 'cr:FileObject', '@id', f.file -> 'id',
                'name', f.file -> 'title', 'description', f.file -> 'description',
                'contentUrl', f.file -> 'downloadURL',
                'encodingFormat', coalesce(f.file ->> 'mediaType', 'application/octet-stream'),
                'contentSize', (f.file ->> 'byteSize') || ' B', 'sha256', f.file -> 'sha256') ORDER BY f.n)
            FROM unnest(files) WITH ORDINALITY f(file, n)),
        'recordSet', (SELECT jsonb_agg(r.records ORDER BY f.n)
            FROM unnest(files) WITH ORDINALITY f(file, n),
                catalogue.croissant_records(f.file ->> 'id', f.file ->> 'title', columns -> (f.file ->> 'id'))
                    r(records)
            WHERE r.records IS NOT NULL)))::text;
END
$$;
