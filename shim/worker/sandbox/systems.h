/*
 * systems.h - systems of coordinates, in a program that can convert them to WGS 84.
 */
#ifndef WORKER_SANDBOX_SYSTEMS_H
#define WORKER_SANDBOX_SYSTEMS_H

#include <stdbool.h>
#include <stddef.h>

/* A rectangle: the least and the greatest coordinates. */
typedef struct Bounds
{
	double west;
	double south;
	double east; /* less than west: there is none, or it crosses 180 degrees */
	double north;
} Bounds;

typedef struct FoundSystem
{
	const void *system; /* to convert from; NULL: it is WGS 84 */
	const char *name;
	const char *note; /* what is to be told of the accuracy; empty: nothing */
	bool degrees;	  /* its coordinates are a longitude and a latitude */
	Bounds area;	  /* in which it is used, in degrees */
} FoundSystem;

typedef struct Systems
{
	/* Find a system by its name, to convert places within bounds; it is there until the next one is
	 * found.  False: it is not known, or cannot be converted. */
	bool (*find)(FoundSystem *found, const char *name, const Bounds *bounds);
	/* Convert coordinates, eastings or longitudes first; false if some cannot be, which are then
	 * infinite. */
	bool (*convert)(const void *system, double *x, double *y, size_t count);
} Systems;

#endif
