/*
 * remote_answer.c - fuzzing target: the answer of a remote service, XML if the first byte is an x, else JSON.
 * The second byte is the size of the pieces in which it is read; then come two lines, the path to the rows and
 * that to the titles, either of which may be empty.
 */
#include "answers/answers.h"
#include "frames.h"
#include "fuzz.h"

void
fuzz_one(char *text, size_t length)
{
	Options options = {0};
	void (*reader)(Parse * parse);
	char *paths[2];
	char *rest;

	if (length < 2)
		return;
	reader = *text == 'x' ? xml_answer_read : answer_read_json;
	paths[0] = text + 2;
	paths[1] = fuzz_line(paths[0]);
	rest = fuzz_line(paths[1]);
	options.data_path = *paths[0] != '\0' ? paths[0] : NULL;
	options.title_path = *paths[1] != '\0' ? paths[1] : NULL;
	frames_check_as(rest, length - (size_t) (rest - text), (unsigned char) text[1] + 1U, &options,
					reader);
}
