/*
 * reader_version.c
 *	  The version of the readers of files, for statements.
 */
#include "catalogue.h"

#include "rows/sheets/reader_version.h"

CAT_FUNCTION(catalogue_reader_version)
{
	PG_RETURN_INT32(READER_VERSION);
}
