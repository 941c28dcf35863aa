-- One SELECT of a client.

CREATE FUNCTION catalogue.bounded(value text, bytes integer) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_bounded';
COMMENT ON FUNCTION catalogue.bounded(text, integer) IS
'Return a value unless it is too long; part of query()
Arguments: value, of any type of varying length where query() calls it. bytes, its maximum length.
Returns: the value.
Errors: 54000 it is longer.';

CREATE FUNCTION catalogue.query(body json, format text DEFAULT 'json', actor jsonb DEFAULT NULL,
    strict boolean DEFAULT false)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_query';
COMMENT ON FUNCTION catalogue.query(json, text, jsonb, boolean) IS
'Execute one SELECT over the files and resources that the caller sees
Arguments: body, an object whose sql is the statement, 20,000 bytes at most. Its tables are those of the caller: the
path word of a resource (datasets), a resource and its many-to-many relation (datasets_tags), the slug or id of a file
whose contents are read ("my-file"), with sheet and version behind a question mark ("my-file?sheet=2"). It uses the
functions, operators and types of extension/select/select_check.c and, with PostGIS, of geometry.sql beside it. format,
json, csv or ndjson. actor, as for catalogue.list(). strict, refuse unknown members.
Returns: the rows, catalogue.query_rows at most; meta has their columns, and whether rows were left out.
The statement is executed by role catalogue_query, which has no privileges, in a read-only transaction, in
catalogue.query_timeout and catalogue.query_memory.
Errors: OD400 with what is wrong with the statement, or what it exceeds; OD401, OD403 no rule that names action query;
OD404, OD406, OD409 as of catalogue.contents_page(); OD429 the user''s previous query is still being executed; OD503
role catalogue_query does not exist.
Source: Files and their contents';
