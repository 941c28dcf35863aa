/*
 * clean.c - the texts of a file as PostgreSQL can keep them: valid UTF-8 without zero bytes.
 *
 * Every cell, title, name of a sheet and reason passes through clean_text(), whichever reader it
 * comes from.  A reader converts encodings; it need not look for what is no character.
 */
#include "sandbox/sandbox.h"

static const char zero_fault[] = "a zero byte is shown as U+FFFD";
static const char byte_fault[] = "what is no character is shown as U+FFFD";

/* How many bytes at the beginning are characters other than zero. */
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
