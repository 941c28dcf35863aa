/*
 * main.c - the command line of catalogue-worker, which catalogue-shim --worker becomes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "worker.h"

int
main(void)
{
	fprintf(stderr, "catalogue-worker: not built yet\n");
	return EXIT_FAILURE;
}
