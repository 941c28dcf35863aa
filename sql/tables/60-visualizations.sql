CREATE TABLE IF NOT EXISTS catalogue.basemaps (
    id               catalogue.id PRIMARY KEY,
    name             varchar(100) NOT NULL,
    attribution      catalogue.one_line,
    tms              boolean,
    max_zoom         integer,
    min_zoom         integer,
    optionals        json,
    url              varchar(500),
    published_at     timestamptz,
    un_published_at  timestamptz,
    rejected_at      timestamptz,
    cancelled_at     timestamptz,
    reviewed_at      timestamptz,
    created_at       timestamptz  NOT NULL DEFAULT now(),
    updated_at       timestamptz  NOT NULL DEFAULT now(),
    deleted_at       timestamptz,
    deactivated_at   timestamptz
);
COMMENT ON TABLE catalogue.basemaps IS 'Background of a map';
COMMENT ON COLUMN catalogue.basemaps.name IS 'Name';
COMMENT ON COLUMN catalogue.basemaps.attribution IS 'Credit of the source';
COMMENT ON COLUMN catalogue.basemaps.tms IS 'Whether rows count from the south';
COMMENT ON COLUMN catalogue.basemaps.max_zoom IS 'Largest zoom level';
COMMENT ON COLUMN catalogue.basemaps.min_zoom IS 'Smallest zoom level';
COMMENT ON COLUMN catalogue.basemaps.optionals IS 'Further values of the publisher''s own';
COMMENT ON COLUMN catalogue.basemaps.url IS 'Address template of the tiles';
COMMENT ON COLUMN catalogue.basemaps.published_at IS 'When it was published';
COMMENT ON COLUMN catalogue.basemaps.un_published_at IS 'When it was unpublished';
COMMENT ON COLUMN catalogue.basemaps.rejected_at IS 'When it was rejected';
COMMENT ON COLUMN catalogue.basemaps.cancelled_at IS 'When its review was cancelled';
COMMENT ON COLUMN catalogue.basemaps.reviewed_at IS 'When its review began';
COMMENT ON COLUMN catalogue.basemaps.deactivated_at IS
    'When it was hidden from outsiders; shown to internal users as deletedAt';
-- created read-only; not changed where an administrator has made it writable
SELECT catalogue.expose('basemaps', 'Basemap', searchable => '{name}', unique_living => '{name}',
    actions => '{deactivate}',
    read_only => coalesce((SELECT r.read_only FROM catalogue.resource r WHERE r.resource = 'basemaps'), true));

CREATE TABLE IF NOT EXISTS catalogue.charts (
    id               catalogue.id         PRIMARY KEY,
    file_shown       catalogue.shown      NOT NULL DEFAULT true,
    name             varchar(150)         NOT NULL,
    description      varchar(350),
    type             catalogue.chart_type,
    notes            varchar(500),
    data             json,
    data_type        catalogue.data_type,
    data_series      catalogue.json_array,
    url              catalogue.web_address,
    link             catalogue.web_address,
    embed_code       varchar(500),
    published_at     timestamptz,
    un_published_at  timestamptz,
    rejected_at      timestamptz,
    cancelled_at     timestamptz,
    reviewed_at      timestamptz,
    status           catalogue.id         NOT NULL CONSTRAINT charts_by_status REFERENCES catalogue.statuses
    DEFERRABLE INITIALLY DEFERRED,
    file             catalogue.id         CONSTRAINT charts_by_file REFERENCES catalogue.files ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    created_by       catalogue.id         NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at       timestamptz          NOT NULL DEFAULT now(),
    updated_at       timestamptz          NOT NULL DEFAULT now(),
    deleted_at       timestamptz
);
COMMENT ON TABLE catalogue.charts IS 'Chart of the data of a file';
COMMENT ON COLUMN catalogue.charts.name IS 'Name';
COMMENT ON COLUMN catalogue.charts.description IS 'Description, in Markdown';
COMMENT ON COLUMN catalogue.charts.type IS 'Form of the chart';
COMMENT ON COLUMN catalogue.charts.notes IS 'Notes';
COMMENT ON COLUMN catalogue.charts.data IS
    'Labels and values; made from the file where dataSeries names its columns';
COMMENT ON COLUMN catalogue.charts.data_type IS 'qualitative counts the rows of a label, quantitative sums its values';
COMMENT ON COLUMN catalogue.charts.data_series IS
    'Columns of the file: label, value; of stackedbar and heatmap label, series, value';
