#!/bin/sh
# PostgreSQL: an extension that is built with the headers of a minor release is not loaded by the minor release before.
#
# Source: PostgreSQL documentation, "Server API and ABI Stability Guidance": extensions that are compiled against a minor
# release run with others of the same major release, mostly; new functions may be added at the end.
# Guess: a server and headers that differ in the minor release alone, as after an upgrade of packages before the restart
# of the server, fit to each other in both directions.
# Seen with PostgreSQL 15.18 and 15.20 of Debian 12 (15.20-0+deb12u1): heap_getattr() of the headers is inline, and that
# of 15.20 calls heap_datum_check(), which the server of 15.18 does not have. So what reads a column by it needs 15.20;
# built with the headers of 15.18 it needs nothing new. Packages of extensions depend on the major release only.
# Upgrade and restart the server before what is built with the newer headers is installed.
#
# Needs apt with the sources of Debian 12, gcc and binutils. Packages are unpacked in a temporary folder, none is
# installed. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
cat > column.c <<'C'
#include "postgres.h"
#include "access/htup_details.h"
#include "fmgr.h"

PG_MODULE_MAGIC;

Datum first_column(HeapTuple tuple, TupleDesc desc);

Datum first_column(HeapTuple tuple, TupleDesc desc)
{
	bool isnull;

	return heap_getattr(tuple, 1, desc, &isnull);
}
C
for version in 15.18 15.20
do
	mkdir "$version"
	for package in postgresql-15 postgresql-server-dev-15 libpq-dev
	do
		(cd "$version" && apt-get -qq download "$package=$version-0+deb12u1" 2> /dev/null)
	done
	for package in "$version"/*.deb; do dpkg-deb -x "$package" "$version"; done
	include=$version/usr/include/postgresql
	gcc -O2 -fPIC -shared -w -I "$include/15/server" -I "$include/internal" -I "$include" -o "$version.so" column.c
	nm -D --defined-only "$version/usr/lib/postgresql/15/bin/postgres" | awk '{ print $3 }' | sort > "$version.has"
	nm -D --undefined-only "$version.so" | awk '{ print $2 }' | grep -v '@\|^_' | sort > "$version.needs"
done
for headers in 15.18 15.20
do
	for server in 15.18 15.20
	do
		missing=$(comm -23 "$headers.needs" "$server.has")
		echo "headers $headers, server $server lacks: ${missing:-nothing}"
	done
done > seen
cat seen
cat > described <<'TEXT'
headers 15.18, server 15.18 lacks: nothing
headers 15.18, server 15.20 lacks: nothing
headers 15.20, server 15.18 lacks: heap_datum_check
headers 15.20, server 15.20 lacks: nothing
TEXT
diff described seen
