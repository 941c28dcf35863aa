/*
 * describe.h
 *	  What the description of a resource has for all callers of an access level.
 */
#ifndef CATALOGUE_SERVICES_DESCRIBE_H
#define CATALOGUE_SERVICES_DESCRIBE_H

#include "catalogue.h"

#endif /* CATALOGUE_SERVICES_DESCRIBE_H */