COMMENT ON COLUMN catalogue.charts.url IS 'Address of the chart, http: or https:';
COMMENT ON COLUMN catalogue.charts.link IS 'Address of an embedded chart, http: or https:';
COMMENT ON COLUMN catalogue.charts.embed_code IS 'HTML of an embedded chart';
COMMENT ON COLUMN catalogue.charts.published_at IS 'When it was published';
COMMENT ON COLUMN catalogue.charts.un_published_at IS 'When it was unpublished';
COMMENT ON COLUMN catalogue.charts.rejected_at IS 'When it was rejected';
COMMENT ON COLUMN catalogue.charts.cancelled_at IS 'When its review was cancelled';
COMMENT ON COLUMN catalogue.charts.reviewed_at IS 'When its review began';
COMMENT ON COLUMN catalogue.charts.status IS 'State of the record';
COMMENT ON COLUMN catalogue.charts.file IS 'File that the chart shows; required unless a link is given';
COMMENT ON COLUMN catalogue.charts.created_by IS 'User who created the record';
SELECT catalogue.expose('charts', 'Chart', searchable => '{name,description}', unique_living => '{name}',
    fixed => '{url}',
    actions => '{publish,unpublish,reject,cancel,review}', unless => '{"file": "link"}', limits => '{"data": 5000}',
    shown => '{"outsiders": {"status": "published", "file": {"shown": true}}}',
    reserved => '{published_at,un_published_at,rejected_at,cancelled_at,reviewed_at}');

CREATE TABLE IF NOT EXISTS catalogue.maps (
    id               catalogue.id         PRIMARY KEY,
    file_shown       catalogue.shown      NOT NULL DEFAULT true,
    name             varchar(150)         NOT NULL,
    slug             varchar(150),
    description      varchar(350),
    notes            varchar(500),
    url              catalogue.web_address,
    link             catalogue.web_address,
    embed_code       varchar(500),
    properties       catalogue.json_array,
    latitude_key     varchar(100),
    longitude_key    varchar(100),
    geojson          json,
    correct          integer,
    incorrect        integer,
    kml              boolean,
    published_at     timestamptz,
    un_published_at  timestamptz,
    rejected_at      timestamptz,
    cancelled_at     timestamptz,
    reviewed_at      timestamptz,
    basemap          catalogue.id         CONSTRAINT maps_by_basemap REFERENCES catalogue.basemaps
    DEFERRABLE INITIALLY DEFERRED,
    status           catalogue.id         NOT NULL CONSTRAINT maps_by_status REFERENCES catalogue.statuses
    DEFERRABLE INITIALLY DEFERRED,
    file             catalogue.id         CONSTRAINT maps_by_file REFERENCES catalogue.files ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    created_by       catalogue.id         NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at       timestamptz          NOT NULL DEFAULT now(),
    updated_at       timestamptz          NOT NULL DEFAULT now(),
    deleted_at       timestamptz
);
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_attribute a
               WHERE a.attrelid = 'catalogue.maps'::regclass AND a.attname = 'basemap' AND a.attnotnull) THEN
        ALTER TABLE catalogue.maps ALTER basemap DROP NOT NULL;
    END IF;
END
$$;
-- Columns of later versions.
SELECT catalogue.add_columns('catalogue.maps', 'correct integer', 'incorrect integer', 'extent json',
    'color_key varchar(100)', 'legend json', 'key varchar(100)',
    'shapes catalogue.id REFERENCES catalogue.files DEFERRABLE INITIALLY DEFERRED', 'shapes_key varchar(100)');
-- In earlier versions kml was the text of the KML.
DO
$kml$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_attribute
               WHERE attrelid = 'catalogue.maps'::regclass AND attname = 'kml' AND atttypid = 'text'::regtype) THEN
        ALTER TABLE catalogue.maps ALTER COLUMN kml TYPE boolean USING kml <> '';
    END IF;
