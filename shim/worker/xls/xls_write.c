/*
 * xls_write.c - write a workbook of Excel 97 to 2003: records of the book, texts, sheets.
 */
#include <math.h>
#include <stdarg.h>

#include "xls/xls_write.h"

/*
 * ---- Shared strings: the SST record and its CONTINUE records ----
 *
 * A string may continue in the next record, which then begins with the flag for characters of one
 * byte or two.  The header of a string, a two-byte character and a surrogate pair are never split.
 * A short string that is in the cache is not written again.
 */

#define TEXT_HEAD 3 /* bytes of the header of a string: length and flags */

/* Write a record. */
static void
xls_record(FILE *file, unsigned type, const XlsBytes *bytes)
{
	const unsigned char head[] = {(unsigned char) type, (unsigned char) (type >> 8),
								  (unsigned char) bytes->length,
								  (unsigned char) (bytes->length >> 8)};

	fwrite(head, 1, sizeof(head), file);
	fwrite(bytes->bytes, 1, bytes->length, file);
}

/* Convert a text to UTF-16; return the number of units, XLS_TEXT + 1 if it is too long.  *wide:
 * some unit is above 0xFF. */
static unsigned
xls_units(const char *text, size_t length, uint16_t *units, bool *wide)
{
	const unsigned char *at = (const unsigned char *) text;
	const unsigned char *end = at + length;
	unsigned count = 0;

	*wide = false;
	while (at < end)
	{
		unsigned more = *at < 0x80 ? 0 : *at < 0xE0 ? 1 : *at < 0xF0 ? 2 : 3;
		uint32_t character = more == 0 ? *at : *at & (0x3FU >> more);

		if (end - at <= (ptrdiff_t) more || count + 1 + (more == 3) > XLS_TEXT)
			return XLS_TEXT + 1;
		for (unsigned i = 1; i <= more; i++)
			character = character << 6 | (at[i] & 0x3F);
		at += more + 1;
		*wide |= character > 0xFF;
		if (character >= 0x10000)
		{
			units[count++] = (uint16_t) (0xD800 + ((character - 0x10000) >> 10));
			character = 0xDC00 + ((character - 0x10000) & 0x3FF);
		}
		units[count++] = (uint16_t) character;
	}
	return count;
}

static void
end_record(XlsTexts *texts)
{
	xls_record(texts->file, texts->continued ? XLS_CONTINUE : XLS_SST, &texts->open);
	texts->continued = true;
	texts->open.length = 0;
}

static void
write_shared_text(XlsTexts *texts, const uint16_t *units, unsigned count, bool wide)
{
	unsigned size = wide ? 2 : 1;

	if (XLS_RECORD - texts->open.length < TEXT_HEAD + 2 * size)
		end_record(texts);
	xls_write_pack(&texts->open, "21", count, wide);
	for (unsigned i = 0; i < count; i++)
	{
		bool pair = wide && (units[i] & 0xFC00) == 0xD800;

		if (XLS_RECORD - texts->open.length < (pair ? 2 * size : size))
		{
			end_record(texts);
			xls_write_put(&texts->open, wide, 1);
		}
		xls_write_put(&texts->open, units[i], size);
	}
}

/* Add a string, or find it in the cache, and return its number; false if it is too long. */
static bool
xls_texts_add(XlsTexts *texts, const char *text, size_t length, uint32_t *number)
{
	bool is_short = length > 0 && length <= XLS_SHORT;
	XlsRemembered *known =
		is_short ? &texts->remembered[text_hash(TEXT_HASH, text, length) % XLS_REMEMBERED] : NULL;
	unsigned count;
	bool wide;

	texts->used++;
	if (known != NULL && known->length == length && memcmp(known->text, text, length) == 0)
	{
		*number = known->number;
		return true;
	}
	count = xls_units(text, length, texts->units, &wide);
	if (count > XLS_TEXT)
		return false;
	*number = texts->count++;
	if (known != NULL)
	{
		known->number = *number;
		known->length = (unsigned char) length;
		memcpy(known->text, text, length);
	}
	write_shared_text(texts, texts->units, count, wide);
	return true;
}

/* Write the last record; return the bytes of all strings. */
static uint64_t
xls_texts_end(XlsTexts *texts)
{
	XlsBytes counts = {0};
	off_t end;

	end_record(texts);
	fflush(texts->file);
	end = ftello(texts->file);
	xls_write_pack(&counts, "44", texts->used, texts->count);
	if (fseeko(texts->file, 4, SEEK_SET) == 0)
		fwrite(counts.bytes, 1, counts.length, texts->file);
	return end > 0 ? (uint64_t) end : 0;
}

#define LARGEST INT32_MAX /* maximum bytes of the stream of a workbook */
#define WHOLE (1 << 29)	  /* smaller integers are written as four bytes */
#define BEGIN "22444"	  /* of BIFF8, its kind, the program */
#define FIRST_DAY 61	  /* 1900-03-01: programs disagree on earlier days */
#define SECONDS_OF_DAY 86400
#define DAY_OF_1970 25569

