/*
 * sheet_issue.c - issues of a sheet.
 */
#include <stdarg.h>

#include "rows/rows.h"

void
sheet_issue(Sheet *sheet, uint64_t line, const char *format, ...)
{
	char reason[REASON_MAXIMUM + 64];
	va_list arguments;
	Buffer *frame;

	if (sheet->issues >= CONTENTS_ISSUES)
		return;
	sheet->issues++;
	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	frame = frame_begin(sheet->parse, FRAME_ISSUE);
	buffer_format(frame, "{\"line\":%llu,\"reason\":", (unsigned long long) line);
	frame_text(sheet->parse, reason, strlen(reason), sizeof(reason));
	buffer_text(frame, "}");
	frame_send(sheet->parse);
}
