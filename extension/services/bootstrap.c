/*
 * bootstrap.c
 *	  Creation of the catalogue's tables from their installed file.
 */
#include "catalogue.h"

#include <sys/stat.h>

#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/guc.h"

#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_bootstrap);

/* Return the text of a file of the extension, palloc'd.  Raises an error if it cannot be read. */
static char *
read_installed(const char *name)
{
	char share[MAXPGPATH];
	char *path;
	struct stat status;
	FILE *file;
	char *text;

	get_share_path(my_exec_path, share);
	path = psprintf("%s/extension/%s", share, name);
	file = AllocateFile(path, "r");
	if (!file || fstat(fileno(file), &status) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not read file \"%s\": %m", path)));
	text = palloc(status.st_size + 1);
	if (fread(text, 1, status.st_size, file) != (size_t) status.st_size)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not read file \"%s\": %m", path)));
	text[status.st_size] = '\0';
	FreeFile(file);
	return text;
}

static void
run(const char *sql)
{
	int result;

	SPI_connect();
	result = SPI_execute(sql, false, 0);
	if (result < 0)
		elog(ERROR, "could not make the tables: %s", SPI_result_code_string(result));
	SPI_finish();
}

/* Return the name of the file of the tables that the installed SQL is for, palloc'd. */
static char *
tables_file(void)
{
	MemoryContext context = CurrentMemoryContext;
	char *version;

	SPI_connect();
	if (SPI_execute("SELECT e.extversion FROM pg_catalog.pg_extension e "
					"WHERE e.extname = 'catalogue'",
					true, 1) != SPI_OK_SELECT ||
		SPI_processed != 1)
		elog(ERROR, "could not read the version of the extension");
	version = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	version = MemoryContextStrdup(context, version);
	SPI_finish();
	return psprintf("catalogue-tables--%s.sql", version);
}

Datum
catalogue_bootstrap(PG_FUNCTION_ARGS)
{
	int path = cat_security_context_pin();
	int nest = NewGUCNestLevel();

	/* suppress "already exists, skipping" in repeated calls */
	set_config_option("client_min_messages", "warning", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
					  true, 0, false);
	run(read_installed(tables_file()));
	AtEOXact_GUC(true, nest);
	run("SELECT catalogue.announce_upkeep()");
	cat_security_context_unpin(path);
	PG_RETURN_VOID();
}