void
xls_write_put(XlsBytes *bytes, uint64_t number, unsigned count)
{
	for (unsigned i = 0; i < count && bytes->length < sizeof(bytes->bytes); i++)
		bytes->bytes[bytes->length++] = (unsigned char) (number >> 8 * i);
}

/* Append a string with its length field of length_bytes. */
static void
xls_put_text(XlsBytes *bytes, const char *text, unsigned length_bytes)
{
	uint16_t units[XLS_TEXT] = {0};
	bool wide;
	unsigned count = xls_units(text, strlen(text), units, &wide);

	xls_write_put(bytes, count, length_bytes);
	xls_write_put(bytes, wide, 1);
	for (unsigned i = 0; i < count; i++)
		xls_write_put(bytes, units[i], wide ? 2 : 1);
}

static void
pack(XlsBytes *bytes, const char *sizes, va_list values)
{
	for (; *sizes != '\0'; sizes++)
		if (*sizes == 's' || *sizes == 't')
			xls_put_text(bytes, va_arg(values, const char *), *sizes == 's' ? 1 : 2);
		else
			xls_write_put(bytes, va_arg(values, unsigned), (unsigned) (*sizes - '0'));
}

void
xls_write_pack(XlsBytes *bytes, const char *sizes, ...)
{
	va_list values;

	va_start(values, sizes);
	pack(bytes, sizes, values);
	va_end(values);
}

/* Write a record of what xls_write_pack() would append; return its bytes. */
static size_t
write_record(FILE *file, unsigned type, const char *sizes, ...)
{
	XlsBytes bytes;
	va_list values;

	bytes.length = 0;
	va_start(values, sizes);
	pack(&bytes, sizes, values);
	va_end(values);
	xls_record(file, type, &bytes);
	return 4 + bytes.length;
}

static void
close_files(XlsBook *book)
{
	if (book->cells != NULL)
		fclose(book->cells);
	if (book->texts.file != NULL)
		fclose(book->texts.file);
	free(book);
}

static void *
open_book(FILE *file, const json_t *sheets)
{
	XlsBook *book = calloc(1, sizeof(XlsBook));

	(void) sheets;
	if (book == NULL)
		return NULL;
	book->file = file;
	book->cells = unnamed_file_stream();
	book->texts.file = unnamed_file_stream();
	/* counts of references and strings, which xls_texts_end() fills in */
	xls_write_put(&book->texts.open, 0, 8);
	if (book->cells != NULL && book->texts.file != NULL)
		return book;
	close_files(book);
	return NULL;
}

static const char *
begin_sheet(void *opened, const SheetHead *head)
{
	XlsBook *book = opened;
	XlsTab *tab = &book->tab[book->tabs];

	if (book->tabs == lengthof(book->tab) || head->rows > XLS_ROWS || head->columns > XLS_COLUMNS)
		return BOOK_LARGE;
	tab->offset = (uint32_t) book->length;
	/* the first sheet is the active one */
	tab->hidden = head->hidden && book->tabs > 0;
	book->tabs++;
	snprintf(tab->name, sizeof(tab->name), "%s", head->name);
	book->length += write_record(book->cells, XLS_BOF, BEGIN, 0x0600, 0x0010, 0x07CC0DBB,
								 0x00000041, 0x00000006); /* a sheet */
	book->length +=
		write_record(book->cells, XLS_DIMENSIONS, "44222", 0, head->rows, 0, head->columns, 0);
	return NULL;
}

static void
write_number(XlsBook *book, uint32_t row, uint32_t column, unsigned style, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	/* minus zero is not an integer */
	if (fabs(number) < WHOLE && number == (int32_t) number && !(number == 0 && signbit(number)))
		book->length += write_record(book->cells, XLS_RK, "2224", row, column, style,
									 (uint32_t) (int32_t) number << 2 | 2);
	else
		book->length += write_record(book->cells, XLS_NUMBER, "22244", row, column, style,
									 (uint32_t) bits, (uint32_t) (bits >> 32));
}

/* The serial number of a day: counted from 1900, with a February 29, 1900. */
static int64_t
day_of(const Typed *typed)
{
	struct tm date = {.tm_year = typed->time.tm_year,
					  .tm_mon = typed->time.tm_mon,
					  .tm_mday = typed->time.tm_mday};

	return timegm(&date) / SECONDS_OF_DAY + DAY_OF_1970;
}

static const char *
write_cell(void *opened, uint32_t row, uint32_t column, const Typed *typed, const char *text,
		   size_t length)
{
	XlsBook *book = opened;
	bool moment = typed->form == TYPED_DATE || typed->form == TYPED_DATETIME;
	unsigned style = row == 0 ? XLS_HEAD : XLS_PLAIN;
	uint32_t number;

	if (typed->form == TYPED_EMPTY)
		return NULL;
	if (row >= XLS_ROWS || column >= XLS_COLUMNS || book->length > LARGEST)
		return BOOK_LARGE;
	if (moment && day_of(typed) >= FIRST_DAY)
		write_number(book, row, column, typed->form == TYPED_DATE ? XLS_DATE : XLS_DATETIME,
					 (double) day_of(typed) +
						 (typed->time.tm_hour * 3600 + typed->time.tm_min * 60 +
						  typed->time.tm_sec + typed->fraction) /
							 SECONDS_OF_DAY);
	else if (typed->form == TYPED_NUMBER)
		write_number(book, row, column, style, typed->number);
	else if (typed->form == TYPED_BOOLEAN)
		book->length +=
			write_record(book->cells, XLS_BOOLERR, "22211", row, column, style, typed->truth, 0);
	else if (!xls_texts_add(&book->texts, text, length, &number))
		return BOOK_LONG;
	else
		book->length += write_record(book->cells, XLS_LABELSST, "2224", row, column, style, number);
	return NULL;
}

