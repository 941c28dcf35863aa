/*
 * main.c - the command line of catalogue-worker, which catalogue-shim --worker becomes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "worker.h"

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--parse") == 0)
		return parse_run(argc - 2, argv + 2);
	fprintf(stderr, "catalogue-worker: not built yet\n");
	return EXIT_FAILURE;
}
