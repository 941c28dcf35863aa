/*
 * worker.h - read first: what the files of catalogue-worker share.
 */
#ifndef WORKER_H
#define WORKER_H

#include "shim.h"

#endif