static void
end_sheet(void *opened)
{
	XlsBook *book = opened;

	/* the first sheet is selected; the default colour of grid lines */
	book->length += write_record(book->cells, XLS_WINDOW2, "2448",
								 book->tabs == 1 ? 0x06B6 : 0x00B6, 0, 0x40, 0);
	book->length += write_record(book->cells, XLS_EOF, "");
}

#define FONT_BOLD 5 /* the fifth font: number 4 does not exist */
#define FORMAT_DATE 164
#define FORMAT_DATETIME 165

static void
write_style(FILE *file, unsigned font, unsigned format, bool of_cells)
{
	/* locked or a parent style; aligned at the bottom; no pattern, default colours */
	write_record(file, XLS_XF, "22212182", font, format, of_cells ? 0x0001 : 0xFFF5, 0x20, 0,
				 of_cells ? 0 : 0xF4, 0, 0x20C0);
}

static void
write_styles(FILE *file)
{
	/* height in twentieths of a point, the colour of window text; the last one is bold */
	for (unsigned i = 0; i < 5; i++)
		write_record(file, XLS_FONT, "22226s", 200, i == 4, 0x7FFF, i == 4 ? 700 : 400, 0, "Arial");
	write_record(file, XLS_FORMAT, "2t", FORMAT_DATE, "yyyy-mm-dd");
	write_record(file, XLS_FORMAT, "2t", FORMAT_DATETIME, "yyyy-mm-dd hh:mm:ss");
	for (int i = 0; i < XLS_PLAIN; i++)
		write_style(file, 0, 0, false);
	write_style(file, 0, 0, true);
	write_style(file, 0, FORMAT_DATE, true);
	write_style(file, 0, FORMAT_DATETIME, true);
	write_style(file, FONT_BOLD, 0, true);
	write_record(file, XLS_STYLE, "211", 0x8000, 0, 0xFF); /* style 0 is Normal */
}

static void
xls_write_book(FILE *file, const XlsBook *book, uint32_t behind)
{
	write_record(file, XLS_BOF, BEGIN, 0x0600, 0x0005, 0x07CC0DBB, 0x00000041, 0x00000006);
	write_record(file, XLS_CODEPAGE, "2", 1200);
	/* width and height, scroll bars and tabs; the first sheet is active */
	write_record(file, XLS_WINDOW1, "4222422", 0, 0x4000, 0x2000, 0x0038, 0, 1, 600);
	write_record(file, XLS_DATEMODE, "2", 0);
	write_styles(file);
	for (unsigned i = 0; i < book->tabs; i++)
		write_record(file, XLS_BOUNDSHEET, "411s", behind + book->tab[i].offset,
					 book->tab[i].hidden, 0, book->tab[i].name);
}

/* Append one file to another; false on an error. */
static bool
copy_file(FILE *from, FILE *to)
{
	char bytes[16384];
	size_t length;

	rewind(from);
	while ((length = fread(bytes, 1, sizeof(bytes), from)) > 0)
		fwrite(bytes, 1, length, to);
	return !ferror(from) && !ferror(to);
}

/* Write the container with the workbook in it. */
static const char *
write_file(XlsBook *book, FILE *file)
{
	char *begin = NULL;
	size_t begin_length = 0;
	FILE *memory = open_memstream(&begin, &begin_length);
	uint64_t texts = xls_texts_end(&book->texts);
	uint64_t length;
	bool good;

	if (memory == NULL)
		return BOOK_FAILED;
	/* the length does not depend on the offsets of the sheets */
	xls_write_book(memory, book, 0);
	fflush(memory);
	length = begin_length + texts + 4;
	rewind(memory);
	xls_write_book(memory, book, (uint32_t) length);
	fclose(memory);
	length += book->length;
	if (length > LARGEST)
	{
		free(begin);
		return BOOK_LARGE;
	}
	xls_write_file_header(file, length);
	fwrite(begin, 1, begin_length, file);
	free(begin);
	good = copy_file(book->texts.file, file);
	write_record(file, XLS_EOF, "");
	good = good && copy_file(book->cells, file);
	xls_write_file_trailer(file, length);
	return good && fflush(file) == 0 && !ferror(file) ? NULL : BOOK_FAILED;
}

static const char *
close_book(void *opened, bool wanted)
{
	XlsBook *book = opened;
	const char *wrong = wanted ? write_file(book, book->file) : NULL;

	close_files(book);
	return wrong;
}

const BookWriter xls_writer = {open_book, begin_sheet, write_cell, end_sheet, close_book};
