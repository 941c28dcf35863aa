/*
 * settings_list.h - the settings: one row for each, in the order of --help.
 *
 * TEXT(name, variable, default, help)
 * SWITCH(name, variable, default, help): on or off
 * NUMBER(name, variable, default, least, most, help)
 * DURATION(name, variable, default, least, most, help): milliseconds; the default has its unit
 *
 * The variable has the prefix CATALOGUE_; .ci/variables reads these names.
 */
/* clang-format off */
TEXT(address, ADDRESS, "127.0.0.1", "IP address to listen on")
NUMBER(port, PORT, "3000", 0, 65535, "port to listen on; 0 takes a free one and logs it")
NUMBER(threads, THREADS, "0", 0, 256, "threads that serve requests; 0 is one for each core")
TEXT(database, DATABASE, "dbname=catalogue", "libpq connection string")
TEXT(read_database, READ_DATABASE, "",
	"libpq connection string of standbys, which answer reads without a user; empty: none")
DURATION(read_lag, READ_LAG, "5s", 2000, 60000,
	"how far a standby of read_database may be behind, measured every second; one that is further is not asked")
TEXT(worker_database, WORKER_DATABASE, "",
	"libpq connection string of catalogue-worker; empty: as database, as user catalogue_worker")
NUMBER(worker_jobs, WORKER_JOBS, "2", 1, 64, "jobs that catalogue-worker does at once, each in a process; one more for what a visitor waits for")
TEXT(scanner, SCANNER, "",
	"scanner of uploads: unix:/path of clamd, or a command, which reads the bytes and exits with 0 for clean, 1 "
	"for harmful; empty: none")
TEXT(mail_command, MAIL_COMMAND, "",
	"program that catalogue-worker sends e-mail with, such as /usr/sbin/sendmail -i; the recipients follow its "
	"arguments, the message is its input; no shell is used; empty: none is sent")
TEXT(mail_from, MAIL_FROM, "", "sender of e-mail, an address; required with mail_command")
TEXT(mail_to, MAIL_TO, "",
	"recipients of e-mail to the operator, addresses separated by commas; required with mail_command")
TEXT(fetch_allowed_addresses, FETCH_ALLOWED_ADDRESSES, "",
	"addresses and networks that catalogue-worker may connect to for remote services besides public addresses, "
	"such as 10.1.0.0/16; empty: none")
TEXT(fetch_ca_file, FETCH_CA_FILE, "",
	"certificates, in PEM, of the authorities that servers of remote services are to be certified by; empty: "
	"those of the system")
DURATION(fetch_timeout, FETCH_TIMEOUT, "20s", 100, DAY,
	"how long a remote service may take from the connection to the end of its answer")
NUMBER(fetch_limit, FETCH_LIMIT, "16777216", 1024, (int64_t) 1 << 32,
	"bytes of the answer of a remote service, or of all documents of an import")
DURATION(harvest_timeout, HARVEST_TIMEOUT, "1h", 1000, 366 * DAY,
	"how long the documents of another catalogue may take to be fetched for an import; what is not fetched by "
	"then is missing")
TEXT(store_url, STORE_URL, "",
	"bucket of an object store that speaks S3, which has bytes of files, such as https://s3.example.org/catalogue; "
	"empty: PostgreSQL has them all")
TEXT(store_region, STORE_REGION, "us-east-1", "region that requests to the object store are signed for")
TEXT(store_credentials, STORE_CREDENTIALS, "",
	"path of the file with the credentials of the object store, key:secret, which is read for each request; required "
	"with store_url")
TEXT(store_ca_file, STORE_CA_FILE, "",
	"certificates, in PEM, of the authorities that the object store is to be certified by; empty: those of the system")
SWITCH(store_bytes, STORE_BYTES, "on",
	"on or off: catalogue-worker moves bytes of files to the object store, or back from it")
NUMBER(store_part, STORE_PART, "67108864", 5242880, (int64_t) 5 << 30,
	"bytes above which an object is sent to the object store by parts of so many, larger ones where they were more "
	"than 10,000")
DURATION(store_timeout, STORE_TIMEOUT, "10s", 100, DAY,
	"how long the object store may take for 1 MiB, or move no bytes of what is longer")
TEXT(base_url, BASE_URL, "", "beginning of all links; empty: the Host of the request, if allowed_hosts has it")
TEXT(allowed_hosts, ALLOWED_HOSTS, "localhost,127.0.0.1,[::1]", "hosts, without port, that links may be made from")
TEXT(trusted_proxies, TRUSTED_PROXIES, "",
	"addresses and networks, such as 10.0.0.0/8, whose X-Forwarded-For, -Proto, -Host are trusted")
