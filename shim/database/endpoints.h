/*
 * endpoints.h - the one table of what this program offers and calls: paths, and functions of the extension.
 *
 * PATH(verb, path, action, envelope, call): a path; CALL(call, function, kind, trait, summary, arguments...): its call;
 * ENDPOINT(verb, path, action, envelope, call, function, kind, trait, summary, arguments...): both.
 * Who includes the table defines PATH and CALL.  The first path that matches is that of the request, whatever the
 * verb: a reserved word precedes :id, and PATCH /tags/count is a wrong verb.  A word that begins with ':' stands for
 * any; action: in the actions of describe(), NULL where it does not depend on the resource; envelope: ENVELOPE_x of
 * route.h; function: its name in the schema, and that of the prepared statement; kind, trait, arguments: KIND_x, TRAIT_x
 * and ARGUMENT_x of calls.h, as the function has them; summary: of OpenAPI, NULL where no path leads to it.
 */
#include "../../extension/base/actions.h"
/* clang-format off */
#define ENDPOINT(verb, path, action, envelope, call, ...) \
	PATH(verb, path, action, envelope, call) CALL(call, __VA_ARGS__)

CALL(NONE, NULL, SLOW, NONE, NULL, NONE)
ENDPOINT(GET, "/", NULL, ENTRY, ENTRY, "entry", KEYED, NONE, "List the resources", BASE, ACTOR)
ENDPOINT(GET, "/health", NULL, PLAIN, HEALTH, "health", KEYED, OPEN, "Ask whether the service works", NONE)
ENDPOINT(GET, "/roles", NULL, PLAIN, ROLES, "roles", KEYED, NONE, "List the roles", ACTOR)
ENDPOINT(GET, "/search", NULL, SEARCH, SEARCH, "search", SLOW, NONE, "Search all resources", QUERY, RELATIONS, ACTOR, KNOWN)
ENDPOINT(GET, "/metrics", NULL, METRICS, METRICS, "metrics", PRIMARY, OPEN, "Read the metrics", ACTOR, MONITOR, KNOWN)
ENDPOINT(GET, "/openapi.json", NULL, OPENAPI, OPENAPI, "openapi", SLOW, NONE, "Read this document", DETAILS, BASE, ACTOR, KNOWN)
ENDPOINT(GET, "/docs", NULL, DOCS, DOCS, NULL, SLOW, OPEN, "Read this document as a page", NONE)
ENDPOINT(GET, "/rss", NULL, FEED, FEED, "feed", SLOW, NONE, "Read the feed of datasets", QUERY, BASE, ACTOR)
ENDPOINT(GET, "/oembed", NULL, DOCUMENT, OEMBED, "oembed", SLOW, NONE, "Read what shows a chart, a map or a file elsewhere", QUERY, BASE, ACTOR)
ENDPOINT(GET, "/catalog", NULL, DOCUMENT, CATALOG, "catalog", SLOW, NONE, "Read the catalogue as DCAT", QUERY, FORMAT, BASE, ACTOR, KNOWN)
ENDPOINT(GET, "/data.json", NULL, DOCUMENT, DATA_JSON, "data_json", STREAM, NONE, "Read the catalogue as DCAT-US", QUERY, BASE, ACTOR, KNOWN)
ENDPOINT(GET, "/sitemap.xml", NULL, DOCUMENT, SITEMAP, "sitemap", SLOW, NONE, "Read the addresses of the datasets", QUERY, BASE, ACTOR, KNOWN)
#include "endpoints_ogc.h"
#include "endpoints_consumers.h"
ENDPOINT(GET, "/robots.txt", NULL, DOCUMENT, ROBOTS, "robots", KEYED, NONE, "Read what crawlers may read", BASE)
ENDPOINT(POST, "/batch", NULL, PLAIN, BATCH, "batch", WRITE, ONCE, "Make many changes in one transaction", BODY, RETURN, RELATIONS, ACTOR, ADDRESS, STRICT)
ENDPOINT(GET, "/setup", NULL, PLAIN, SETUP, "setup", PRIMARY, NONE, "Read what a public portal still lacks", BASE, ACTOR)
ENDPOINT(GET, "/imports", NULL, PLAIN, IMPORTS, "imports", SLOW, NONE, "List the imports of addresses", ACTOR)
ENDPOINT(POST, "/imports", NULL, IMPORT, IMPORT, "import", WRITE, ONCE, "Import the entries of another catalogue", BODY, ACTOR, STRICT)
ENDPOINT(POST, "/query", NULL, PLAIN, QUERY, "query", SLOW, NONE, "Execute a SELECT over files and resources", BODY, FORMAT, ACTOR, STRICT)

