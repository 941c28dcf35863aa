/*
 * multipart.c - fuzzing target: a multipart form.
 *
 * The first line is its Content-Type, the rest is the form.  It is read in one piece by a consumer that
 * takes everything, and again in small pieces by one that takes little at a time: the results must be
 * equal.
 */
#include <string.h>

#include "fuzz.h"
#include "transfer/upload_internal.h"

typedef struct Record
{
	Buffer text; /* the events, as text */
	size_t room; /* bytes that are taken at once */
	bool open;	 /* within a part */
} Record;

static bool
begin(void *cls, const Part *part)
{
	Record *record = cls;

	MUST_HOLD(!record->open && *part->name != '\0');
	MUST_HOLD(text_valid_utf8(part->name, strlen(part->name)));
	MUST_HOLD(part->file == NULL || strpbrk(part->file, "/\\") == NULL);
	record->open = true;
	buffer_format(&record->text, "<%s|%s|%s>", part->name, part->file ? part->file : "-",
				  part->type ? part->type : "-");
	return true;
}

static size_t
take(void *cls, const char *bytes, size_t length)
{
	Record *record = cls;
	size_t taken = length < record->room ? length : record->room;

	MUST_HOLD(record->open && length > 0);
	buffer_append(&record->text, bytes, taken);
	return taken;
}

static bool
end(void *cls)
{
	Record *record = cls;

	MUST_HOLD(record->open);
	record->open = false;
	buffer_text(&record->text, "</>");
	return true;
}

static const MultipartEvents events = {begin, take, end};

/* Read a form in pieces of a size; return whether it is complete. */
static bool
read_form(const Field *type, const char *bytes, size_t length, size_t piece, Record *record)
{
	Multipart form;
	size_t used = 0;
	bool whole;

	buffer_init(&record->text, 1 << 24);
	if (!multipart_open(&form, type, &events, record))
		return false;
	while (used < length && form.state != MULTIPART_BROKEN)
	{
		size_t rest = length - used;
		size_t step = multipart_feed(&form, bytes + used, rest < piece ? rest : piece);

		MUST_HOLD(step <= rest);
		used += step;
	}
	whole = multipart_complete(&form);
	MUST_HOLD(!whole || (!record->open && form.fault == NULL && used == length));
	MUST_HOLD(form.state != MULTIPART_BROKEN || form.fault != NULL);
	multipart_close(&form);
	return whole;
}

void
fuzz_one(char *text, size_t length)
{
	char *body = fuzz_line(text);
	size_t rest = length - (size_t) (body - text);
	Record whole = {.room = SIZE_MAX};
	Field type;

	if (!field_read(text, &type))
		return;
	for (size_t piece = 1; piece <= 7; piece += 3)
	{
		Record pieces = {.room = piece == 7 ? 2 : piece};
		bool good = read_form(&type, body, rest, SIZE_MAX, &whole);

		MUST_HOLD(read_form(&type, body, rest, piece, &pieces) == good);
		MUST_HOLD(whole.text.length == pieces.text.length);
		MUST_HOLD(whole.text.length == 0 ||
				  memcmp(whole.text.data, pieces.text.data, whole.text.length) == 0);
		whole.open = false;
		buffer_free(&whole.text);
		buffer_free(&pieces.text);
	}
}
