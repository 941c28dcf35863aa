-- Reads of records, one function for each call of the interface, for database users and for the HTTP shim.

CREATE FUNCTION catalogue.list(resource text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_list';
COMMENT ON FUNCTION catalogue.list(text, text, text, jsonb, text) IS
'List the records of a resource
Arguments: resource, its path word, any letter case.  query, as in a URL behind the ?: filters, query, match, condition,
orderBy, sort, limit, skip, fields, include, facets, facetLimit, nearest, estimate, version, deleted. relations, ids (a
foreign key is an id) or embedded (it is the record).  actor, {"user": id} for a user, {} for an outsider, NULL for a
database user, who is trusted; with "color": "css" in it colours are given with # before them. known, state tags that
the caller has from earlier replies, comma-separated: where the present one is among them, data is NULL.
Returns: data is an array; count, limit, skip, returned, version, ignored, etag, next and previous describe the page;
count is NULL where "estimate" has an estimate instead; meta has that, the facets, and the words of "nearest", JSON
without the braces.
Errors: OD404 no such resource; OD422 a parameter''s value; OD400 unknown include; OD401 the actor''s user may not log
in; OD403 the actor''s key is not for a resource that is asked for, or the actor may restore no deleted records.
Source: Query parameters';

CREATE FUNCTION catalogue.item(resource text, id text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_item';
COMMENT ON FUNCTION catalogue.item(text, text, text, text, jsonb, text) IS
'Return one record
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug.  query: fields, include.
relations, ids (a foreign key is an id) or embedded (it is the record).  actor, {"user": id} for a user, {} for an
outsider, NULL for a database user, who is trusted. known, state tags that the caller has, comma-separated: where the
present one is among them, data is NULL.
Returns: data is an object; id and relations are those of the record; etag changes with it.
Errors: OD404 no such resource or record; OD400 unknown include.
Source: Standard endpoint set';

CREATE FUNCTION catalogue.items(resource text, ids text[], query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text[] DEFAULT NULL)
    RETURNS bytea
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_items';
COMMENT ON FUNCTION catalogue.items(text, text[], text, text, jsonb, text[]) IS
'Return several records in packed form, for programs
Arguments: resource, query, relations, actor: as for catalogue.item(), for all of them. ids, the records''; one may
stand there twice. known, for each id the state tags that the caller has, comma-separated; NULL for none.
Returns: a row for each id, in their order. A row is its length in bytes, 4 bytes in network order; then a SQLSTATE and
its message, each ended by a byte 0, where there is no such record; else a byte 0 and the answer of catalogue.item() as
catalogue.packed() packs it. Of a record whose present state is among those known, only the members resource, version,
ignored and etag are there.
Errors: OD404 no such resource; OD400 unknown include; OD422 a parameter''s value; 54000 more than 1 GB.
Source: Standard endpoint set';

CREATE FUNCTION catalogue.first(resource text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_first';
COMMENT ON FUNCTION catalogue.first(text, text, text, jsonb, text) IS
'Return the first record of a list
Arguments: as for catalogue.list(); the order is that of the list.
Returns: as catalogue.item().
Errors: OD404 no such resource, or an empty list; OD422 a parameter''s value.
Source: Standard endpoint set';

CREATE FUNCTION catalogue.last(resource text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_last';
COMMENT ON FUNCTION catalogue.last(text, text, text, jsonb, text) IS
'Return the last record of a list
Arguments: as for catalogue.list(); the order is that of the list.
Returns: as catalogue.item().
Errors: OD404 no such resource, or an empty list; OD422 a parameter''s value.
Source: Standard endpoint set';

CREATE FUNCTION catalogue.count(resource text, query text DEFAULT '', actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_count';
COMMENT ON FUNCTION catalogue.count(text, text, jsonb, text) IS
'Count the records of a list
Arguments: resource, its path word, any letter case.  query, filters and search as for catalogue.list().  actor,
{"user": id} for a user, {} for an outsider, NULL for a database user, who is trusted. known: as for catalogue.list().
Returns: data is an object with the member count.
Errors: OD404 no such resource; OD422 a filter''s value.
Source: Standard endpoint set';

CREATE FUNCTION catalogue.related(resource text, id text, relation text, query text DEFAULT '',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_related';
COMMENT ON FUNCTION catalogue.related(text, text, text, text, text, jsonb, text) IS
'Return what a record is related to
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug.  relation, its name, as in
catalogue.relation. query, relations, actor, known: as for catalogue.list().
Returns: to-one as catalogue.item(); to-many as catalogue.list().
Errors: OD404 no such resource, record or relation, or the relation is empty.
Source: Response envelopes (links)';

CREATE FUNCTION catalogue.dataset_filetypes(dataset text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE plpgsql STABLE AS
$$
DECLARE
    found catalogue.reply;
    types catalogue.reply;
BEGIN
    -- raises an error for a caller who cannot see the dataset at the requested instant
    found := catalogue.item('datasets', $1, concat_ws('&', 'fields=id', substring($2 FROM '(?:^|&)(version=[^&]*)')),
        'ids', $4);
    types := catalogue.list('filetypes', concat_ws('&', 'files.dataset=' || found.id, nullif($2, '')), $3, $4, $5);
    types.id := found.id;
    -- raises an error for a caller who cannot see files: without the filter the types of all files would be shown
    IF types.ignored::jsonb ? 'files.dataset' THEN
        RAISE EXCEPTION USING ERRCODE = 'OD404', MESSAGE = 'Dataset has no relation "files"';
    END IF;
    RETURN types;
END
$$;
COMMENT ON FUNCTION catalogue.dataset_filetypes(text, text, text, jsonb, text) IS
'List the types of a dataset''s files
Arguments: dataset, its id or slug.  query, relations, actor, known: as for catalogue.list(), of the file types.
Returns: as catalogue.list(), each type of the files that the actor sees once, whatever else the query says.
Errors: OD404 no such dataset; as catalogue.list().
Source: Dataset, FileType';

CREATE FUNCTION catalogue.versions(resource text, id text, query text DEFAULT '', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_versions';
COMMENT ON FUNCTION catalogue.versions(text, text, text, jsonb, text) IS
'List the states that a record had
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug.  query: fields, limit, skip,
version.  actor, known: as for catalogue.list().
Returns: data is an array, newest first: the record as it was, each with the member version, the instant that the state
began at, of which catalogue.item() shows it again. States are kept as long as catalogue.history_retention.
Errors: OD404 no such resource or record; OD400 include; OD422 a parameter''s value.
Source: Query parameters (skip)';

CREATE FUNCTION catalogue.usage(resource text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL, format text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_usage';
COMMENT ON FUNCTION catalogue.usage(text, text, text, jsonb, text, text) IS
'List or count the statistics of a resource
Arguments: resource, its path word, any letter case.  query, relations, actor, known: as for catalogue.list(), of the
statistics; with groupBy, as for catalogue.statistics_summary().  format: csv, with groupBy only; NULL for JSON.
Returns: as catalogue.list(), or with groupBy as catalogue.statistics_summary(), of the requests whose path begins with
the resource, whatever else the query says.
Errors: as catalogue.list() or catalogue.statistics_summary(); OD406 CSV without groupBy.
Source: Statistic';

CREATE FUNCTION catalogue.export(resource text, id text DEFAULT NULL, relation text DEFAULT NULL, query text DEFAULT '',
    relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, format text DEFAULT 'csv')
    RETURNS SETOF catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_export';
COMMENT ON FUNCTION catalogue.export(text, text, text, text, text, jsonb, text) IS
'Return a list as CSV or as lines of JSON, in pieces
Arguments: resource, its path word, any letter case.  id and relation, a record and its to-many relation, whose list is
wanted; NULL for all of the resource. query, relations, actor: as for catalogue.list(); the page is the same.  format,
csv (RFC 4180, with a line of names) or ndjson (a record a line).
Returns: pieces of data of some 64 KiB, to be put one behind the other; the first row describes the page as
catalogue.list() does. Called in a target list it makes one piece at a time, all of one snapshot, and statement_timeout
limits the making of each piece.
Errors: as catalogue.list(); OD406 no such format, or the relation leads to one record.
Source: Query parameters';

CREATE FUNCTION catalogue.export_whole(resource text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL)
    RETURNS SETOF catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_export_whole';
COMMENT ON FUNCTION catalogue.export_whole(text, text, text, jsonb) IS
'Return a whole list as lines of JSON, in pieces
Memory use does not depend on the length of the list.
Arguments: as for catalogue.export() of all of a resource; limit, all records unless given, is not reduced to
catalogue.max_limit.
Returns: as catalogue.export() with format ndjson, limit 0 where none is given; what a search finds is in the order of
a list without one.
Errors: as catalogue.list().
Source: Query parameters';

CREATE FUNCTION catalogue.record_logs(resource text, id text, query text DEFAULT '', relations text DEFAULT 'ids',
    actor jsonb DEFAULT NULL, known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_record_logs';
COMMENT ON FUNCTION catalogue.record_logs(text, text, text, text, jsonb, text) IS
'List the action log of a record
Arguments: resource, its path word, any letter case.  id, the record''s, or its slug; also of a deleted record.  query,
relations, actor, known: as for catalogue.list(), of the log.
Returns: as catalogue.list(), of the log records of this record, whatever else the query says.
Errors: OD404 no such record, or the actor sees no log; as catalogue.list().
Source: Log (action log)';

CREATE FUNCTION catalogue.moved(resource text, name text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_moved';
COMMENT ON FUNCTION catalogue.moved(text, text, jsonb) IS
'Find the record that a slug or file name led to before it was renamed
Arguments: resource, its path word, any letter case.  name, the slug, or of a file its stored name.  actor, {"user": id}
for a user, {} for an outsider, NULL for a database user, who is trusted.
Returns: nothing; it always ends by an error.
Errors: OD308 with {"resource": path word, "id": id of the record} as its detail, where the actor sees the record and no
living record has the name; OD404 otherwise.  The shim calls it when a path has led to no record.
Source: Resources and their fields (slug)';

CREATE FUNCTION catalogue.edits(one text, other text, most integer) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_edits';
COMMENT ON FUNCTION catalogue.edits(text, text, integer) IS
'Count the edits that make one word of another
Arguments: one, other, words of at most 255 bytes.  most, from which on they need not be counted.  Returns: the number
of characters to insert, delete or replace; if there are more than most, any number above it.
Source: Query parameters (nearest)';

CREATE FUNCTION catalogue.search(query text DEFAULT '', relations text DEFAULT 'ids', actor jsonb DEFAULT NULL,
    known text DEFAULT NULL)
    RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_search';
COMMENT ON FUNCTION catalogue.search(text, text, jsonb, text) IS
'Search in all resources
Arguments: query, as in a URL behind the ?: query, match, condition, limit, skip, version, fields as for
catalogue.list(), which hold for each resource; resources, path words to search in, comma-separated, all unless given.
relations, actor: as for catalogue.list().  known is not used: nothing cheap tells the state of so many.
Returns: data is an object: for each resource in which something is found, the array of records.  count, returned: of
all together; count is NULL where meta has an estimate instead.  limit, skip: of each. relations: the names of these
resources, comma-separated.
Errors: OD422 a parameter''s value, or a resource that does not exist; OD401 the actor''s user may not log in.
Source: Query parameters (query), Additional endpoints (search)';

-- Return a text as a cell of CSV, never a formula; part of chart_csv().
CREATE FUNCTION catalogue.csv_text(content text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_csv_text';