ENDPOINT(GET, "/:resource", "list", LIST, LIST, "list", PAGE, NONE, "List records", RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN)
ENDPOINT(POST, "/:resource", "create", CREATED, CREATE, "create", WRITE, ONCE, "Create a record", RESOURCE, BODY, RETURN, RELATIONS, ACTOR, ADDRESS)

ENDPOINT(POST, "/users/login", NULL, LOGIN, LOGIN, "login", WRITE, OPEN, "Log in", BODY, ADDRESS, STRICT)
ENDPOINT(POST, "/users/logout", NULL, PLAIN, LOGOUT, "logout", WRITE, NONE, "Log out of all sessions", ACTOR)
ENDPOINT(GET, "/health/ready", NULL, PLAIN, READY, "ready", PRIMARY, OPEN, "Ask whether the service can do all that it is for", VERSION)
ENDPOINT(GET, "/health/read", NULL, PLAIN, HEALTH_READ, "health_read", SLOW, OPEN, "Ask how far what is read is behind", QUERY)
/* the ids, and the states known of each, are arrays (call.c) */
ENDPOINT(GET, "/users/me", NULL, ITEM, ITEM, "items", KEYED, NONE, "Read a record", RESOURCE, ID, QUERY, RELATIONS, ACTOR, KNOWN)
ENDPOINT(GET, "/metrics/categories", NULL, PLAIN, CATEGORY_DOWNLOADS, "category_downloads", SLOW, NONE, "Count downloads by category", ACTOR)
ENDPOINT(GET, "/statistics/summary", NULL, RELATED, STATISTICS_SUMMARY, "statistics_summary", SLOW, NONE, "Count requests by day, month, resource, method or client", QUERY, ACTOR, FORMAT)
ENDPOINT(GET, "/statistics/downloads", NULL, RELATED, STATISTICS_DOWNLOADS, "statistics_downloads", SLOW, NONE, "Count downloads by day, month, dataset or file", QUERY, ACTOR, FORMAT)
ENDPOINT(GET, "/imports/:id", NULL, PLAIN, IMPORT_REPORT, "import_report", SLOW, NONE, "Read the report of an import of an address", ID, ACTOR)
ENDPOINT(DELETE, "/imports/:id", NULL, DELETED, DELETE_IMPORT, "delete_import", WRITE, NONE, "Delete an import of an address", ID, ACTOR)
ENDPOINT(GET, "/uploads/:id", NULL, UPLOAD, UPLOAD_STATE, "upload_state", PRIMARY, NONE, "Read how much of an upload was received", UPLOAD, ACTOR)
ENDPOINT(PATCH, "/uploads/:id", NULL, WRITTEN, UPLOAD_FINISH, "upload_finish", WRITE, ONCE, "Continue an upload", UPLOAD, TEXTS, DETAILS, RETURN, RELATIONS, ACTOR, MATCH)
ENDPOINT(DELETE, "/uploads/:id", NULL, UPLOAD, UPLOAD_DROP, "upload_drop", WRITE, NONE, "Remove an upload", UPLOAD, ACTOR)
ENDPOINT(POST, "/clients/tokens", NULL, TOKEN, CLIENT_TOKEN, "client_token", PRIMARY, OPEN, "Get a token of an application", BODY, ADDRESS, STRICT)
ENDPOINT(POST, "/email/send", NULL, ACCEPTED, SEND_EMAIL, "send_email", WRITE, ONCE, "Send a message to the operator", BODY, ADDRESS, ACTOR, STRICT)
ENDPOINT(GET, "/page/:file", NULL, STATIC_FILE, STATIC_FILE, NULL, SLOW, OPEN, "Read a file of the page", NONE)

