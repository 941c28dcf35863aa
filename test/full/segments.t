#!/usr/bin/perl
# Some bytes of a stored chunk of rows are others, several at once and at random: whoever reads it is given rows, or an
# error of that file, and the server goes on.  Single bytes are damaged in test/sql/segments.sql.

use strict;
use warnings;

use Test::More;
use Catalogue::Definition;
use Catalogue::Test;

my $ROUNDS = 3000;
my $seed   = $ENV{SEED} // time;
diag "SEED=$seed";

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);

# Chunks of few rows are stored as they are, those of many compressed.  Numbers, instants and texts that repeat are
# codes.
my %rows = (
	few => q(VALUES ('1', 'x', '2020-01-31T10:00:00Z', 'u'), ('300', 'y', '2020-02-01T10:00:00Z', NULL),
		('n/a', 'x', '', 'w'), ('-7.5', '', '1999-01-01T00:00:00Z', 'ñ')),
	many => q(SELECT (n * 7 % 1000)::text, 'Street ' || n % 5,
		to_char(timestamp '2020-01-01' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), md5(n::text)
		FROM generate_series(1, 3000) n),
);
my @queries = (
	'', 'a=7', 'a[gt]=7', 'b=x&d=u', 'c[lt]=2020-01-02', 'groupBy=b&aggregate=count,sum(a),max(d)',
	'facets=a,b', 'orderBy=d&sort=desc', 'histogram=a,c',
);
my $list = join ',', map { qq("$_") } @queries;
my $count = @queries;

for my $size (sort keys %rows)
{
	my $file = $definition->create('files');
	$service->sql(<<~"END");
		SELECT catalogue.contents_load('$file', (SELECT json_agg(to_json(r)) FROM ($rows{$size}) r (a, b, c, d)));
		END
	my @codes = $service->sql(<<~"STATEMENTS");
		CREATE FUNCTION pg_temp.code(query text) RETURNS text LANGUAGE plpgsql AS
		\$\$
		BEGIN
			PERFORM catalogue.contents_page('$file', query);
			RETURN '00000';
		EXCEPTION WHEN OTHERS THEN
			RETURN SQLSTATE;
		END
		\$\$;
		-- Return what a query comes to while some bytes are others.
		CREATE FUNCTION pg_temp.damaged(query text) RETURNS text LANGUAGE plpgsql AS
		\$\$
		DECLARE
			was    record;
			bytes  bytea;
			code   text;
		BEGIN
			SELECT c.* INTO was FROM catalogue.sheet_chunk c JOIN catalogue.sheet s ON s.id = c.sheet WHERE s.file = '$file'
			LIMIT 1;
			bytes := was.data;
			FOR i IN 0 .. 1 + floor(random() * 5)::int LOOP
				bytes := set_byte(bytes, floor(random() * length(bytes))::int,
					(ARRAY[0, 1, 127, 255, floor(random() * 256)::int])[1 + floor(random() * 5)::int]);
			END LOOP;
			UPDATE catalogue.sheet_chunk c SET data = bytes WHERE c.sheet = was.sheet;
			code := pg_temp.code(query);
			UPDATE catalogue.sheet_chunk c SET data = was.data WHERE c.sheet = was.sheet;
			RETURN code;
		END
		\$\$;
		SELECT setseed(($seed % 1000) / 1000.0);
		SELECT DISTINCT pg_temp.damaged(q) FROM generate_series(1, $ROUNDS) n,
			LATERAL (SELECT ('{$list}'::text[])[1 + n % $count]) q (q)
		ORDER BY 1;
		STATEMENTS
	ok(scalar @codes >= 2, "$size rows: some are read, some refused");
	is_deeply([grep { !/^(?:00000|XX001|OD422)$/ } @codes], [],
		"$size rows: they are read, or the file is told as damaged");
	is($service->get("/files/$file/contents?limit=1")->{status}, 206,
		"$size rows: the server goes on");
}

$service->finish;
