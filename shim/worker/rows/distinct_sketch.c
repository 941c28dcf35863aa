/*
 * distinct_sketch.c - estimate the number of distinct values of a column: HyperLogLog with 4,096
 * registers.
 *
 * Flajolet, Fusy, Gandouet, Meunier 2007.  The standard error is 1.6 %; small numbers are estimated
 * by linear counting of the empty registers.
 */
#include <math.h>
#include <string.h>

#include "rows/profile.h"

#define REGISTERS (1 << SKETCH_BITS)

static uint64_t
mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t) a * b;

	return (uint64_t) product ^ (uint64_t) (product >> 64);
}

/* Mask of the first bytes in memory of a word. */
static uint64_t
last_mask(size_t length)
{
	if (length >= 8)
		return UINT64_MAX;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return ~(UINT64_MAX << (8 * length));
#else
	return length == 0 ? 0 : ~(UINT64_MAX >> (8 * length));
#endif
}

/* Values can be crafted to have equal hashes; then only the estimate is wrong. */
uint64_t
distinct_sketch_hash(const char *bytes, size_t length)
{
	uint64_t hash = UINT64_C(0x9E3779B97F4A7C15) ^ length;
	uint64_t word;

	for (; length > 8; bytes += 8, length -= 8)
	{
		memcpy(&word, bytes, 8);
		hash = mix(hash ^ word, UINT64_C(0xA0761D6478BD642F));
	}
	memcpy(&word, bytes, 8);
	hash = mix(hash ^ (word & last_mask(length)), UINT64_C(0xE7037ED1A0B428DB));
	return mix(hash ^ UINT64_C(0x8EBC6AF09C88C6E3), UINT64_C(0x589965CC75374CC3));
}

uint64_t
distinct_sketch_estimate(const DistinctSketch *sketch)
{
	double sum = 0;
	unsigned empty = 0;
	double estimate;

	for (unsigned i = 0; i < REGISTERS; i++)
	{
		sum += ldexp(1, -(int) sketch->registers[i]);
		empty += sketch->registers[i] == 0;
	}
	estimate = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / sum;
	if (estimate <= 2.5 * REGISTERS && empty > 0)
		estimate = REGISTERS * log((double) REGISTERS / empty);
	return (uint64_t) (estimate + 0.5);
}
