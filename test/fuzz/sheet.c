/*
 * sheet.c - fuzzing target: the XML of a sheet of an XLSX, with three shared texts and four styles.
 */
#include "frames.h"
#include "fuzz.h"

static void
read_sheet(Parse *parse)
{
	static char texts[] = "onetwo";
	static uint32_t ends[] = {3, 3, 6};
	static unsigned char kinds[] = {FORMAT_PLAIN, FORMAT_DATE, FORMAT_TIME, FORMAT_DATE_TIME};
	const Strings strings = {.bytes = texts, .ends = ends, .count = lengthof(ends)};
	const Formats formats = {.styles = lengthof(kinds), .kinds = kinds};
	BookSheet book = {.parse = parse, .strings = &strings, .formats = &formats};

	book.sheet = sheet_begin(parse, 1, "sheet", false);
	book.order = order_begin(book.sheet);
	frames_part(parse, &merged_cells_handlers, book.sheet);
	frames_part(parse, &xlsx_sheet_handlers, &book);
	xlsx_sheet_end(&book);
}

void
fuzz_one(char *text, size_t length)
{
	frames_check(text, length, length, read_sheet);
}
