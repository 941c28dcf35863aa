# shellcheck shell=bash
# Functions for the shell of Catalogue::Reader.  They replace `make run` and `make stop`, since the tests have built
# everything and started PostgreSQL already.  Sourced in the reader's directory.
#
# READER_PORT is the port of the service, READER_PLACE a directory for files that the page does not mention.
# READER_SERVER is the kind of PostgreSQL server: "shared", that of the tests, in which the first `make run`
# creates the database PGDATABASE; "service", the one that `make run` creates; "bare", a running server without
# a catalogue, named by PGHOST, PGPORT and PGUSER.

set -u

make()
{
	case "${1:-all}" in
		all | deps | install) ;;
		run | stop)
			case "$READER_SERVER $1" in
				'service run') CATALOGUE_PORT=$READER_PORT CATALOGUE_VOLATILE=1 .ci/service start ;;
				'service stop') .ci/service stop ;;
				*) "reader_$1" ;;
			esac
			;;
		*) CATALOGUE_PORT=$READER_PORT env -u MAKEFLAGS make "$@" ;;
	esac
}

# Run a command of PostgreSQL on the server of the tests.
reader_on_server()
{
	(eval "$(.ci/cluster env)" && "$@")
}

reader_database()
{
	if [ "${CATALOGUE_LANGUAGE:-en}" = en ]; then
		reader_on_server createdb --template="$CATALOGUE_TEMPLATE" "$PGDATABASE"
	else
		reader_on_server createdb "$PGDATABASE"
		reader_on_server .ci/database "$PGDATABASE" 2> /dev/null
	fi
	touch "$READER_PLACE/made"
}

# Run one of the programs under the given name, with the settings of `make run`.
reader_program()
{
	local become=() server
	[ "$(id -u)" != 0 ] || become=(setpriv --reuid=postgres --regid=postgres --clear-groups)
	server=$(eval "$(.ci/cluster env)" && echo "host=$PGHOST port=$PGPORT dbname=$PGDATABASE")
	env -u PGDATABASE -u CATALOGUE_ADMIN_PASSWORD CATALOGUE_PORT="$READER_PORT" CATALOGUE_THREADS=2 CATALOGUE_POOL=8 \
		CATALOGUE_DATABASE="$server user=catalogue_shim" CATALOGUE_WORKER_DATABASE="$server user=catalogue_worker" \
		CATALOGUE_TOKEN_SECRET='a secret of the tests, at least 32 bytes' CATALOGUE_LOG_DIRECTORY="$PWD/var/logs" \
		CATALOGUE_PRIVATE="${CATALOGUE_PRIVATE:-off}" "${become[@]}" "$CATALOGUE_SHIM" "${@:2}" \
		>> "$READER_PLACE/$1.output" 2>&1 < /dev/null &
	echo "$! $READER_PORT" > "var/$1"
}

# Whether both programs run: the shim answers, and the worker is connected, after it has set its signal handlers.
reader_is_up()
{
	curl -s -f -m 2 -o /dev/null "http://127.0.0.1:$READER_PORT/health" || return
	[ "$(reader_on_server psql -XAtc "SELECT count(*) > 0
		FROM pg_stat_activity WHERE datname = '$PGDATABASE' AND application_name = 'catalogue-worker'")" = t ]
}

reader_run()
{
	[ -e "$READER_PLACE/made" ] || reader_database
	[ ! -e var/shim ] || { echo 'the catalogue runs already'; return; }
	reader_program shim
	reader_program worker --worker
	local try
	for try in {1..400}; do
		! reader_is_up || break
		sleep 0.05
	done
	[ "$try" != 400 ] || { cat "$READER_PLACE/shim.output" "$READER_PLACE/worker.output"; return 1; }
	echo "the catalogue is at http://127.0.0.1:$READER_PORT"
}

# Stop both programs; record the status of each that does not end with status 0.
reader_stop()
{
	local name pid port status
	for name in shim worker; do
		[ -e "var/$name" ] || continue
		read -r pid port < "var/$name"
		status=0
		kill "$pid" || true
		wait "$pid" || status=$?
		[ $status = 0 ] || echo "$name on port $port: status $status" >> "$READER_PLACE/statuses"
		rm "var/$name"
	done
	echo 'the catalogue is stopped'
}

# Make a server like one that a person has already, with pg_cron in it.
reader_bare_server()
{
	export CATALOGUE_VAR=$READER_PLACE/server CATALOGUE_VOLATILE=1
	.ci/cluster start
	eval "$(.ci/cluster env)"
	dropdb --force "$PGDATABASE"
	unset PGDATABASE CATALOGUE_ADMIN_PASSWORD
	export CATALOGUE_PORT=$READER_PORT
}

[ "$READER_SERVER" != bare ] || reader_bare_server
