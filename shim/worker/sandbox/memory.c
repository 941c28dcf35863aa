/*
 * memory.c - memory that is freed at the end of the reading.
 */
#include <stdlib.h>
#include <string.h>

#include "sandbox/sandbox.h"

struct Block
{
	Block *next;
	Block *previous;
	_Alignas(max_align_t) char bytes[];
};

static Block *
block_of(void *memory)
{
	return (Block *) ((char *) memory - offsetof(Block, bytes));
}

static void
link_block(Parse *parse, Block *block)
{
	block->previous = NULL;
	block->next = parse->blocks;
	if (block->next != NULL)
		block->next->previous = block;
	parse->blocks = block;
}

static void
unlink_block(Parse *parse, Block *block)
{
	if (block->next != NULL)
		block->next->previous = block->previous;
	if (block->previous != NULL)
		block->previous->next = block->next;
	else
		parse->blocks = block->next;
}

static _Noreturn void
out_of_memory(Parse *parse)
{
	parse_refuse_file(parse, "the file takes more memory to read than a file may have");
}

void *
parse_allocate(Parse *parse, size_t size)
{
	Block *block = size < SIZE_MAX / 2 ? calloc(1, sizeof(Block) + size) : NULL;

	if (block != NULL)
	{
		link_block(parse, block);
		return block->bytes;
	}
	out_of_memory(parse);
}

void *
parse_resize(Parse *parse, void *memory, size_t size)
{
	Block *block;
	Block *moved;

	if (memory == NULL)
		return parse_allocate(parse, size);
	block = block_of(memory);
	unlink_block(parse, block);
	moved = size < SIZE_MAX / 2 ? realloc(block, sizeof(Block) + size) : NULL;
	if (moved != NULL)
	{
		link_block(parse, moved);
		return moved->bytes;
	}
	link_block(parse, block);
	out_of_memory(parse);
}

void
parse_release(Parse *parse, void *memory)
{
	Block *block;

	if (memory == NULL)
		return;
	block = block_of(memory);
	unlink_block(parse, block);
	free(block);
}

void
parse_release_all(Parse *parse)
{
	while (parse->blocks != NULL)
	{
		Block *block = parse->blocks;

		parse->blocks = block->next;
		free(block);
	}
}
