-- Contents of files that were parsed.
CREATE SEQUENCE IF NOT EXISTS catalogue.contents_revision;
COMMENT ON SEQUENCE catalogue.contents_revision IS
    'Numbers of the readings of files: column revision of catalogue.files and catalogue.sheet';

CREATE TABLE IF NOT EXISTS catalogue.sheet (
    id           bigint        GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file         catalogue.id  NOT NULL REFERENCES catalogue.files ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    revision     bigint        NOT NULL,
    number       integer       NOT NULL,
    name         text          NOT NULL,
    hidden       boolean       NOT NULL DEFAULT false,
    row_count    bigint        NOT NULL DEFAULT 0,
    bad_rows     bigint        NOT NULL DEFAULT 0,
    columns      json          NOT NULL DEFAULT '[]',
    details      json          NOT NULL DEFAULT '{}',
    replaced_at  timestamptz,
    CONSTRAINT sheet_number UNIQUE (file, revision, number)
);
SELECT catalogue.add_columns('catalogue.sheet', 'reader integer NOT NULL DEFAULT 0',
    'tried integer NOT NULL DEFAULT 0');
CREATE INDEX IF NOT EXISTS sheet_reader ON catalogue.sheet (reader, tried) WHERE replaced_at IS NULL;
CREATE INDEX IF NOT EXISTS sheet_replaced ON catalogue.sheet (replaced_at) WHERE replaced_at IS NOT NULL;
COMMENT ON TABLE catalogue.sheet IS 'A table in a file, as one reading of it found it';
COMMENT ON COLUMN catalogue.sheet.file IS 'The file';
COMMENT ON COLUMN catalogue.sheet.revision IS 'Number of the parse; the file names the one that is shown';
COMMENT ON COLUMN catalogue.sheet.number IS 'Position in the file, from 1; 1 for a file that is one table';
COMMENT ON COLUMN catalogue.sheet.name IS 'Name of the sheet; empty for a file that is one table';
COMMENT ON COLUMN catalogue.sheet.hidden IS 'The workbook hides it';
COMMENT ON COLUMN catalogue.sheet.row_count IS 'Rows that are stored';
COMMENT ON COLUMN catalogue.sheet.bad_rows IS 'Rows that could not be stored';
COMMENT ON COLUMN catalogue.sheet.columns IS
    'Array of {name, title, type, nulls, distinct, min, max}: the columns in order, and what is in them';
COMMENT ON COLUMN catalogue.sheet.details IS
    'Object of what was found out about the form: encoding, delimiter and so on';
COMMENT ON COLUMN catalogue.sheet.replaced_at IS 'When a later parse replaced it';
COMMENT ON COLUMN catalogue.sheet.reader IS
    'Version of the readers that read it (extension/rows/sheets/reader_version.h)';
COMMENT ON COLUMN catalogue.sheet.tried IS
    'Version of the readers that read the file anew last, or could not; 0: none';

CREATE TABLE IF NOT EXISTS catalogue.sheet_chunk (
    sheet  bigint   NOT NULL REFERENCES catalogue.sheet ON DELETE CASCADE,
    first  bigint   NOT NULL,
    count  integer  NOT NULL,
    data   bytea    NOT NULL,
    bounds bytea,
    PRIMARY KEY (sheet, first)
);
SELECT catalogue.add_columns('catalogue.sheet_chunk', 'bounds bytea');
-- of what is to be stored anew
CREATE INDEX IF NOT EXISTS sheet_chunk_packed ON catalogue.sheet_chunk (sheet) WHERE bounds IS NULL;
COMMENT ON TABLE catalogue.sheet_chunk IS
    'Rows of a sheet, up to 4,000 together, by columns (extension/rows/sheets/chunk.h)';
COMMENT ON COLUMN catalogue.sheet_chunk.sheet IS 'The sheet';
COMMENT ON COLUMN catalogue.sheet_chunk.first IS 'Number of the first row, from 1';
COMMENT ON COLUMN catalogue.sheet_chunk.count IS 'How many rows';
COMMENT ON COLUMN catalogue.sheet_chunk.data IS 'The rows';
COMMENT ON COLUMN catalogue.sheet_chunk.bounds IS
    'Of each column what values there are (extension/rows/sheets/segment.h); null: not known';
SELECT catalogue.store_column('catalogue.sheet_chunk', 'data', 'STORAGE EXTERNAL');

CREATE TABLE IF NOT EXISTS catalogue.sheet_issue (
    sheet   bigint   NOT NULL REFERENCES catalogue.sheet ON DELETE CASCADE,
    number  integer  NOT NULL,
    line    bigint   NOT NULL,
    reason  text     NOT NULL,
    PRIMARY KEY (sheet, number)
);
COMMENT ON TABLE catalogue.sheet_issue IS 'What was wrong with rows of a sheet: the first thousand faults';
COMMENT ON COLUMN catalogue.sheet_issue.sheet IS 'The sheet';
COMMENT ON COLUMN catalogue.sheet_issue.number IS 'Position in the list, from 1';
COMMENT ON COLUMN catalogue.sheet_issue.line IS 'Line of the file, or row of the workbook, from 1';
COMMENT ON COLUMN catalogue.sheet_issue.reason IS 'The fault, and how the row was treated';

CREATE TABLE IF NOT EXISTS catalogue.sheet_point (
    sheet   bigint    NOT NULL REFERENCES catalogue.sheet ON DELETE CASCADE,
    zoom    smallint  NOT NULL,
    number  integer   NOT NULL,
    west    float8    NOT NULL,
    south   float8    NOT NULL,
    east    float8    NOT NULL,
    north   float8    NOT NULL,
    first   bigint    NOT NULL,
    count   integer   NOT NULL,
    data    bytea     NOT NULL,
    PRIMARY KEY (sheet, zoom, number)
);
COMMENT ON TABLE catalogue.sheet_point IS
    'Points of a sheet of at least 20,000 rows in an order of place (extension/rows/contents/points.h)';
COMMENT ON COLUMN catalogue.sheet_point.sheet IS 'The sheet';
COMMENT ON COLUMN catalogue.sheet_point.zoom IS
    'Zoom of the tiles in whose cells points are added up; -1: the points themselves';
COMMENT ON COLUMN catalogue.sheet_point.number IS 'Position in the order';
COMMENT ON COLUMN catalogue.sheet_point.west IS 'Least longitude; of cells, the least number from the west';
COMMENT ON COLUMN catalogue.sheet_point.south IS 'Least latitude; of cells, the least number from the north';
COMMENT ON COLUMN catalogue.sheet_point.east IS 'Greatest longitude; of cells, the greatest number from the west';
COMMENT ON COLUMN catalogue.sheet_point.north IS 'Greatest latitude; of cells, the greatest number from the north';
COMMENT ON COLUMN catalogue.sheet_point.first IS 'Of points, the number of the first row; of cells 0';
COMMENT ON COLUMN catalogue.sheet_point.count IS 'How many points or cells';
COMMENT ON COLUMN catalogue.sheet_point.data IS 'They, by columns of numbers (extension/rows/sheets/chunk.h)';
SELECT catalogue.store_column('catalogue.sheet_point', 'data', 'STORAGE EXTERNAL');
CREATE OR REPLACE TRIGGER store_points AFTER UPDATE OF details ON catalogue.sheet FOR EACH ROW
    WHEN (NEW.row_count >= 20000 AND NEW.details #> '{geography,latitude}' IS NOT NULL
        AND NEW.details #> '{geography,geometry}' IS NULL)
    EXECUTE FUNCTION catalogue.store_points_of_sheet();
