-- Privileges of PostgreSQL.  This file is the last one: it revokes the default privileges on what the other files
-- create.

CREATE FUNCTION catalogue.make_roles() RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    made     record;
    setting  text;
BEGIN
    FOR made IN SELECT * FROM (VALUES
        ('catalogue_owner', 'NOLOGIN', '{}'::text[]),
        ('catalogue_shim', 'LOGIN', '{statement_timeout=10s,lock_timeout=2s,idle_in_transaction_session_timeout=15s}'),
        ('catalogue_worker', 'LOGIN',
            '{statement_timeout=1h,lock_timeout=10s,idle_in_transaction_session_timeout=1min}'),
        ('catalogue_reader', 'NOLOGIN', '{}'),
        ('catalogue_query', 'NOLOGIN', '{}'))
        AS r(name, login, settings)
    LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = made.name) THEN
            EXECUTE format('CREATE ROLE %I %s NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', made.name,
                made.login);
        END IF;
        CONTINUE WHEN made.login = 'NOLOGIN'
            OR (SELECT rolconfig IS NOT NULL FROM pg_catalog.pg_roles WHERE rolname = made.name);
        -- parameters contain what clients send, such as passwords; keep them out of the server log, and out of its
        -- error messages
        FOREACH setting IN ARRAY made.settings
            || '{log_parameter_max_length=0,log_parameter_max_length_on_error=0,log_error_verbosity=terse}'::text[] LOOP
            EXECUTE format('ALTER ROLE %I SET %I = %L', made.name, split_part(setting, '=', 1),
                split_part(setting, '=', 2));
        END LOOP;
        EXECUTE format('ALTER ROLE %I SET search_path = pg_catalog, pg_temp', made.name);
    END LOOP;
    PERFORM catalogue.grant_roles();
END
$$;
COMMENT ON FUNCTION catalogue.make_roles() IS
'Create the roles of the catalogue, and grant their privileges
Roles are the cluster''s; one that is there is left as it is, but for settings where it has none. catalogue_owner owns
schemas and tables. catalogue_shim is what the shim connects as. catalogue_worker is for programs that work on the
records in the background. catalogue_reader is for reports: grant it to the users who write them. catalogue_query
executes the statements of catalogue.query(), and has no privileges. shim and worker may log in, and have time limits
and settings that keep what clients send out of the server''s log. Calls catalogue.grant_roles().
Errors: 42501 not by a superuser.';

CREATE FUNCTION catalogue.grant_table(target regclass) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    owner    regrole := (SELECT nspowner FROM pg_catalog.pg_namespace WHERE nspname = 'catalogue');
    columns  text;
    role     text;
BEGIN
    -- a superuser who owns the schema needs no privilege, and functions do not switch to a superuser
    IF owner <> (SELECT relowner FROM pg_catalog.pg_class WHERE oid = target)
        AND NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE oid = owner) THEN
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s', target, owner);
    END IF;
    SELECT string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum) INTO columns
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type d ON d.oid = a.atttypid
    WHERE a.attrelid = target AND a.attnum > 0 AND NOT a.attisdropped
        AND NOT (d.typtype = 'd' AND d.typname IN ('password', 'secret', 'session_start'));
    FOR role IN SELECT rolname
        FROM pg_catalog.pg_roles
        WHERE rolname IN ('catalogue_reader', 'catalogue_worker')
        ORDER BY rolname DESC LOOP
        EXECUTE format('GRANT SELECT (%s) ON %s TO %I', columns, target, role);
    END LOOP;
END
$$;
COMMENT ON FUNCTION catalogue.grant_table(regclass) IS
'Grant the privileges on the table of a resource
Arguments: target, the table of a resource, or a join table. The owner of schema catalogue may read and write it;
catalogue_reader and catalogue_worker may read all its columns but passwords and secrets. Called by catalogue.expose()
and expose_links(); once more after a column was added.';

