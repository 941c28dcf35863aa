--
-- filter_types: each type of field with each operator: plain, alternatives, null, ranges, other than
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

CREATE TABLE catalogue.samples (
    id catalogue.id PRIMARY KEY, name text, word varchar(40), role catalogue.role, flag boolean, small smallint,
    whole integer, big bigint, exact numeric(30,10), short real, wide double precision,
    at timestamptz, day date, object json, binary_object jsonb, list catalogue.json_array, words text[], token uuid,
    hour time, local_at timestamp, secret catalogue.secret,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz
);
SELECT catalogue.expose('samples', 'Sample');
INSERT INTO catalogue.samples (name, word, role, flag, small, whole, big, exact, short, wide, at, day, object,
    binary_object, list, words, token, hour, local_at, secret)
    VALUES
    ('one', 'Ámbar, "gris"', 'guest', true, 1, 100, 9223372036854775807, 0.1, 0.1, 0.1, '2026-01-31T23:59:59.999999Z',
        '2026-01-31', '{"a":"Año"}', '{"b":[1]}', '["text/csv","a,b"]', '{x,y z}',
        'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '10:30', '2026-01-31 10:00', 's1'),
    ('two', 'ámbar', 'admin', false, -2, 0, 0, 12345678901234567890.0000000001, 1e30, 1e300, '2026-02-01T00:00:00Z',
        '2026-02-01', '[]', '{}', '["TEXT/plain"]', '{}', '00000000-0000-0000-0000-000000000000', '00:00',
        '2026-02-01 00:00', 's2'),
    ('three', 'a%b_c\d', 'superadmin', false, 3, 7, -5, 2.5, 'NaN', '-Infinity', '1999-12-31T22:00:00-05:00',
        '2000-02-29', '5', '"ámbar"', '[]', '{null}', NULL, '23:59:59', NULL, 's3'),
    ('four', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL);

-- What each query finds, or what it is refused with.
CREATE FUNCTION found(query text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    RETURN (SELECT l.count || ': ' || coalesce(names(l), '') || coalesce(' ignored ' || l.ignored, '')
            FROM catalogue.list('samples', query) l);
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
CREATE FUNCTION each(queries text) RETURNS TABLE (query text, found text) LANGUAGE sql AS
$$
    SELECT q, found(q) FROM regexp_split_to_table(btrim(queries), '\s+') WITH ORDINALITY e(q, n) ORDER BY n
$$;

-- Text: anywhere, without regard to case and accents, composed or not; alternatives; null; what is quoted is one value.
SELECT * FROM each('word=AMBAR word=%C3%81mbar word=A%CC%81mbar word=ambar&match=EXACT word=%C3%A1mbar&match=eXaCt
    word=ambar&match=begins word=gris%22&match=ENDS word=ambar&match=Contains
    word=gris,b_c word=ambar,null&match=EXACT word=null word=%22null%22
    word=%22%C3%81mbar,+%22%22gris%22%22%22&match=EXACT word=%22%C3%81mbar,%22');
-- Signs of patterns are plain characters, of fullwidth too.
SELECT * FROM each('word=%25 word=_ word=%5C word=a%25b word=a_b word=%EF%BC%85 word=%5C%25');
-- Nothing is in every text and equals none; nothing between commas is no value, "" is the empty text.
SELECT * FROM each('word= word=&match=EXACT word=gris, word=,gris word=,, word=gris,%22%22 word="" word');
-- Ranges of text fold too; several bounds are alternatives.
SELECT *
FROM each(
    'word[gte]=ambar word[gt]=%C3%81MBAR word[lte]=ambar word[lt]=B word[gt]=z,a word[ne]=ambar word[ne]=gris,b_c '
    'word[ne]=null word[ne]=gris,null word[gte]=null');

-- [eq] of a text is equality, whatever match says of others; of each other type it is the filter without it.
SELECT *
FROM each(
    'word[eq]=AMBAR word[eq]=amb word[eq]=amb&match=BEGINS word[eq]=ambar,null word[eq]=x,a%25b_C%5Cd word[eq]=null '
    'name=o&word[eq]=ambar&condition=OR role[eq]=admin words[eq]=X words[eq]=Y words[eq]=y+z '
    'whole[eq]=7.0 day[eq]=2026-01-31 word[eq]=ambar&word[ne]=%C3%A1mbar');

-- Enumerations: text for match, in their own order for ranges.
SELECT *
FROM each(
    'role=admin role=admin&match=EXACT role=guest,superadmin&match=EXACT role=null role[gte]=admin role[lt]=guest '
    'role[gt]=nobody role[ne]=admin role[ne]=admin&match=EXACT role=nobody');

-- Booleans.
SELECT *
FROM each(
    'flag=true flag=false flag=true,false flag=null flag=false,null flag[ne]=true flag[ne]=null flag[gt]=false '
    'flag=TRUE flag=1 flag= flag=true,');

-- Whole numbers: of any size, with fractions and exponents; match does not change them.
SELECT * FROM each('whole=100 whole=1 whole=100.0 whole=1e2 whole=0.07e2 whole=-0 whole=7,100 whole=null,7 whole[gte]=7
    whole[gt]=7 whole[lte]=7 whole[lt]=7 whole[lt]=99.5 whole[ne]=7 whole[ne]=7,null whole=10&match=BEGINS
    whole=+7 whole=0x7 whole=7x whole= whole=1e whole=1e1000 whole=NaN whole[gte]=null whole=%22%22 small=-2
    small=99999999 small[lt]=99999999999999999999999999 big=9223372036854775807 big[gte]=9223372036854775808
    big[lt]=-1e300 big[gt]=-1e-300');
SELECT found('whole=' || repeat('9', 100)) AS digits, left(found('whole=' || repeat('9', 101)), 40) AS too_many;
-- Numbers with fractions, by the digits that are shown of them; what JSON cannot write is found by ranges only.
SELECT *
FROM each(
    'exact=0.1 exact=12345678901234567890.0000000001 exact[gt]=12345678901234567890 exact=25e-1 short=0.1 wide=0.1 '
    'wide=1e300 wide=1e400 wide[gt]=1e999 wide[lt]=-1e999 short[gte]=1e30 '
    'short[gt]=1e999 wide=null short[ne]=0.1 exact=1e999');

-- Instants: to the microsecond, with any zone; a date alone is that day in UTC.
SELECT * FROM each('at=2026-01-31T23:59:59.999999Z at=2026-01-31T23:59:59.999999 at=2026-02-01T00:00Z
    at=2026-02-01T05:30:00%2B05:30 at=2026-02-01t00:00:00z at=2026-02-01+00:00:00 at=2026-01-31 at=2026-02-01,2000-01-01
    at=2000-01-01T03:00:00Z,null
    at[gte]=2026-02-01 at[gt]=2026-01-31 at[lte]=2026-01-31 at[lt]=2026-01-31 at[gt]=2026-01-31T23:59:59.999998Z
    at[lt]=2026-02-01T00:00:00Z at[ne]=2026-01-31 at[ne]=2026-01-31,2026-02-01 at[ne]=null at=null at=9999-12-31
    at=0001-01-01
    at=2026-02-30 at=2026-13-01 at=2026-02-01T24:00:00Z at=2026-02-01T00:00:00%2B15:00 at=2026-02-01T00:00:60Z
    at=2026-02 at=0000-01-01 at=now at=infinity at= at[gt]=null at=10000-01-01 at=2026-02-01T00:00:00.Z');
SELECT found('at=2026-01-31T23:59:59.' || repeat('9', 42) || 'Z') AS rounded,
       left(found('at=2026-01-31T23:59:59.' || repeat('9', 300) || 'Z'), 44) AS too_long;
-- Dates: a date, no instant.
SELECT *
FROM each(
    'day=2026-01-31 day=2000-02-29,2026-02-01 day=null day[gte]=2026-02-01 day[gt]=2026-01-31 day[lt]=2026-01-31 '
    'day[lte]=2026-01-31 day[ne]=2026-01-31 day=2026-01-31T00:00:00Z day=2001-02-29 day=31.01.2026 day=');

-- Years of dates and instants, in UTC; several; ranges; what is no year; of what has none.
SELECT *
FROM each(
    'at.year=2026 at.year=2000,1999 at.year=1999,null at.year[gte]=2001 at.year[lt]=2026 at.year[gt]=2025,2026 '
    'at.year[ne]=2026 at.year[ne]=null at.year=9999 at.year[lte]=9999 day.year=2026 day.year=2000 day.year[eq]=2000 '
    'name=one&at.year=2000 name=one&at.year=2026&condition=AND '
    'at.year= at.year=26x at.year=0 at.year=02026 at.year=10000 at.year=-44 at.year=2026.0 at.year[gt]=null '
    'word.year=1 localAt.year=2026 at.month=1');

-- JSON: its text, as it was written; of an array, each element.
SELECT *
FROM each(
    'object=a%C3%B1o object=ANO object={%22a%22:%22a%C3%B1o%22}&match=EXACT object={&match=BEGINS object=null '
    'object[ne]=ano object[gte]=z binaryObject=AMBAR binaryObject=[1]');
SELECT *
FROM each(
    'list=text list=text/csv&match=EXACT list=CSV&match=ENDS list=plain,csv list=%22a,b%22&match=EXACT '
    'list=text/csv%22,%22a list=null list=null,plain list[ne]=text list= list=[ list[gte]=a');
-- Other types: their text.
SELECT *
FROM each(
    'words=y+z words={}&match=EXACT token=A0EE token=null hour=10:30 hour[gte]=1 localAt[ne]=null localAt=yesterday');

-- Ids are compared as they are, whatever match says; an empty one is none.
CREATE FUNCTION other_case(id text) RETURNS text IMMUTABLE RETURN
    translate(id, 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ',
        'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
SELECT found('id=' || other_case(id) || '&match=CONTAINS') AS other_case, found('id=' || id || ',x') AS exact,
       found('id=' || left(id, 5) || '&match=BEGINS') AS beginning, found('id=') AS empty,
       found('id[ne]=' || id) AS other
FROM catalogue.samples WHERE name = 'one';

-- An operator that is none, or on no field, makes the name an unknown one; so do secrets.
SELECT *
FROM each(
    'word[is]=x word[]=x word[gte=x word]=x [gte]=x word[gte][lt]=x word[GTE]=x secret=s1 secret[ne]=null Word=x '
    'samples.word=x word.x=1 .word=x word.=x');

-- A number that JSON cannot write is shown as a string.
SELECT r ->> 'short' AS short, json_typeof(r -> 'short') AS type, r ->> 'wide' AS wide
FROM catalogue.first('samples', 'name=three'), CAST(data AS json) r;

-- More texts than a hundred are refused; numbers and ids may be many.
SELECT found('word=' || string_agg('v' || n, ',')) FROM generate_series(1, 101) n;
SELECT found('word=' || string_agg('v' || n, ',') || ',gris') FROM generate_series(1, 99) n;
SELECT found('whole=' || string_agg(n::text, ',')) AS numbers, found('id=' || string_agg(n::text, ',')) AS ids
FROM generate_series(1, 2000) n;
-- Five texts and more are compared in another way than four; both find the same.
SELECT *
FROM each(
    'word=gris,b,c,d word=gris,b,c,d,e,f list=csv,b,c,d,e,plain '
    'word=ambar,1,2,3,4,5&match=EXACT word[ne]=gris,b,c,d,e,f');

-- A column may change its type while statements are prepared.
SELECT found('whole=7');
ALTER TABLE catalogue.samples ALTER whole TYPE text;
SELECT found('whole=7') AS as_text, found('whole=x') AS letters;
