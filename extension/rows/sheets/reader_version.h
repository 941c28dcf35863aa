/*
 * reader_version.h
 *	  The version of the readers of files.
 *
 * It is raised by one in a change after which a file may have other rows, columns, types or issues than
 * before.  Files that were read by an earlier version are then read anew (extension/files/reparse.sql).
 */
#ifndef READER_VERSION_H
#define READER_VERSION_H

#define READER_VERSION 7 /* 0: the readers of 1.0 */

#endif /* READER_VERSION_H */