-- Make catalogue_owner the owner of schemas, tables and sequences.  Part of catalogue.grant_roles().
CREATE FUNCTION catalogue.grant_owner() RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    object  record;
BEGIN
    ALTER SCHEMA catalogue OWNER TO catalogue_owner;
    IF to_regnamespace('catalogue_history') IS NOT NULL THEN
        ALTER SCHEMA catalogue_history OWNER TO catalogue_owner;
    END IF;
    FOR object IN
        SELECT c.oid::regclass AS name, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind
        FROM pg_catalog.pg_class c
        WHERE c.relnamespace IN (SELECT oid
                                 FROM pg_catalog.pg_namespace
                                 WHERE nspname IN ('catalogue', 'catalogue_history'))
            AND c.relkind IN ('r', 'p', 'S')
          AND c.relowner <> 'catalogue_owner'::regrole
          -- neither a member of the extension nor the sequence of a column, which follows its table
          AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                          WHERE d.objid = c.oid AND d.classid = 'pg_catalog.pg_class'::regclass
                              AND d.deptype IN ('a', 'e', 'i') AND d.objsubid = 0)
    LOOP
        EXECUTE format('ALTER %s %s OWNER TO catalogue_owner', object.kind, object.name);
    END LOOP;
    -- members of the extension remain the superuser's, since a dump does not contain another owner of them
    GRANT ALL ON ALL TABLES IN SCHEMA catalogue TO catalogue_owner;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA catalogue TO catalogue_owner;
    ALTER DEFAULT PRIVILEGES FOR ROLE catalogue_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
END
$$;

-- Grant a role the functions of the API.  Arguments: role.  names, of functions that it may call besides those that
-- give a catalogue.reply. Part of catalogue.grant_roles().
CREATE FUNCTION catalogue.grant_functions(role text, names text[]) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    called  regprocedure;
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA catalogue TO %I', role);
    FOR called IN
        SELECT p.oid FROM pg_catalog.pg_proc p
        WHERE p.pronamespace = 'catalogue'::regnamespace
            AND (p.prorettype = 'catalogue.reply'::regtype OR p.proname = ANY (names))
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', called, role);
    END LOOP;
END
$$;

-- Revoke functions from a role.  Arguments: role.  names, of the functions.  Part of catalogue.grant_roles().
CREATE FUNCTION catalogue.revoke_functions(role text, names text[]) RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    called  regprocedure;
BEGIN
    FOR called IN
        SELECT p.oid FROM pg_catalog.pg_proc p
        WHERE p.pronamespace = 'catalogue'::regnamespace AND p.proname = ANY (names)
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %I', called, role);
    END LOOP;
END
$$;

CREATE FUNCTION catalogue.grant_roles() RETURNS void LANGUAGE plpgsql SET client_min_messages = warning AS
$$
DECLARE
    there   name[] := (SELECT array_agg(rolname)
                     FROM pg_catalog.pg_roles
                     WHERE rolname IN ('catalogue_owner', 'catalogue_shim', 'catalogue_worker', 'catalogue_reader'));
    target  regclass;
