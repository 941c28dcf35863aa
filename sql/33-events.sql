-- Change events: the action log as a caller may follow it, in the order of commits.
CREATE FUNCTION catalogue.events_start() RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_events_start';
COMMENT ON FUNCTION catalogue.events_start() IS
'Return the place behind all change events of now
Returns: a JSON object: place, where catalogue.events() goes on with what happens from now on.
Source: Webhooks; extension/services/events.c';

CREATE FUNCTION catalogue.events("after" text, actor jsonb DEFAULT NULL) RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_events';
COMMENT ON FUNCTION catalogue.events(text, jsonb) IS
'List change events in the order of commits
Arguments: after, a place that catalogue.events_start() or this function has returned.  actor, who is told: an event
is told only to those who see the record, or saw it until then.
Returns: a JSON object: events, of at most 128 log records, each with its place, whose part behind "-" is the id of the
log record, event (create, update or delete, as it is for this actor), resource, id of the record, and time of the
commit; place, where the next page begins; more, whether there may be more at once.  A commit is told only when all with
a lower number are visible.
Errors: OD422 after is no place.  OD401.
Source: Webhooks; extension/services/events.c';

CREATE FUNCTION catalogue.events_newest() RETURNS catalogue.reply
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'catalogue_events_newest';
COMMENT ON FUNCTION catalogue.events_newest() IS
'Return the number of the newest commit in the action log
Returns: a number as JSON, 0 if there is none.  Places of catalogue.events() begin with such a number.
Source: Webhooks; extension/services/events.c';
