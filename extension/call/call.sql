-- The reply of a call.  The shim takes it packed and reads the members by position.

CREATE TYPE catalogue.reply AS (
    resource    text,
    id          text,
    relations   text,
    data        text,
    count       bigint,
    "limit"     integer,
    skip        bigint,
    returned    integer,
    version     text,
    ignored     text,
    etag        text,
    next        text,
    previous    text,
    links       text,
    meta        text
);
COMMENT ON TYPE catalogue.reply IS
'Answer of an API function
resource: path word of the resource that the data is of.  id: id of the record.  relations: names of the record''s
relations, comma-separated.
data: finished JSON text, NULL where there is none.  count: all matches of a list.  limit, skip: the page in force.
returned: records on the page.
version: instant of the page (RFC 3339, microseconds, UTC).  ignored: JSON array of unknown query names, NULL when none.
etag: letters, digits and dots that change with whatever the data depends on, NULL where nothing cheap tells.
next, previous: where the page ends and begins, as values of the parameters after and before; NULL at the end and the
beginning.
links: where a client can go on from the record, comma-separated: words of paths behind its own, with + before an action
that the caller may do now; of a list the ids of its records; of rows image, if they can be drawn; of a write "-" if the
caller sees no record of the resource.
meta: further members of meta of the response, as JSON without the braces, NULL for none.
Source: Response envelopes';

CREATE FUNCTION catalogue.packed(reply catalogue.reply) RETURNS bytea
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_packed';
COMMENT ON FUNCTION catalogue.packed(catalogue.reply) IS
'Pack a reply into one value, for programs
Arguments: reply, what a function of the API gives.
Returns: the members of the reply but data as text, each ended by a byte 0, in their order; NULL is empty. Behind them,
to the end, data.
Source: Response envelopes';

CREATE FUNCTION catalogue.address_of_call() RETURNS text
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_address_of_call';
COMMENT ON FUNCTION catalogue.address_of_call() IS
'Return the address of the service that the running call came to
Returns: such as https://data.example.org; NULL: there is no call, or it did not come over HTTP.';

-- Trigger AFTER every change of catalogue.rules: invalidate the rules in all backends.
CREATE FUNCTION catalogue.forget_rules() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'catalogue_forget_rules';

-- Count a message from the address of a client; part of catalogue.ask_follower().  OD429: there were too many.
CREATE FUNCTION catalogue.count_email(address text) RETURNS void
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'catalogue_count_email';