BEGIN
    IF 'catalogue_owner' = ANY (there) THEN
        PERFORM catalogue.grant_owner();
    END IF;
    IF 'catalogue_shim' = ANY (there) THEN
        REVOKE ALL ON ALL TABLES IN SCHEMA catalogue FROM catalogue_shim;
        PERFORM catalogue.grant_functions('catalogue_shim', '{packed,utc_text,items,once,record_statistics,blob_bytes,
            path_of_model,refuse_undo,settable_changes,undo_body,undo_image,undo_update,followers,check_undone,
            croissant_columns,csvw_write,dcat_known,dcat_query,dcat_write,quality_checks,public_answers,
            webhook_attempted,webhook_send_again,openapi_document,openapi_info,openapi_resources,openapi_operations,
            openapi_parameters,openapi_responses,openapi_request,openapi_item,openapi_schemas,openapi_shared,
            openapi_errors,openapi_success,openapi_successes,openapi_filters_used,openapi_parameters_used,
            openapi_successes_used,openapi_data,openapi_filters,openapi_writable,openapi_members,openapi_record,
            openapi_value,openapi_reference,config_value,web_titles,data_json_start,feed_language,feed_head,feed_text,
            dataset_changes,ask_follower,confirm_follower,drop_follower,dataset_extent,extent_picture,ogc_require,
            ogc_sheets,ogc_link,ogc_described,ogc_operation,picture_digest,picture_answer}');
    END IF;
    IF 'catalogue_worker' = ANY (there) THEN
        PERFORM catalogue.grant_functions('catalogue_worker', '{packed,utc_text,fold,slug,new_id,blob_create,
            blob_append,blob_seal,blob_bytes,enqueue,job_take,job_beat,job_done,job_failed,job_put_off,job_release,
            sweep,dispatch,archive_manifest,archive_store,convert_sheets,convert_map,convert_selection,convert_rows,
            convert_store,convert_refuse,contents_begin,contents_sheet,contents_add,contents_issue,contents_sheet_end,
            contents_publish,contents_load,contents_reparse,reparse,preview_store,path_of_model,refuse_undo,
            settable_changes,undo_body,undo_image,undo_update,followers,check_undone,fetch_service,fetch_store,
            fetch_unchanged,harvest_next,harvest_document,harvest_yield,harvest_without,harvest_import,webhook_take,
            webhook_done,webhook_failed,queue_mail,blob_stored,objects_left,object_next,object_put,object_kept,
            object_back,object_returned,object_deleted,object_failed,object_expected,object_sent,objects_listed,
            picture_digest,picture_source,picture_store}');
        PERFORM catalogue.revoke_functions('catalogue_worker', '{credential,use_key,client_token,consumers,
            register_consumer,change_consumer,make_key,replace_key,end_consumer}');
    END IF;
    IF 'catalogue_reader' = ANY (there) THEN
        GRANT USAGE ON SCHEMA catalogue TO catalogue_reader;
        GRANT SELECT ON catalogue.resource, catalogue.field, catalogue.relation, catalogue.description
            TO catalogue_reader;
        GRANT EXECUTE ON FUNCTION catalogue.camel(text), catalogue.base_type(oid), catalogue.qualified_name(oid),
            catalogue.type_word(oid), catalogue.default_value(text), catalogue.fields_of(oid),
            catalogue.relations_of(oid), catalogue.fold(text) TO catalogue_reader;
    END IF;
    IF 'catalogue_reader' = ANY (there) AND to_regclass('catalogue.statistics_by_day') IS NOT NULL THEN
        GRANT SELECT ON catalogue.statistics_by_day TO catalogue_reader;
    END IF;
    IF 'catalogue_reader' = ANY (there) AND to_regnamespace('catalogue_history') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA catalogue_history TO catalogue_reader;
        GRANT SELECT ON ALL TABLES IN SCHEMA catalogue_history TO catalogue_reader;
    END IF;
    FOR target IN SELECT r.relation FROM catalogue.resource r
        UNION SELECT l.via_oid FROM catalogue.relation l WHERE l.kind = 'many-to-many' LOOP
        PERFORM catalogue.grant_table(target);
    END LOOP;
END
$$;
COMMENT ON FUNCTION catalogue.grant_roles() IS
'Grant the privileges of the catalogue''s roles
Of catalogue_owner, catalogue_shim, catalogue_worker and catalogue_reader those that are there. Called again it adds
what is missing; so after an update, and where a role was made later. catalogue_shim gets EXECUTE on the functions of
the API, and nothing else: these work with the rights of the owner of schema catalogue, unless that is a superuser.';

-- The search_path of the session has no effect in these functions; those in C set it themselves.
DO
$$
DECLARE
    made  regprocedure;
BEGIN
    FOR made IN
        SELECT p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
        WHERE p.pronamespace = 'catalogue'::regnamespace AND l.lanname IN ('plpgsql', 'sql') AND p.prosqlbody IS NULL
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp', made);
    END LOOP;
END
$$;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA catalogue FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA catalogue FROM PUBLIC;
-- executed by catalogue_query, which has no privileges of its own
GRANT EXECUTE ON FUNCTION catalogue.bounded(text, integer) TO PUBLIC;
-- checks of domains call it: who may write a table or cast a value needs it
GRANT EXECUTE ON FUNCTION catalogue.fold(text) TO PUBLIC;

-- A restored dump grants privileges last, but earlier it creates indexes, which call functions as the owner of their
-- table, and alters tables, which the history follows as the owner.
DO
$$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'catalogue_owner') THEN
        GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA catalogue TO catalogue_owner;
        GRANT ALL ON ALL TABLES IN SCHEMA catalogue TO catalogue_owner;
    END IF;
END
$$;
