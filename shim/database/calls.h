/* calls.h - the functions of the extension that are called, and their arguments. */
#ifndef CALLS_H
#define CALLS_H

#include "shim.h"
#define ARGUMENTS_MAXIMUM 7 /* arguments of a call */

typedef enum CallName
{
	CALL_NOT_IMPLEMENTED,
	CALL_STATIC_FILE, /* the shim answers without a call */
	CALL_LIST,
	CALL_ITEM,
	CALL_FIRST,
	CALL_LAST,
	CALL_COUNT,
	CALL_RELATED,
	CALL_DATASET_FILETYPES,
	CALL_FEED,
	CALL_CATALOG,
	CALL_DATASET_RDF,
	CALL_DATA_JSON,
	CALL_DATA_JSON_HEAD,
	CALL_SITEMAP,
	CALL_ROBOTS,
	CALL_USAGE,
	CALL_STATISTICS_SUMMARY,
	CALL_STATISTICS_DOWNLOADS,
	CALL_RECORD_LOGS,
	CALL_SEARCH,
	CALL_VERSIONS,
	CALL_CREATE,
	CALL_UPDATE,
	CALL_DELETE,
	CALL_RESTORE,
	CALL_DEACTIVATE,
	CALL_ACT,
	CALL_BATCH,
	CALL_CREATE_ROWS,
	CALL_IMPORT,
	CALL_IMPORTS,
	CALL_IMPORT_REPORT,
	CALL_DELETE_IMPORT,
	CALL_ONCE,
	CALL_UNDO,
	CALL_EXPORT,
	CALL_DESCRIBE,
	CALL_DESCRIBE_ALL,
	CALL_LOGIN,
	CALL_CONFIRM,
	CALL_LOGOUT,
	CALL_SESSION,
	CALL_CREDENTIAL,
	CALL_USE_KEY,
	CALL_CLIENT_TOKEN,
	CALL_ENTRY,
	CALL_ROLES,
	CALL_HEALTH,
	CALL_UPLOAD_BEGIN,
	CALL_UPLOAD_WRITE,
	CALL_UPLOAD_STATE,
	CALL_UPLOAD_FINISH,
	CALL_UPLOAD_DROP,
	CALL_DOWNLOAD,
	CALL_IMAGE,
	CALL_ARCHIVE,
	CALL_BLOB_BYTES,
	CALL_COUNT_DOWNLOAD,
	CALL_CATEGORY_DOWNLOADS,
	CALL_CANCEL_JOB,
	CALL_REFRESH_FILE,
	CALL_RECORD,
	CALL_CONTENTS,
	CALL_CONTENTS_EXPORT,
	CALL_CHANGES,
	CALL_CHANGES_EXPORT,
	CALL_COLUMNS,
	CALL_SCHEMA,
	CALL_ISSUES,
	CALL_SHEETS,
	CALL_FILE_RESOURCES,
	CALL_MAP_GEOJSON,
	CALL_MAP_TILE,
	CALL_MAP_ISSUES,
	CALL_CHART_DATA,
	CALL_CHART_CSV,
	CALL_CHART_SVG,
	CALL_MAP_SVG,
	CALL_WEB_ACCESS,
	CALL_METRICS,
	CALL_READY,
	CALL_SEND_EMAIL,
	CALL_QUERY,
	CALL_NAMES
} CallName;

typedef enum Argument
{
	ARGUMENT_RESOURCE,
	ARGUMENT_ID,
	ARGUMENT_RELATION,
	ARGUMENT_ACTION,
	ARGUMENT_QUERY,
	ARGUMENT_BODY,
	ARGUMENT_RETURN,
	ARGUMENT_RELATIONS,
	ARGUMENT_ACTOR,
	ARGUMENT_KNOWN,
	ARGUMENT_MATCH,
	ARGUMENT_FORMAT,
	ARGUMENT_BASE, /* address of the service */
	ARGUMENT_KEY,
	ARGUMENT_CONSUMER,
	ARGUMENT_WANTED,
	ARGUMENT_ADDRESS,
	ARGUMENT_TARGET,
	ARGUMENT_UPLOAD,
	ARGUMENT_DETAILS,
	ARGUMENT_FORM,
	ARGUMENT_TEXTS,
	ARGUMENT_STRICT,
	ARGUMENT_MONITOR, /* the connection is from an address that may read the metrics */
	ARGUMENT_VERSION, /* of this program */
} Argument;

typedef enum CallKind
{
	KIND_KEYED, /* a few index reads: on a shared connection if the query is plain */
	KIND_PAGE,	/* the same; else on a free connection, or after others of this kind */
	KIND_SLOW,	/* reads, on a free connection */
	KIND_WRITE, /* like KIND_SLOW, but sent again only if it is known to have changed nothing */
	KIND_STREAM /* like KIND_SLOW, with many rows, which are received one by one */
} CallKind;

typedef struct CallSpec
{
	const char *function; /* of schema catalogue; also the name of the prepared statement */
	CallKind kind;
	int count;
	Argument arguments[ARGUMENTS_MAXIMUM];
} CallSpec;

extern const CallSpec call_specs[CALL_NAMES];
/* Does the function have the argument? */
extern bool call_takes(const CallSpec *spec, Argument argument);
#endif
