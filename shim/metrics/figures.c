/*
 * figures.c - the last figures of the database, as it composed them.
 *
 * All threads share them, so that they are computed once in a period, however many threads are
 * asked.  The lock is taken by requests for the metrics only.
 */
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics_internal.h"

const char *
metrics_figures_state(Metrics *metrics, Arena *arena)
{
	const char *state;

	pthread_mutex_lock(&metrics->lock);
	state = metrics->state ? arena_text(arena, metrics->state, strlen(metrics->state)) : NULL;
	pthread_mutex_unlock(&metrics->lock);
	return state;
}

void
metrics_figures_keep(Metrics *metrics, const char *state, const char *bytes, size_t length)
{
	char *copy = malloc(length);
	char *name = strdup(state);

	if (copy == NULL || name == NULL)
	{
		free(copy);
		free(name);
		return;
	}
	memcpy(copy, bytes, length);
	pthread_mutex_lock(&metrics->lock);
	free(metrics->state);
	free(metrics->figures);
	metrics->state = name;
	metrics->figures = copy;
	metrics->length = length;
	pthread_mutex_unlock(&metrics->lock);
}

void
metrics_figures_write(Buffer *text, Metrics *metrics)
{
	pthread_mutex_lock(&metrics->lock);
	buffer_append(text, metrics->figures, metrics->length);
	pthread_mutex_unlock(&metrics->lock);
}
