/*
 * memory_share.c - how many bytes of bodies and answers a thread keeps in memory, and for whom.
 *
 * A client that does not complete its bodies, or does not read its answers, must not take the memory
 * of the others.  Of one client a thread keeps as many bytes as there is room left for others, so the
 * first may have half of the room, the next a quarter.  What is the only thing in memory is kept
 * whatever its size.
 */

#include "database/clients.h"

#define CLIENTS 4096 /* those whose keys agree in the last bits share */

struct MemoryShares
{
	size_t limit;
	size_t all; /* bytes held */
	size_t of_client[CLIENTS];
};

MemoryShares *
memory_share_open(size_t limit)
{
	MemoryShares *shares = calloc(1, sizeof(MemoryShares));

	if (shares != NULL)
		shares->limit = limit;
	return shares;
}

void
memory_share_end(MemoryShares *shares, MemoryHeld *held)
{
	if (held->bytes == 0)
		return;
	shares->all -= held->bytes;
	shares->of_client[held->client] -= held->bytes;
	held->bytes = 0;
}

bool
memory_share_hold(MemoryShares *shares, MemoryHeld *held, uint32_t client, size_t bytes)
{
	size_t of_client;
	size_t all;

	if (held->bytes == 0)
		held->client = client % CLIENTS;
	of_client = shares->of_client[held->client] - held->bytes + bytes;
	all = shares->all - held->bytes + bytes;
	if (all > bytes && (all > shares->limit || of_client > shares->limit - all))
		return false;
	shares->all = all;
	shares->of_client[held->client] = of_client;
	held->bytes = bytes;
	return true;
}
