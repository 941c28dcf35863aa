-- Forms: the JSON Schema of optional values that the page asks for, and the ones that are shipped, for DCAT.

-- Return the schema of a licence; part of catalogue.default_forms().  By their identifiers in SPDX, and those of the
-- EU's authority table; the words say what a licence permits, to those who choose one.
CREATE FUNCTION catalogue.licence_schema() RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT '{"type": "string", "title": "Licence", "anyOf": [
        {"const": "CC0-1.0", "title": "CC0 1.0", "description": "Any use, without a condition."},
        {"const": "CC-BY-4.0", "title": "Creative Commons Attribution 4.0",
         "description": "Any use; the source is named."},
        {"const": "CC-BY-SA-4.0", "title": "Creative Commons Attribution-ShareAlike 4.0",
         "description": "Any use; the source is named, and what comes of it has the same licence."},
        {"const": "CC-BY-ND-4.0", "title": "Creative Commons Attribution-NoDerivatives 4.0",
         "description": "Copies without changes; the source is named."},
        {"const": "CC-BY-NC-4.0", "title": "Creative Commons Attribution-NonCommercial 4.0",
         "description": "Use that is not commercial; the source is named."},
        {"const": "CC-BY-NC-SA-4.0", "title": "Creative Commons Attribution-NonCommercial-ShareAlike 4.0",
         "description": "Use that is not commercial; the source is named, and what comes of it has the same licence."},
        {"const": "CC-BY-NC-ND-4.0", "title": "Creative Commons Attribution-NonCommercial-NoDerivatives 4.0",
         "description": "Copies without changes for use that is not commercial; the source is named."},
        {"const": "PDDL-1.0", "title": "Open Data Commons Public Domain Dedication 1.0",
         "description": "Any use, without a condition."},
        {"const": "ODC-By-1.0", "title": "Open Data Commons Attribution 1.0",
         "description": "Any use; the source is named."},
        {"const": "ODbL-1.0", "title": "Open Data Commons Open Database License 1.0",
         "description": "Any use; the source is named, and what comes of it has the same licence."},
        {"const": "CDLA-Permissive-2.0", "title": "Community Data License Agreement Permissive 2.0",
         "description": "Any use; the text of the licence goes with the data."},
        {"const": "EUPL-1.2", "title": "European Union Public Licence 1.2",
         "description": "Any use; what comes of it has the same licence or a compatible one."},
        {"const": "COM-REUSE", "title": "Reuse notice of the European Commission",
         "description": "Any use; the source is named, and changes are told."},
        {"const": "OGL-UK-3.0", "title": "Open Government Licence 3.0 (United Kingdom)",
         "description": "Any use; the source is named."},
        {"const": "etalab-2.0", "title": "Licence Ouverte 2.0 (France)",
         "description": "Any use; the source and its date are named."},
        {"const": "DL-DE-BY-2.0", "title": "Datenlizenz Deutschland Namensnennung 2.0",
         "description": "Any use; the source is named, and changes are told."},
        {"const": "DL-DE-ZERO-2.0", "title": "Datenlizenz Deutschland Zero 2.0",
         "description": "Any use, without a condition."},
        {"const": "NLOD-2.0", "title": "Norwegian Licence for Open Government Data 2.0",
         "description": "Any use; the source is named."},
        {"const": "Public domain", "title": "Public domain", "description": "Any use, without a condition."},
        {"title": "Another one", "description": "Its address, best one that others use as well.", "maxLength": 500}
    ]}';
END;

CREATE FUNCTION catalogue.default_forms() RETURNS TABLE (resource text, schema json) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT f.resource, regexp_replace(f.schema, '\n\s*', ' ', 'g')::json
    FROM (VALUES ('datasets', '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
    "properties": {
    "license": ' || catalogue.licence_schema() || ',
    "contactPoint": {"type": "array", "title": "Contact", "description": "Whom to ask about the data.", "items": {
        "type": "object", "properties": {
            "fn": {"type": "string", "title": "Name of the office or person", "maxLength": 150},
            "hasEmail": {"type": "string", "title": "E-mail", "format": "email", "maxLength": 254}}}},
    "landingPage": {"type": "string", "title": "Source", "format": "uri", "maxLength": 500,
        "description": "Address of the page where the data come from."},
    "temporal": {"type": "string", "title": "Period", "format": "period",
        "description": "First and last day that the data are about."},
    "spatial": {"type": "array", "title": "Area", "description": "What place the data are about.",
        "items": {"format": "place"}},
    "language": {"type": "array", "title": "Languages of the data", "items": {"type": "string", "format": "language",
        "enum": ["en", "es", "pt", "ca", "de", "eu", "fr", "gl", "it", "nl", "pl", "ro"]}},
    "conformsTo": {"type": "array", "title": "Standards", "items": {"type": "string", "format": "uri"},
        "description": "Addresses of the standards that the data follow, one in a line."}}}'),
    ('files', '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {
    "license": ' || catalogue.licence_schema() || ',
    "describedBy": {"type": "string", "title": "Data dictionary", "format": "uri", "maxLength": 500,
        "description": "Address of a document that describes the columns."},
    "conformsTo": {"type": "array", "title": "Standards", "items": {"type": "string", "format": "uri"},
        "description": "Addresses of the standards that the data follow, one in a line."}}}')) f(resource, schema);
END;
COMMENT ON FUNCTION catalogue.default_forms() IS
'Return the forms that a new catalogue has
Returns: resource, its path word. schema, a JSON Schema of its optionals with what DCAT says of datasets and files.
catalogue.bootstrap() makes records of forms of them; to have one again as it was, update the record with it.
Source: DCAT 3';

-- Trigger BEFORE a form is stored: its resource has optionals, and its schema properties that can be shown.
CREATE FUNCTION catalogue.check_form() RETURNS trigger LANGUAGE plpgsql AS
$$
DECLARE
    most    CONSTANT integer := 100;
    size    CONSTANT integer := 65536;
    member  CONSTANT json := CASE json_typeof(NEW.schema) WHEN 'object' THEN NEW.schema -> 'properties' END;
    faults  json;
BEGIN
    IF NEW.resource IS NULL OR NEW.schema IS NULL THEN
        -- what is required is told with all other faults
        RETURN NEW;
    ELSIF NOT EXISTS (SELECT FROM catalogue.resource r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.relation
                   WHERE r.resource = NEW.resource AND a.attname = 'optionals' AND NOT a.attisdropped) THEN
        faults := json_build_object('resource', json_build_array(json_build_object('rule', 'reference',
            'message', 'takes the path word of a resource with optionals', 'value', NEW.resource)));
    ELSIF octet_length(NEW.schema::text) > size THEN
        faults := json_build_object('schema', json_build_array(json_build_object('rule', 'max',
            'message', 'takes at most 65536 bytes')));
    ELSIF json_typeof(member) IS DISTINCT FROM 'object' OR NEW.schema ->> 'type' IS DISTINCT FROM 'object'
        OR (SELECT pg_catalog.count(*) NOT BETWEEN 1 AND most OR bool_or(json_typeof(p.value) <> 'object')
            FROM json_each(member) p) THEN
        faults := json_build_object('schema', json_build_array(json_build_object('rule', 'format',
            'message', 'takes a JSON Schema of type object with 1 to 100 properties, each an object')));
    END IF;
    IF faults IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'OD400', MESSAGE = 'Form is invalid', DETAIL = faults::text;
    END IF;
    RETURN NEW;
END
$$;
