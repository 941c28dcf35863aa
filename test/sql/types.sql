--
-- types: what a type is without its domains, the word for it in definitions, and the names of tables
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\set ECHO none
CREATE SCHEMA "Odd ""s";
CREATE DOMAIN email AS varchar(20);
CREATE DOMAIN "Odd ""s".secret AS email;
CREATE DOMAIN amount AS numeric(8, 2);
CREATE DOMAIN amounts AS amount[];
CREATE DOMAIN net AS amount;
CREATE TYPE password AS ENUM ('none');
CREATE DOMAIN json_array AS jsonb;
CREATE TABLE "Odd ""s"."T.a" (n integer);
\set ECHO all

-- A type is its own base type; a domain has the one below all domains, an array of domains is no domain.
SELECT t.name, catalogue.base_type(t.name::regtype)::regtype AS base
FROM unnest(
    '{text,integer[],email,"\"Odd \"\"s\".secret",net,amounts,amount[],password}'::text[]) WITH ORDINALITY t(name,
    n)
ORDER BY n;

-- The word is that of the base type. The name decides of email, password and secret, in any schema, where it is a
-- domain's; of json_array always.
SELECT t.name, catalogue.type_word(t.name::regtype) AS word
FROM unnest(
    '{text,varchar,uuid,boolean,smallint,integer,bigint,numeric,real,double precision,date,timestamp,timestamptz,time,
        json,jsonb,text[],net,amounts,amount[],email,catalogue.email,"\"Odd \"\"s\".secret",catalogue.password,password,
        "\"json_array\"",catalogue.json_array,"\"json_array\"[]",catalogue.id}'::text[])
    WITH ORDINALITY t(name, n) ORDER BY n;

-- The name of a table does not depend on search_path, and is quoted where it must be.
SELECT catalogue.qualified_name(c.oid) AS name
FROM unnest('{catalogue.tags,"\"Odd \"\"s\".\"T.a\"",pg_catalog.pg_class}'::regclass[]) WITH ORDINALITY c(oid, n)
ORDER BY n;

-- What does not exist has none of them, and null gives null.
SELECT catalogue.base_type(0) AS base, catalogue.type_word(0) AS word, catalogue.qualified_name(0) AS name;
SELECT catalogue.base_type(NULL) AS base, catalogue.type_word(NULL) AS word, catalogue.qualified_name(NULL) AS name;

-- Those who read the views may call them.
SET ROLE catalogue_reader;
SELECT catalogue.base_type('catalogue.id'::regtype)::regtype AS base,
       catalogue.type_word('catalogue.id'::regtype) AS word,
       catalogue.qualified_name('catalogue.tags'::regclass) AS name;