ENDPOINT(POST, "/charts/preview", NULL, PLAIN, PREVIEW_VISUAL, "preview_visual", WRITE, NONE, "Show a chart or a map before it is made", RESOURCE, BODY, QUERY, ACTOR)
PATH(POST, "/maps/preview", NULL, PLAIN, PREVIEW_VISUAL)
ENDPOINT(GET, "/:resource/first", "first", ITEM, FIRST, "first", PAGE, NONE, "Read the first record of a list", RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN)
ENDPOINT(GET, "/:resource/last", "last", ITEM, LAST, "last", PAGE, NONE, "Read the last record of a list", RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN)
PATH(GET, "/:resource/search", "list", LIST, LIST)
ENDPOINT(GET, "/:resource/count", "count", COUNT, COUNT, "count", PAGE, NONE, "Count the records of a list", RESOURCE, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/:resource/statistics", "usage", RELATED, USAGE, "usage", SLOW, NONE, "Count the requests for a resource", RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN, FORMAT)

PATH(GET, "/:resource/:id", "item", ITEM, ITEM)
ENDPOINT(PATCH, "/:resource/:id", "update", WRITTEN, UPDATE, "update", WRITE, NONE, "Update a record", RESOURCE, ID, BODY, RETURN, RELATIONS, ACTOR, MATCH)
PATH(PUT, "/:resource/:id", "update", WRITTEN, UPDATE)
ENDPOINT(DELETE, "/:resource/:id", "delete", DELETED, DELETE, "delete", WRITE, NONE, "Delete a record", RESOURCE, ID, ACTOR, MATCH, RETURN, RELATIONS)
ENDPOINT(GET, "/users/refreshToken/:id", NULL, LOGIN, SESSION, "session", KEYED, NONE, "Get a new token", ACTOR)
PATH(GET, "/datasets/feed/rss", NULL, FEED, FEED)
ENDPOINT(GET, "/datasets/:id/feed", NULL, FEED, DATASET_FEED, "dataset_feed", SLOW, NONE, "Read the feed of a dataset", ID, QUERY, BASE, ACTOR)
ENDPOINT(POST, "/datasets/:id/follow", NULL, ACCEPTED, FOLLOW, "follow", WRITE, NONE, "Follow a dataset by e-mail", ID, QUERY, BODY, BASE, ADDRESS, ACTOR, STRICT)
ENDPOINT(POST, "/datasets/:id/unfollow", NULL, ACCEPTED, UNFOLLOW, "unfollow", WRITE, NONE, "Stop following a dataset by e-mail", ID, QUERY, BODY)
ENDPOINT(GET, "/datasets/:id/download", NULL, BYTES, ARCHIVE, "archive", SLOW, NONE, "Read the files of a dataset as an archive", ID, ACTOR)
ENDPOINT(GET, "/datasets/:id/quality", NULL, PLAIN, QUALITY, "quality", SLOW, NONE, "Read how well a dataset is described", ID, ACTOR)
ENDPOINT(GET, "/datasets/:id/answers", NULL, PLAIN, ANSWERS, "answers", SLOW, NONE, "List the public questions about a dataset with their replies", ID, ACTOR)
ENDPOINT(GET, "/datasets/:id/filetypes", NULL, RELATED, DATASET_FILETYPES, "dataset_filetypes", SLOW, NONE, "List the file types of a dataset", ID, QUERY, RELATIONS, ACTOR, KNOWN)
ENDPOINT(GET, "/datasets/:id/extent", NULL, PLAIN, EXTENT, "extent", SLOW, NONE, "Read the extent of a dataset", ID, ACTOR)
ENDPOINT(GET, "/datasets/:id/image", NULL, DOCUMENT, EXTENT_SVG, "extent_svg", SLOW, NONE, "Draw the extent of a dataset", ID, QUERY, ACTOR)
ENDPOINT(GET, "/files/:id/contents", NULL, ROWS, CONTENTS, "contents_page", PAGE, NONE, "Read the rows of a file", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/files/:id/changes", NULL, ROWS, CHANGES, "contents_changes", SLOW, NONE, "List the changes of the rows of a file between two versions", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/files/:id/columns", NULL, ROWS, COLUMNS, "contents_columns", PAGE, NONE, "List the columns of a file", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/files/:id/schema", NULL, PLAIN, SCHEMA, "contents_schema", PAGE, NONE, "Read the Table Schema of a file", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/files/:id/csvw", NULL, DOCUMENT, CSVW, "csvw", SLOW, NONE, "Read how the CSV of a file is to be read", ID, BASE, ACTOR)
ENDPOINT(GET, "/files/:id/issues", NULL, ROWS, ISSUES, "contents_issues", PAGE, NONE, "List the faulty rows of a file", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/files/:id/sheets", NULL, ROWS, SHEETS, "contents_sheets", PAGE, NONE, "List the sheets of a file", ID, QUERY, ACTOR, KNOWN)
#include "endpoints_visuals.h"
ENDPOINT(GET, "/files/:id/image", NULL, DOCUMENT, CONTENTS_IMAGE, "contents_image", SLOW, NONE, "Draw rows of a file", ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/files/:id/resources", NULL, PLAIN, FILE_RESOURCES, "file_resources", SLOW, NONE, "List the maps and charts of a file", ID, RELATIONS, ACTOR)
ENDPOINT(GET, "/files/:id/view", NULL, BYTES, DOWNLOAD, "download", SLOW, NONE, "Read the bytes of a file", ID, FORM, QUERY, ACTOR)
PATH(GET, "/files/:id/download", NULL, BYTES, DOWNLOAD)
ENDPOINT(GET, "/categories/:id/image", NULL, BYTES, IMAGE, "image", SLOW, NONE, "Read the image of a category", ID, ACTOR)
ENDPOINT(GET, "/organizations/:id/image", NULL, BYTES, LOGO, "logo", SLOW, NONE, "Read the image of an organization", ID, ACTOR)
ENDPOINT(POST, "/files/:id/refresh", NULL, ACCEPTED, REFRESH_FILE, "refresh_file", WRITE, ONCE, "Fetch the rows of a file from its service", ID, ACTOR)
ENDPOINT(POST, "/files/:id/preview", NULL, ACCEPTED, PREVIEW_FILE, "preview_file", WRITE, NONE, "Read the first rows of a file with other options", ID, BODY, ACTOR)
ENDPOINT(POST, "/uploads/:id/preview", NULL, ACCEPTED, PREVIEW_UPLOAD, "preview_upload", WRITE, NONE, "Read an upload before it is complete", UPLOAD, BODY, ACTOR)
ENDPOINT(GET, "/jobs/:id/preview", NULL, PLAIN, PREVIEW, "preview", SLOW, NONE, "Read the result of a preview", ID, ACTOR)
ENDPOINT(POST, "/jobs/:id/cancel", NULL, WRITTEN, CANCEL_JOB, "cancel_job", WRITE, ONCE, "Cancel a job", ID, ACTOR)
ENDPOINT(POST, "/imports/:id/run", NULL, ACCEPTED, RUN_IMPORT, "run_import", WRITE, NONE, "Import from an address again now", ID, ACTOR)
ENDPOINT(GET, "/webhooks/:id/deliveries", NULL, PLAIN, WEBHOOK_DELIVERIES, "webhook_deliveries", SLOW, NONE, "List the last attempts of a webhook", ID, ACTOR)
ENDPOINT(POST, "/webhooks/:id/redeliver", NULL, WRITTEN, WEBHOOK_REDELIVER, "webhook_redeliver", WRITE, NONE, "Send the last message of a webhook again", ID, ACTOR)
ENDPOINT(POST, "/logs/:id/undo", NULL, WRITTEN, UNDO, "undo", WRITE, ONCE, "Undo an action", ID, RETURN, RELATIONS, ACTOR)

ENDPOINT(POST, "/users/:id/transfer", "transfer", WRITTEN, TRANSFER, "transfer", WRITE, NONE, "Transfer the records of a user to another user", RESOURCE, ID, BODY, RETURN, RELATIONS, ACTOR, MATCH)
ENDPOINT(POST, "/users/:id/erase", "erase", WRITTEN, ERASE, "erase", WRITE, NONE, "Erase the personal data of a user", RESOURCE, ID, RETURN, RELATIONS, ACTOR, MATCH)

PATH(GET, "/page/:version/:file", NULL, STATIC_FILE, STATIC_FILE)
#define STATE_PATH(name, ...) PATH(PATCH, "/:resource/:id/" name, name, WRITTEN, ACT)
STATE_ACTIONS(STATE_PATH)
CALL(ACT, "act", WRITE, NONE, "Move a record to another state", RESOURCE, ID, ACTION, RETURN, RELATIONS, ACTOR, MATCH)
ENDPOINT(POST, "/:resource/:id/restore", "restore", WRITTEN, RESTORE, "restore", WRITE, ONCE, "Restore a deleted or deactivated record", RESOURCE, ID, RETURN, RELATIONS, ACTOR, MATCH)
ENDPOINT(POST, "/:resource/:id/deactivate", "deactivate", WRITTEN, DEACTIVATE, "deactivate", WRITE, ONCE, "Deactivate a record", RESOURCE, ID, RETURN, RELATIONS, ACTOR, MATCH)
ENDPOINT(GET, "/:resource/:id/logs", "logs", RELATED, RECORD_LOGS, "record_logs", SLOW, NONE, "List the actions on a record", RESOURCE, ID, QUERY, RELATIONS, ACTOR, KNOWN)
ENDPOINT(GET, "/:resource/:id/versions", "item", RELATED, VERSIONS, "versions", SLOW, NONE, "List the states of a record", RESOURCE, ID, QUERY, ACTOR, KNOWN)
ENDPOINT(GET, "/:resource/:id/:relation", "item", RELATED, RELATED, "related", PAGE, NONE, "Read related records", RESOURCE, ID, RELATION, QUERY, RELATIONS, ACTOR, KNOWN)
PATH(GET, "/files/:id/download/:format", NULL, BYTES, DOWNLOAD)

/* what the shim calls besides */
CALL(DATASET_RDF, "dataset_rdf", SLOW, NONE, NULL, ID, FORMAT, BASE, ACTOR, KNOWN)
CALL(DATA_JSON_HEAD, "data_json_head", SLOW, NONE, NULL, QUERY, BASE, ACTOR, KNOWN)
CALL(CREATE_ROWS, "create_rows", WRITE, ONCE, NULL, RESOURCE, BODY, FORMAT, RETURN, RELATIONS, ACTOR, ADDRESS)
CALL(ONCE, "once", WRITE, NONE, NULL, NONE)
CALL(EXPORT, "export", STREAM, NONE, NULL, RESOURCE, ID, RELATION, QUERY, RELATIONS, ACTOR, FORMAT)
CALL(DESCRIBE, "describe", KEYED, NONE, NULL, RESOURCE, ACTOR, ID)
CALL(MOVED, "moved", KEYED, NONE, NULL, RESOURCE, ID, ACTOR)
CALL(CONFIRM, "confirm_password", WRITE, NONE, NULL, ID, BODY, ACTOR, ADDRESS)
CALL(CREDENTIAL, "credential", KEYED, NONE, NULL, KEY, CONSUMER)
CALL(USE_KEY, "use_key", PRIMARY, NONE, NULL, KEY, WANTED)
CALL(UPLOAD_BEGIN, "upload_begin", WRITE, NONE, NULL, RESOURCE, TARGET, DETAILS, ACTOR)
CALL(IMPORT_UPLOAD, "import_upload", WRITE, ONCE, NULL, UPLOAD, TEXTS, DETAILS, ACTOR, STRICT)
/* writing the same bytes twice is harmless */
CALL(UPLOAD_WRITE, "upload_write", PRIMARY, NONE, NULL, OTHER, OTHER, OTHER, OTHER)
CALL(BLOB_BYTES, "blob_bytes", SLOW, NONE, NULL, OTHER, OTHER)
CALL(COUNT_DOWNLOAD, "count_download", WRITE, NONE, NULL, OTHER, OTHER)
CALL(RECORD, "record_statistics", WRITE, NONE, NULL, OTHER, OTHER, OTHER)
CALL(CONTENTS_EXPORT, "contents_export", STREAM, NONE, NULL, ID, QUERY, ACTOR, FORMAT)
CALL(CHANGES_EXPORT, "contents_changes_export", STREAM, NONE, NULL, ID, QUERY, ACTOR, FORMAT)
CALL(CHART_CSV, "chart_csv", PAGE, NONE, NULL, ID, QUERY, ACTOR, KNOWN)
CALL(WEB_ACCESS, "web_access", KEYED, NONE, NULL, NONE)
CALL(WAL_POSITION, "wal_position", KEYED, NONE, NULL, NONE)
#undef STATE_PATH
#undef ENDPOINT
#undef PATH
#undef CALL
