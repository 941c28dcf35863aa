/*
 * files.c - run a target on the named files, to test inputs that were found before.
 */
#include <stdio.h>
#include <stdlib.h>

extern int LLVMFuzzerInitialize(int *argc, char ***argv);
extern int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

int
main(int argc, char **argv)
{
	static unsigned char bytes[1 << 20];

	LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
	{
		FILE *file = fopen(argv[i], "rb");

		if (file == NULL)
		{
			perror(argv[i]);
			return EXIT_FAILURE;
		}
		/* the caller shows this line when the target crashes or hangs */
		fprintf(stderr, "%s\n", argv[i]);
		LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof(bytes), file));
		fclose(file);
	}
	return EXIT_SUCCESS;
}
