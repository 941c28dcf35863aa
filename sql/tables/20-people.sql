CREATE TABLE IF NOT EXISTS catalogue.organizations (
    id           catalogue.id PRIMARY KEY,
    name         varchar(150) NOT NULL,
    slug         varchar(150),
    description  varchar(350),
    address      varchar(150),
    active       boolean,
    parent       catalogue.id CONSTRAINT children REFERENCES catalogue.organizations DEFERRABLE INITIALLY DEFERRED,
    created_by   catalogue.id NOT NULL,
    created_at   timestamptz  NOT NULL DEFAULT now(),
    updated_at   timestamptz  NOT NULL DEFAULT now(),
    deleted_at   timestamptz,
    deactivated_at timestamptz
);
SELECT catalogue.add_columns('catalogue.organizations', 'file_name varchar(150)', 'image varchar(500)');
COMMENT ON TABLE catalogue.organizations IS 'Organization that provides data';
COMMENT ON COLUMN catalogue.organizations.name IS 'Name';
COMMENT ON COLUMN catalogue.organizations.slug IS 'Name as part of a URL';
COMMENT ON COLUMN catalogue.organizations.file_name IS 'File name of the image';
COMMENT ON COLUMN catalogue.organizations.description IS 'Description, in Markdown';
COMMENT ON COLUMN catalogue.organizations.address IS 'Postal address';
COMMENT ON COLUMN catalogue.organizations.image IS 'URL of the image, its logo';
COMMENT ON COLUMN catalogue.organizations.active IS 'To filter by; hides nothing';
COMMENT ON COLUMN catalogue.organizations.parent IS 'Organization that this one belongs to';
COMMENT ON COLUMN catalogue.organizations.created_by IS 'User who created the record';
COMMENT ON COLUMN catalogue.organizations.deactivated_at IS
    'When it was hidden from outsiders; shown to internal users as deletedAt';
SELECT catalogue.expose('organizations', 'Organization', searchable => '{name,description}',
    unique_living => '{name,slug}', actions => '{deactivate}',
    conditions =>
        '{"parent": "NOT EXISTS (WITH RECURSIVE up(id, parent) AS (SELECT o.id, o.parent FROM catalogue.organizations '
        'o WHERE o.id = t.id UNION SELECT o.id, o.parent FROM up JOIN catalogue.organizations o ON o.id = up.parent) '
        'SELECT FROM up WHERE up.id = $2)"}');

CREATE TABLE IF NOT EXISTS catalogue.users (
    id            catalogue.id       PRIMARY KEY,
    username      catalogue.username NOT NULL,
    password      catalogue.password NOT NULL,
    email         catalogue.email    NOT NULL,
    first_name    varchar(50)        DEFAULT '',
    last_name     varchar(100)       DEFAULT '',
    full_name     text               GENERATED ALWAYS AS
        (btrim(coalesce(first_name, '') || ' ' || coalesce(last_name, ''))) STORED,
    avatar        varchar(500),
    active        boolean,
    role          catalogue.role     NOT NULL DEFAULT 'guest',
    organization  catalogue.id       NOT NULL CONSTRAINT users REFERENCES catalogue.organizations
    DEFERRABLE INITIALLY DEFERRED,
    session       catalogue.session_start  NOT NULL DEFAULT now(),
    created_by    catalogue.id       NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at    timestamptz        NOT NULL DEFAULT now(),
    updated_at    timestamptz        NOT NULL DEFAULT now(),
    deleted_at    timestamptz,
    deactivated_at timestamptz
);
SELECT catalogue.add_columns('catalogue.users', 'session catalogue.session_start NOT NULL DEFAULT now()');
COMMENT ON TABLE catalogue.users IS 'Internal user of the catalogue';
COMMENT ON COLUMN catalogue.users.username IS 'Name to log in with';
COMMENT ON COLUMN catalogue.users.password IS 'Password of 8 to 256 characters; write-only';
COMMENT ON COLUMN catalogue.users.email IS 'E-mail address';
COMMENT ON COLUMN catalogue.users.first_name IS 'First name';
COMMENT ON COLUMN catalogue.users.last_name IS 'Last name';
COMMENT ON COLUMN catalogue.users.full_name IS 'First and last name joined by one space';
COMMENT ON COLUMN catalogue.users.avatar IS 'URL of a picture';
COMMENT ON COLUMN catalogue.users.active IS 'May log in';
COMMENT ON COLUMN catalogue.users.role IS 'Role';
COMMENT ON COLUMN catalogue.users.organization IS 'Organization that the user belongs to';
COMMENT ON COLUMN catalogue.users.session IS
    'When the tokens of the user ended last: those that bear another instant are void';
COMMENT ON COLUMN catalogue.users.created_by IS 'User who created the record';
COMMENT ON COLUMN catalogue.users.deactivated_at IS
    'When it was hidden from outsiders; shown to internal users as deletedAt';
SELECT catalogue.expose('users', 'User', searchable => '{username,email,first_name,last_name}',
    unique_living => '{username,email}', actions => '{deactivate,transfer,erase}',
    shown => '{"outsiders": false}', guarded => true, reserved => '{active,role,organization}', closed => '{email}');

-- Users belong to organizations, and organizations are created by users: the second key completes the cycle.
DO
$$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_constraint
                   WHERE conrelid = 'catalogue.organizations'::regclass
                       AND conname = 'organizations_created_by_fkey') THEN
        ALTER TABLE catalogue.organizations ADD CONSTRAINT organizations_created_by_fkey
            FOREIGN KEY (created_by) REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED;
        PERFORM catalogue.index_keys('catalogue.organizations');
    END IF;
END
$$;
