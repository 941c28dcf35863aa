--
-- constraints: what the constraints of a table of one's own refuse is told as errors of a record
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare
\set ECHO none
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE TABLE catalogue.bookings (id catalogue.id PRIMARY KEY,
    room varchar(20),
    price integer CHECK (price > 0),
    hours integer CONSTRAINT reasonable_hours CHECK (hours < 24 OR deleted_at IS NOT NULL),
    beginning date CONSTRAINT not_before_2000 CHECK (beginning > '2000-01-01'),
    ending date,
    badge varchar(20),
    door varchar(20) UNIQUE,
    lock varchar(20),
    guest varchar(20),
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    CONSTRAINT badge_of_one EXCLUDE (badge WITH =),
    CONSTRAINT ends_after_beginning CHECK (ending >= beginning),
    CONSTRAINT cheap_or_long CHECK (price < 100 OR hours > 1),
    CONSTRAINT room_at_a_time EXCLUDE USING gist (room WITH =, daterange(beginning, ending) WITH &&)
        WHERE (deleted_at IS NULL),
    CONSTRAINT lock_of_one EXCLUDE ((lower(lock)) WITH =));
COMMENT ON CONSTRAINT not_before_2000 ON catalogue.bookings IS 'The house was built in 2000';
COMMENT ON CONSTRAINT ends_after_beginning ON catalogue.bookings IS 'The last day is not before the first';
COMMENT ON CONSTRAINT room_at_a_time ON catalogue.bookings IS 'A room is booked once at a time';
CREATE UNIQUE INDEX door_and_lock ON catalogue.bookings ((door || lock));
CREATE TABLE catalogue.kinds (kind varchar(20) PRIMARY KEY);
INSERT INTO catalogue.kinds VALUES ('bed');
ALTER TABLE catalogue.bookings ADD kind varchar(20) CONSTRAINT of_a_kind REFERENCES catalogue.kinds;
INSERT INTO catalogue.bookings (id, room) VALUES ('before', 'without a guest');
-- WITHOUT OVERLAPS, and in earlier versions what it stands for
ALTER TABLE catalogue.bookings ADD desk varchar(20), ADD during daterange;
SELECT format('ALTER TABLE catalogue.bookings ADD CONSTRAINT desk_at_a_time %s',
    CASE WHEN current_setting('server_version_num')::integer >= 180000 THEN 'UNIQUE (desk, during WITHOUT OVERLAPS)'
         ELSE 'EXCLUDE USING gist (desk WITH =, during WITH &&)' END) \gexec
SELECT catalogue.expose('catalogue.bookings', 'Booking', actions => '{deactivate}');
CREATE TABLE catalogue.bookings_tags (booking catalogue.id NOT NULL
    CONSTRAINT tags REFERENCES catalogue.bookings ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    tag catalogue.id NOT NULL CONSTRAINT bookings REFERENCES catalogue.tags ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED, position integer NOT NULL DEFAULT 1 CONSTRAINT two_tags CHECK (position < 3),
    deleted_at timestamptz);
SELECT catalogue.expose_links('catalogue.bookings_tags');
-- NOT NULL that rows from before do not meet: in earlier versions PostgreSQL has no statement for it
SELECT CASE WHEN current_setting('server_version_num')::integer >= 180000
            THEN 'ALTER TABLE catalogue.bookings ADD CONSTRAINT some_guest NOT NULL guest NOT VALID'
            ELSE 'UPDATE pg_attribute SET attnotnull = true WHERE attname = ''guest'' '
                'AND attrelid = ''catalogue.bookings''::regclass' END \gexec
CREATE FUNCTION booked(body text) RETURNS TABLE (code text, message text, detail text) LANGUAGE sql AS
$$
    SELECT r.code, r.message, r.detail
    FROM refusal(format('SELECT catalogue.create(''bookings'', %L, actor => admin())',
                        (jsonb '{"guest": "A"}' || body::jsonb)::text)) r
$$;
\set ECHO all

-- What meets them all is taken.
SELECT * FROM booked('{"room": "1", "price": 99, "hours": 23, "beginning": "2020-01-01", "ending": "2020-01-10",
    "badge": "b", "door": "d", "lock": "l", "kind": "bed"}');

-- CHECK: the field, where a client gives one field of it; else the constraint. The comment tells what it is about.
SELECT * FROM booked('{"price": 0}');
SELECT * FROM booked('{"hours": 24}');
SELECT * FROM booked('{"beginning": "1999-12-31"}');
SELECT * FROM booked('{"beginning": "2020-01-02", "ending": "2020-01-01"}');
SELECT * FROM booked('{"price": 100, "hours": 1}');

-- EXCLUDE of one field, of several, of an expression; a unique index of several fields, in an expression.
SELECT * FROM booked('{"badge": "b"}');
SELECT * FROM booked('{"room": "1", "beginning": "2020-01-09", "ending": "2020-01-11"}');
SELECT * FROM booked('{"lock": "L"}');
SELECT * FROM booked('{"door": "dl", "lock": ""}');

-- WITHOUT OVERLAPS.
SELECT * FROM booked('{"desk": "1", "during": "[2020-01-01,2020-01-10)"}');
SELECT * FROM booked('{"desk": "1", "during": "[2020-01-09,2020-01-11)"}');
SELECT * FROM booked('{"desk": "1", "during": "[2020-01-10,2020-01-11)"}');

-- A key to a table that is no resource.
SELECT * FROM booked('{"kind": "boat"}');

-- NOT NULL that is not valid: a change of something else in a row that does not meet it.
SELECT * FROM booked('{"guest": null}');
SELECT code, message, detail
FROM refusal($$SELECT catalogue.update('bookings', 'before', '{"room": "2"}', actor => admin())$$);

-- A join table: the relation.
SELECT code, message, detail
FROM refusal(format('SELECT catalogue.create(''bookings'', %L, actor => admin())', json_build_object('guest', 'B',
    'tags', json_build_array(id_of('tags', 'water'), id_of('tags', 'health'), id_of('tags', 'budget')))::text));

-- Nothing is left of what was refused; a deleted booking may overlap, and is not restored then.
SELECT id FROM catalogue.bookings WHERE room = '1' \gset
SELECT catalogue.delete('bookings', :'id', admin()) IS NOT NULL AS deleted;
SELECT * FROM booked('{"room": "1", "beginning": "2020-01-09", "ending": "2020-01-11"}');
SELECT code, message, detail
FROM refusal(format('SELECT catalogue.restore(''bookings'', %L, actor => admin())', :'id'));
SELECT room, price FROM catalogue.bookings ORDER BY created_at, id;

-- An action and a deletion that a constraint refuses.
ALTER TABLE catalogue.bookings ADD CONSTRAINT kept_rooms CHECK (deleted_at IS NULL OR room <> '3');
SELECT * FROM booked('{"room": "3"}');
SELECT id FROM catalogue.bookings WHERE room = '3' \gset
SELECT code, message, detail FROM refusal(format('SELECT catalogue.delete(''bookings'', %L, admin())', :'id'));

-- One of the other table of a change is told as PostgreSQL tells it.
CREATE TABLE noted (room varchar(20) CHECK (room <> '4'));
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO test.noted VALUES (NEW.room); RETURN NULL; END $$;
CREATE TRIGGER note AFTER INSERT ON catalogue.bookings FOR EACH ROW EXECUTE FUNCTION note();
SELECT code, message FROM booked('{"room": "4"}');
