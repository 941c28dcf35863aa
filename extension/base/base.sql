-- Functions for expressions, indexes and checks, which know no table.

CREATE FUNCTION catalogue.new_id() RETURNS text
    LANGUAGE c VOLATILE PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_new_id';
COMMENT ON FUNCTION catalogue.new_id() IS
'Make an identifier
Returns: 15 characters of 0-9A-Za-z, a part of time and then about 41 random bits.
Source: Conventions for all resources';

CREATE FUNCTION catalogue.fold(text text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_fold';
COMMENT ON FUNCTION catalogue.fold(text) IS
'Fold letter case and accents of a text, for comparing
Arguments: text.  Returns: lower case, decomposed, without marks.
Source: Query parameters (match)';

CREATE FUNCTION catalogue.compose(text text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_compose';
COMMENT ON FUNCTION catalogue.compose(text) IS
'Return a text in the form in which names are stored, Unicode''s NFC
Arguments: text.  Returns: an accented letter as one character where there is such a one; in a database that is not in
UTF-8 the text as it is.
Source: Conventions for all resources';

-- Encode a name as a part of an address.
CREATE FUNCTION catalogue.url_encoded(name text) RETURNS text LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT string_agg(CASE WHEN c.c ~ '[A-Za-z0-9._~-]' THEN c.c
            ELSE regexp_replace(upper(encode(convert_to(c.c, 'UTF8'), 'hex')), '(..)', '%\1', 'g') END, ''
        ORDER BY c.number)
    FROM string_to_table($1, NULL) WITH ORDINALITY c(c, number);
END;

CREATE FUNCTION catalogue.slug(name text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_slug';
COMMENT ON FUNCTION catalogue.slug(text) IS
'Make the part of a URL for a name
Arguments: name.  Returns: at most 150 characters of a-z0-9_~-; empty where none of the name is kept.
Source: Resources and their fields (slug)';

-- Return the colours of pages with an accent; part of catalogue.web_facts().  Returns: 24 hexadecimal digits, of the
-- accent and its tint on light pages and on dark ones; NULL: it is no colour, or cannot be read.
CREATE FUNCTION catalogue.accent_colors(accent text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_accent_colors';

CREATE FUNCTION catalogue.is_time_pattern(pattern text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_is_time_pattern';
COMMENT ON FUNCTION catalogue.is_time_pattern(text) IS
'Tell whether a text is a cron pattern
Arguments: pattern, 5 fields (minute hour day month weekday), 6 (seconds before them) or 7 (year behind them).  One
that names no time, such as 31 February, is none.
Source: UpdateFrequency';

CREATE FUNCTION catalogue.next_run(pattern text, after timestamptz) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_next_run';
COMMENT ON FUNCTION catalogue.next_run(text, timestamptz) IS
'Return the first time after an instant that a cron pattern names
Arguments: pattern, as for catalogue.is_time_pattern().  after, the instant.  Times are in UTC.
Returns: a full second; NULL if there is none before the year 2200.
Errors: 22023 the pattern is not valid.
Source: UpdateFrequency';

CREATE FUNCTION catalogue.is_address(address text) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_is_address';
COMMENT ON FUNCTION catalogue.is_address(text) IS
'Tell whether a text is a URL of the web
Arguments: address, an http: or https: URL with a host, of at most 2000 characters; user information, a port from 1 to
65535 and an IPv6 address are taken. White space, control characters, those that turn the direction of writing, and any
of "<>\` are not. The path of a download, /files/<name>/download, is an address as well: that of a file that is uploaded
without a base.
Source: File, Chart, Map, SoapService, RestService (url, link)';

CREATE FUNCTION catalogue.states() RETURNS TABLE (state text, id text)
    LANGUAGE c IMMUTABLE ROWS 5 AS 'MODULE_PATHNAME', 'catalogue_states';
COMMENT ON FUNCTION catalogue.states() IS
'List the states of records, with the ids of their statuses
Returns: state, which is draft, review, rejected, published or unpublished; id, of the status that stands for it: the
same in every catalogue, since clients know it. The name of a status can be changed; the five cannot be deleted.
Source: States and transitions';

CREATE FUNCTION catalogue.utc_text(instant timestamptz) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
$$
    SELECT to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
$$;
COMMENT ON FUNCTION catalogue.utc_text(timestamptz) IS
'Write an instant as the interface does
Arguments: instant.  Returns: it in UTC by RFC 3339, with milliseconds.';
