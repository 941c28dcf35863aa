/*
 * distinct.h - an estimate of the number of distinct values of a column.
 */
#ifndef WORKER_ROWS_DISTINCT_H
#define WORKER_ROWS_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

#define SKETCH_BITS 12

typedef struct DistinctSketch
{
	unsigned char registers[1 << SKETCH_BITS];
} DistinctSketch;

/* The hash of a value; 8 bytes must be readable behind it.  Values can be crafted to have equal ones. */
extern uint64_t distinct_hash(const char *bytes, size_t length);
/* The number of distinct values that were added. */
extern uint64_t distinct_estimate(const DistinctSketch *sketch);

static inline void
distinct_add(DistinctSketch *sketch, uint64_t hash)
{
	unsigned number = (unsigned) (hash >> (64 - SKETCH_BITS));
	unsigned zeros = (unsigned) __builtin_ctzll(hash | (UINT64_C(1) << (64 - SKETCH_BITS))) + 1;

	if (sketch->registers[number] < zeros)
		sketch->registers[number] = (unsigned char) zeros;
}

#endif
