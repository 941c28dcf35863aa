-- Archives follow what they are made of.  A file without bytes and a dataset without an archive cost nothing.
CREATE OR REPLACE TRIGGER follow_archive AFTER INSERT OR UPDATE OR DELETE ON catalogue.stored_file
    FOR EACH ROW EXECUTE FUNCTION catalogue.follow_archive();
CREATE OR REPLACE TRIGGER follow_archive AFTER UPDATE ON catalogue.files
    FOR EACH ROW WHEN (NEW.size IS NOT NULL AND
        (OLD.name, OLD.file_name, OLD.description, OLD.url, OLD.revision, OLD.dataset, OLD.status, OLD.deleted_at) IS DISTINCT FROM
        (NEW.name, NEW.file_name, NEW.description, NEW.url, NEW.revision, NEW.dataset, NEW.status, NEW.deleted_at))
    EXECUTE FUNCTION catalogue.follow_archive();
CREATE OR REPLACE TRIGGER follow_archive AFTER UPDATE ON catalogue.datasets
    FOR EACH ROW EXECUTE FUNCTION catalogue.follow_archive();