SWITCH(private, PRIVATE, "on", "on or off: refuse requests without a consumer or a user")
TEXT(public_paths, PUBLIC_PATHS, "",
	"comma-separated paths that are not private; * matches one word: /files/*/download")
TEXT(metrics_addresses, METRICS_ADDRESSES, "",
	"addresses and networks whose connections may read /metrics without a credential; not those of proxies")
TEXT(cors_origins, CORS_ORIGINS, "*",
	"origins, such as https://example.org, whose pages may read answers; or *, or none")
TEXT(frame_ancestors, FRAME_ANCESTORS, "*",
	"origins, such as https://example.org, whose pages may show charts, maps and rows in a frame; or *, or none")
TEXT(map_tiles, MAP_TILES, "",
	"origins, such as https://tile.example.org, from which pages may load the tiles of basemaps")
TEXT(map_streets, MAP_STREETS, "",
	"path of a file of streets, PMTiles with the layers of Protomaps, that lie beneath maps of the page; empty: none")
TEXT(cors_headers, CORS_HEADERS, "",
	"headers that such pages may send, besides those that the service reads and Cache-Control, Pragma,"
	" Upload-Draft-Interop-Version, X-Requested-With")
TEXT(page_languages, PAGE_LANGUAGES, "",
	"languages of pages, such as es,en; the first is that of clients which ask for none of them; empty: all, "
	"English first")
DURATION(cors_max_age, CORS_MAX_AGE, "10m", 0, DAY, "how long browsers may keep the answer to a preflight")
TEXT(token_secret, TOKEN_SECRET, "", "key that signs the tokens of users, at least 32 bytes; required")
DURATION(token_lifetime, TOKEN_LIFETIME, "24h", 1000, 366 * DAY, "how long a token of a user is valid")
TEXT(environment, ENVIRONMENT, "development", "name of the log file")
TEXT(log_directory, LOG_DIRECTORY, "logs", "directory of the log file; it is created if it is missing; -: lines are written to standard output")
TEXT(log_level, LOG_LEVEL, "info", "silly, verbose, info, http, warn, error or silent")
SWITCH(statistics, STATISTICS, "on", "on or off: record every request in /statistics")
NUMBER(connections, CONNECTIONS, "4096", 1, 100000, "clients that may be connected at once")
NUMBER(shared_connections, SHARED_CONNECTIONS, "2", 1, 64,
	"database connections of each thread that quick reads share")
NUMBER(pool, POOL, "0", 0, 64,
	"database connections of each thread that serve one write or slow read at a time, or a few filtered pages; 0 "
	"is the thread's part of 32, 4 at least")
NUMBER(transfers, TRANSFERS, "1", 1, 64, "database connections of each thread for bytes of files")
NUMBER(queue, QUEUE, "2048", 1, 100000,
	"calls of each thread that may wait for a connection, of one client a third; a quarter is kept for users "
	"and writes; more are refused with 503")
DURATION(queue_timeout, QUEUE_TIMEOUT, "2s", 1, DAY, "how long a call may wait for a connection")
DURATION(call_timeout, CALL_TIMEOUT, "5s", 10, DAY, "how long PostgreSQL may work on a call")
NUMBER(stream_rate, STREAM_RATE, "65536", 0, 1 << 30,
	"bytes per second: a stream of CSV or NDJSON that its client reads more slowly for 30 s ends when another "
	"client waits for one; 0: never")
NUMBER(body_limit, BODY_LIMIT, "1048576", 1, 1 << 30, "bytes of a JSON body")
NUMBER(memory, MEMORY, "268435456", 1 << 20, INT64_C(1) << 40,
	"bytes of bodies and answers that may be in memory at once, of one client as many as there is room left; more"
	" are refused with 503. A quarter of it besides is for bytes of the object store that are asked for early")
DURATION(header_timeout, HEADER_TIMEOUT, "10s", 1, DAY,
	"how long a client may take for the headers, and for a body before its rate is measured")
DURATION(request_timeout, REQUEST_TIMEOUT, "60s", 1, DAY,
	"how long a request may take from its first line to the last byte of the answer")
DURATION(idle_timeout, IDLE_TIMEOUT, "30s", 1, DAY, "how long a connection may wait for its next request")
DURATION(shutdown_timeout, SHUTDOWN_TIMEOUT, "10s", 1, DAY, "how long requests may take to end after SIGTERM")