END
$kml$;
COMMENT ON TABLE catalogue.maps IS 'Map of the data of a file';
COMMENT ON COLUMN catalogue.maps.name IS 'Name';
COMMENT ON COLUMN catalogue.maps.slug IS 'Name as part of a URL';
COMMENT ON COLUMN catalogue.maps.description IS 'Description, in Markdown';
COMMENT ON COLUMN catalogue.maps.notes IS 'Notes';
COMMENT ON COLUMN catalogue.maps.url IS 'Address of the map, http: or https:';
COMMENT ON COLUMN catalogue.maps.link IS 'Address of an embedded map, http: or https:';
COMMENT ON COLUMN catalogue.maps.embed_code IS 'HTML of an embedded map';
COMMENT ON COLUMN catalogue.maps.properties IS 'Columns of the file shown with a point';
COMMENT ON COLUMN catalogue.maps.latitude_key IS 'Column of the latitude, degrees';
COMMENT ON COLUMN catalogue.maps.longitude_key IS 'Column of the longitude, degrees';
COMMENT ON COLUMN catalogue.maps.color_key IS 'Column of the values that colour the map';
COMMENT ON COLUMN catalogue.maps.key IS 'Column of the keys of outlines of another file';
COMMENT ON COLUMN catalogue.maps.shapes IS 'File with the outlines of the keys';
COMMENT ON COLUMN catalogue.maps.shapes_key IS 'Column of that file with the keys';
COMMENT ON COLUMN catalogue.maps.geojson IS
    'Points, lines and areas as GeoJSON; made from the file where latitudeKey and longitudeKey name its columns';
COMMENT ON COLUMN catalogue.maps.correct IS 'Rows of the file that are points of the map';
COMMENT ON COLUMN catalogue.maps.incorrect IS 'Rows of the file without valid coordinates';
COMMENT ON COLUMN catalogue.maps.extent IS
    'Least longitude and latitude and the greatest, degrees, of the rows that it shows';
COMMENT ON COLUMN catalogue.maps.legend IS 'Classes of the values of colorKey, and how many rows each has';
COMMENT ON COLUMN catalogue.maps.kml IS 'Whether the link leads to KML';
COMMENT ON COLUMN catalogue.maps.published_at IS 'When it was published';
COMMENT ON COLUMN catalogue.maps.un_published_at IS 'When it was unpublished';
COMMENT ON COLUMN catalogue.maps.rejected_at IS 'When it was rejected';
COMMENT ON COLUMN catalogue.maps.cancelled_at IS 'When its review was cancelled';
COMMENT ON COLUMN catalogue.maps.reviewed_at IS 'When its review began';
COMMENT ON COLUMN catalogue.maps.basemap IS 'Background; required unless a link is given';
COMMENT ON COLUMN catalogue.maps.status IS 'State of the record';
COMMENT ON COLUMN catalogue.maps.file IS 'File that the map shows; required unless a link is given';
COMMENT ON COLUMN catalogue.maps.created_by IS 'User who created the record';
SELECT catalogue.expose('maps', 'Map', searchable => '{name,description}', unique_living => '{name}', fixed => '{url}',
    actions => '{publish,unpublish,reject,cancel,review}', unless => '{"file": "link", "basemap": "link"}',
    limits => '{"geojson": 5000}',
    shown => '{"outsiders": {"status": "published", "file": {"shown": true}, "shapes": {"shown": true}}}',
    reserved => '{published_at,un_published_at,rejected_at,cancelled_at,reviewed_at}',
    kept => '{correct,incorrect,extent,legend}');

-- In earlier versions points and tiles of maps were stored apart.
DROP TABLE IF EXISTS catalogue.map_chunk, catalogue.map_tile;

CREATE TABLE IF NOT EXISTS catalogue.views (
    id           catalogue.id PRIMARY KEY,
    name         varchar(150) NOT NULL,
    description  varchar(350),
    notes        varchar(500),
    created_by   catalogue.id NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
    created_at   timestamptz  NOT NULL DEFAULT now(),
    updated_at   timestamptz  NOT NULL DEFAULT now(),
    deleted_at   timestamptz
);
COMMENT ON TABLE catalogue.views IS 'Saved selection of the portal';
COMMENT ON COLUMN catalogue.views.name IS 'Name';
COMMENT ON COLUMN catalogue.views.description IS 'Description';
COMMENT ON COLUMN catalogue.views.notes IS 'Notes';
COMMENT ON COLUMN catalogue.views.created_by IS 'User who created the record';
SELECT catalogue.expose('views', 'View', searchable => '{name,description}');

CREATE TABLE IF NOT EXISTS catalogue.views_tags (
    view         catalogue.id NOT NULL CONSTRAINT tags REFERENCES catalogue.views ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    tag          catalogue.id NOT NULL CONSTRAINT views REFERENCES catalogue.tags ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
    position     integer      NOT NULL DEFAULT 1,
    deleted_at   timestamptz
);
COMMENT ON TABLE catalogue.views_tags IS 'Tags of views';
SELECT catalogue.expose_links('catalogue.views_tags');
