-- Archives are made again when their sources change.  A file without bytes, and a dataset without an archive, cost
-- nothing.
CREATE OR REPLACE TRIGGER follow_archive AFTER INSERT OR UPDATE OR DELETE ON catalogue.stored_file
    FOR EACH ROW EXECUTE FUNCTION catalogue.follow_archive();
CREATE OR REPLACE TRIGGER follow_archive AFTER UPDATE ON catalogue.files
    -- compared one by one: a comparison of rows is dumped as nested conditions, which are restored differently
    FOR EACH ROW WHEN (NEW.size IS NOT NULL AND
        (OLD.name IS DISTINCT FROM NEW.name
         OR OLD.file_name IS DISTINCT FROM NEW.file_name
         OR OLD.description IS DISTINCT FROM NEW.description
         OR OLD.url IS DISTINCT FROM NEW.url
         OR OLD.revision IS DISTINCT FROM NEW.revision
         OR OLD.dataset IS DISTINCT FROM NEW.dataset
         OR OLD.visible IS DISTINCT FROM NEW.visible
         OR OLD.status IS DISTINCT FROM NEW.status
         OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at))
    EXECUTE FUNCTION catalogue.follow_archive();
CREATE OR REPLACE TRIGGER follow_archive AFTER UPDATE ON catalogue.datasets
    FOR EACH ROW EXECUTE FUNCTION catalogue.follow_archive();
