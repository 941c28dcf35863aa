/*
 * clean.c - make the texts of a file valid UTF-8 without zero bytes, as PostgreSQL requires.
 *
 * clean_text() is applied to every cell, title, name of a sheet and reason.  A reader converts
 * encodings and need not check the result.
 */
#include "sandbox/sandbox.h"

static const char zero_fault[] = "a zero byte is shown as U+FFFD";
static const char byte_fault[] = "what is no character is shown as U+FFFD";

/* Length of the valid prefix without zero bytes. */
static size_t
clean_length(const char *text, size_t length)
{
	size_t clean = 0;

	while (clean < length)
	{
		size_t step;

		if (length - clean >= 8 && clean_word(clean_load(text + clean, 8)))
		{
			clean += 8;
			continue;
		}
		if (text[clean] == '\0')
			break;
		step =
			(unsigned char) text[clean] < 0x80 ? 1 : text_character(text + clean, length - clean);
		if (step == 0)
			break;
		clean += step;
	}
	return clean;
}

const char *
clean_other(Parse *parse, const char *text, size_t *length, const char **flaw)
{
	Buffer *copy = &parse->clean;
	size_t left = *length;
	size_t clean = clean_length(text, left);

	if (clean == left)
		return text;
	copy->length = 0;
	while (clean < left)
	{
		buffer_append(copy, text, clean);
		buffer_text(copy, "\xEF\xBF\xBD");
		*flaw = text[clean] == '\0' ? zero_fault : byte_fault;
		text += clean + 1;
		left -= clean + 1;
		clean = clean_length(text, left);
	}
	buffer_append(copy, text, clean);
	if (copy->failed)
		parse_refuse_file(parse, "the file takes more memory to read than a file may have");
	*length = copy->length;
	return copy->data;
}
