/*
 * book.c - fuzzing target: a workbook, XLSX, ODS or XLS depending on the first byte.
 */
#include "frames.h"
#include "fuzz.h"

void
fuzz_one(char *text, size_t length)
{
	if (length > 0)
		frames_check(text + 1, length - 1, length,
					 *text == 'o'	? ods_read
					 : *text == 'b' ? xls_read
									: xlsx_read);
}
