-- Questions and reports of faults of visitors, about one dataset each.
DO $$
BEGIN
    -- a catalogue that has rules already gets those of this table once
    IF to_regclass('catalogue.questions') IS NULL AND EXISTS (SELECT FROM catalogue.rules) THEN
        INSERT INTO catalogue.rules (role, resource, action)
        SELECT r.role::catalogue.role, 'questions', r.action
        FROM (VALUES (NULL, 'create'), ('admin', 'read')) r(role, action)
        WHERE NOT EXISTS (SELECT FROM catalogue.rules o
                          WHERE (o.resource, o.action) = ('questions', r.action) AND o.deleted_at IS NULL);
        SET CONSTRAINTS ALL IMMEDIATE;
        SET CONSTRAINTS ALL DEFERRED;
    END IF;
END
$$;
CREATE TABLE IF NOT EXISTS catalogue.questions (
    id            catalogue.id             PRIMARY KEY,
    dataset       catalogue.id             NOT NULL CONSTRAINT questions REFERENCES catalogue.datasets
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    kind          catalogue.question_kind  NOT NULL DEFAULT 'question',
    text          varchar(2000)            NOT NULL,
    name          varchar(100),
    email         catalogue.email,
    reply         varchar(5000),
    reply_public  boolean                  NOT NULL DEFAULT false,
    created_at    timestamptz              NOT NULL DEFAULT now(),
    updated_at    timestamptz              NOT NULL DEFAULT now(),
    deleted_at    timestamptz
);
COMMENT ON TABLE catalogue.questions IS 'Question about a dataset, or report of a fault in it, of a visitor';
COMMENT ON COLUMN catalogue.questions.dataset IS 'Dataset that it is about';
COMMENT ON COLUMN catalogue.questions.kind IS 'Whether it asks or reports';
COMMENT ON COLUMN catalogue.questions.text IS 'What is asked or reported, in plain text';
COMMENT ON COLUMN catalogue.questions.name IS 'Name of who asks; never public';
COMMENT ON COLUMN catalogue.questions.email IS 'Address to answer to; never public';
COMMENT ON COLUMN catalogue.questions.reply IS 'Reply, in plain text; null: it is open';
COMMENT ON COLUMN catalogue.questions.reply_public IS 'Whether visitors see text and reply';
SELECT catalogue.expose('questions', 'Question', fixed => '{dataset,kind,name,email}', newest_first => true,
    shown => '{"outsiders": false}', closed => '{*,text,name,email,reply}');
CREATE TABLE IF NOT EXISTS catalogue.question_mail (
    question  catalogue.id PRIMARY KEY REFERENCES catalogue.questions ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
COMMENT ON TABLE catalogue.question_mail IS 'Questions that a message by e-mail is queued of';
COMMENT ON COLUMN catalogue.question_mail.question IS 'The question';
CREATE INDEX IF NOT EXISTS questions_dataset_created_at ON catalogue.questions (dataset, created_at);
CREATE INDEX IF NOT EXISTS questions_created_at ON catalogue.questions (created_at);
CREATE OR REPLACE TRIGGER limited BEFORE INSERT ON catalogue.questions
    FOR EACH ROW EXECUTE FUNCTION catalogue.limit_questions();
