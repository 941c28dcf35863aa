--
-- symbols: the extension calls its own functions, whatever names the libraries have that a server loads besides
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Compiling a plan loads LLVM, and with it libedit, which has a history_end() as well.
SELECT id_of('tags', 'water') AS water \gset
\c -
SET search_path = test;
SET jit = on;
SET jit_above_cost = 0;
SELECT count(*) > 0 AS counted FROM catalogue.tags;
SET jit = off;
DELETE FROM catalogue.tags WHERE id = :'water';
SELECT deleted_at IS NOT NULL AS deleted FROM catalogue.tags WHERE id = :'water';
