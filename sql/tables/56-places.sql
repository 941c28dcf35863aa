-- Where datasets are.  No resource: it is made of what datasets, files and sheets have.  A second key would make it a
-- relation, and the row of a file is gone when the file is deleted.
DO
$places$
BEGIN
    IF to_regclass('catalogue.dataset_place') IS NULL THEN
        CREATE TABLE catalogue.dataset_place (
            id       bigint        GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            dataset  catalogue.id  NOT NULL REFERENCES catalogue.datasets ON DELETE CASCADE
            DEFERRABLE INITIALLY DEFERRED,
            file     catalogue.id,
            box      box           NOT NULL
        );
        INSERT INTO catalogue.dataset_place (dataset, file, box) SELECT * FROM catalogue.places_of(NULL, NULL);
    END IF;
END
$places$;
COMMENT ON TABLE catalogue.dataset_place IS 'Where a dataset is: boxes of its files and of spatial of its optionals';
COMMENT ON COLUMN catalogue.dataset_place.dataset IS 'The dataset';
COMMENT ON COLUMN catalogue.dataset_place.file IS 'The file with the place; null: spatial has it';
COMMENT ON COLUMN catalogue.dataset_place.box IS 'Longitudes and latitudes; it does not cross the antimeridian';
CREATE INDEX IF NOT EXISTS dataset_place_box ON catalogue.dataset_place USING gist (box);
CREATE INDEX IF NOT EXISTS dataset_place_dataset ON catalogue.dataset_place (dataset);
CREATE INDEX IF NOT EXISTS dataset_place_file ON catalogue.dataset_place (file);
CREATE OR REPLACE TRIGGER follow_places_inserted AFTER INSERT ON catalogue.datasets
    FOR EACH ROW WHEN (NEW.optionals -> 'spatial' IS NOT NULL) EXECUTE FUNCTION catalogue.follow_places();
-- OF optionals: where it is not set, PostgreSQL does not even read the condition
CREATE OR REPLACE TRIGGER follow_places AFTER UPDATE OF optionals ON catalogue.datasets
    FOR EACH ROW WHEN ((OLD.optionals -> 'spatial')::text IS DISTINCT FROM (NEW.optionals -> 'spatial')::text)
    EXECUTE FUNCTION catalogue.follow_places();
CREATE OR REPLACE TRIGGER follow_places AFTER UPDATE ON catalogue.files
    -- compared one by one, as in follow_archive
    FOR EACH ROW WHEN ((OLD.revision IS NOT NULL OR NEW.revision IS NOT NULL) AND
        (OLD.revision IS DISTINCT FROM NEW.revision
         OR OLD.dataset IS DISTINCT FROM NEW.dataset
         OR OLD.visible IS DISTINCT FROM NEW.visible
         OR OLD.status IS DISTINCT FROM NEW.status
         OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at))
    EXECUTE FUNCTION catalogue.follow_places();
