-- What CREATE OR REPLACE cannot do on the way from 1.0 to 1.1; the rest is made by .ci/update-script.
DROP FUNCTION catalogue.shown_flags(text);
DROP FUNCTION catalogue.events_start(text, text, jsonb);
DROP FUNCTION catalogue.seed(text, text);
