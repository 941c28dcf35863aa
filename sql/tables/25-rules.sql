-- Rules of access.  Superadmins may do everything without a rule.
CREATE TABLE IF NOT EXISTS catalogue.rules (
    id            catalogue.id  PRIMARY KEY,
    role          catalogue.role,
    resource      varchar(63)   NOT NULL,
    action        varchar(63)   NOT NULL,
    own           boolean       NOT NULL DEFAULT false,
    organization  boolean       NOT NULL DEFAULT false,
    created_at    timestamptz   NOT NULL DEFAULT now(),
    updated_at    timestamptz   NOT NULL DEFAULT now(),
    deleted_at    timestamptz
);
COMMENT ON TABLE catalogue.rules IS 'Rule that grants an action on a resource to a role; grants add up';
COMMENT ON COLUMN catalogue.rules.role IS 'Role that it is granted to; null for whoever asks, without a user too';
COMMENT ON COLUMN catalogue.rules.resource IS
    'Path word of the resource; * for any but those that have to be named, such as users and rules';
COMMENT ON COLUMN catalogue.rules.action IS
    'create, update, delete, restore, deactivate, review, cancel, reject, publish or unpublish; * for any of these; '
    'transfer or erase of users; '
    'read for what is closed of logs, statistics, users, datasetrequests or questions';
COMMENT ON COLUMN catalogue.rules.own IS
    'Only for records that the user created or owns, for itself among the users, for logs of what the user did, '
    'and for questions about the user''s datasets';
COMMENT ON COLUMN catalogue.rules.organization IS
    'Only for records of the user''s organization: by their key to one, of questions by that of their dataset, else by '
    'that of who created them';
SELECT catalogue.expose('rules', 'Rule', shown => '{"outsiders": false}', guarded => true);
CREATE OR REPLACE TRIGGER forget AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON catalogue.rules
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue.forget_rules();
