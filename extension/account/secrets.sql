-- Secrets of services: encrypted in the table, decrypted for the worker.

CREATE FUNCTION catalogue.secret(resource text, id text, field text) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_secret';
COMMENT ON FUNCTION catalogue.secret(text, text, text) IS
'Return a secret decrypted
Arguments: resource, its path word.  id, the record''s.  field, one of domain catalogue.secret.
Returns: the text; NULL where the record has none, or does not live.  No role of the catalogue but the owner may call
it; the worker gets secrets by catalogue.fetch_service().
Errors: OD404 no such secret; OD503 the key cannot be read; 55000 it was sealed with another key; XX001 it was changed,
or moved from another record.
Source: RestService';

-- Encrypt the secrets of one field with the present key.  Arguments: resource, its path word.  field, one of domain
-- catalogue.secret.  Returns: how many had another key, or none. Part of catalogue.reseal().
CREATE FUNCTION catalogue.reseal_field(resource text, field text) RETURNS bigint
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'catalogue_reseal_field';

CREATE FUNCTION catalogue.reseal() RETURNS bigint LANGUAGE sql AS
$$
    SELECT coalesce(sum(catalogue.reseal_field(f.resource, f.field)), 0)::bigint
    FROM catalogue.field f
    WHERE f.domain = 'secret';
$$;
COMMENT ON FUNCTION catalogue.reseal() IS
'Encrypt all secrets with the present key
Returns: how many had another key, or none.  They are opened with that of catalogue.former_secret_key_file.
Records, history and the action log do not change.
Errors: as catalogue.secret().  Source: RestService';
