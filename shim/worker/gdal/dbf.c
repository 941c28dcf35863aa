/*
 * dbf.c - the encoding of the texts of a DBF: of the options, of its .cpg, else found as of a CSV.
 *
 * The byte in its head is not used: the programs that write it often mean another encoding.
 */
#include <ctype.h>

#include "gdal/layers.h"
#include "text/decode.h"

#define NAME_MAXIMUM 40

/* Names as programs write them into a .cpg, and as the C library has them. */
static const struct
{
	const char *written;
	const char *name;
} names[] = {{"UTF8", "UTF-8"},
			 {"UTF-8", "UTF-8"},
			 {"65001", "UTF-8"},
			 {"88591", "ISO-8859-1"},
			 {"8859-1", "ISO-8859-1"},
			 {"885915", "ISO-8859-15"},
			 {"SYSTEM", ""},
			 {"OEM", ""},
			 {"ANSI", ""}};

/* Write the encoding that a .cpg names; false if that says nothing. */
static bool
read_name(const char *cpg, char *name)
{
	/* "ANSI 1252", "OEM 850" */
	do
	{
		size_t length = 0;

		while (isspace((unsigned char) *cpg))
			cpg++;
		for (; length < NAME_MAXIMUM && cpg[length] > ' ' && cpg[length] <= '~'; length++)
			name[length] = (char) toupper((unsigned char) cpg[length]);
		name[length] = '\0';
		cpg += length;
	} while ((strcmp(name, "ANSI") == 0 || strcmp(name, "OEM") == 0) && *cpg == ' ');
	for (size_t i = 0; i < lengthof(names); i++)
		if (strcmp(name, names[i].written) == 0)
			snprintf(name, NAME_MAXIMUM + 1, "%s", names[i].name);
	return name[0] != '\0';
}

static bool
set_encoding(Layers *layers, const char *name)
{
	char page[NAME_MAXIMUM + 3];
	bool digits = name[strspn(name, "0123456789")] == '\0';

	/* where the bytes are not, this is not believed */
	if (strcasecmp(name, "UTF-8") == 0)
		return false;
	snprintf(page, sizeof(page), "%s%s", digits ? "CP" : "", name);
	layers->converter = encoding_open_as("UTF-8", page);
	return layers->converter != NO_CONVERTER;
}

void
dbf_find_encoding(Layers *layers, const char *bytes, size_t length, const char *cpg)
{
	const char *option = layers->parse->options.encoding;
	char name[NAME_MAXIMUM + 1];
	size_t wrong;
	size_t head = length >= 32 ? (unsigned char) bytes[8] + 256U * (unsigned char) bytes[9] : 0;

	layers->raw = true;
	layers->converter = NO_CONVERTER;
	if (option != NULL && set_encoding(layers, option))
		return;
	if (option == NULL && cpg != NULL && read_name(cpg, name) && set_encoding(layers, name))
		return;
	/* names of attributes may have other letters than ASCII as well, behind which there are bytes of the form */
	head = head < length ? head : 0;
	if (!encoding_is_utf8(bytes + head, length - head, &wrong))
		layers->converter =
			encoding_open_as("UTF-8", encoding_guess(bytes + head, length - head)->iconv);
}
