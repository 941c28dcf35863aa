--
-- harvest_links: the addresses of further pages of a harvest, and why one of them is not fetched
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- References as RFC 3986 resolves them, except for "." and "..", which the library that fetches removes.
SELECT b AS base, r AS reference, catalogue.url_resolved(b, r)
FROM unnest(ARRAY['http://a.example/b/c?d=1#e', 'https://a.example']) b,
    unnest(ARRAY['http://g.example/', 'mailto:x', '//g.example/h', '/g', '?y', 'g', 'g?y#s', './g', '../g', 'g;x=1/y',
        '', '#s', ' g ', E'\n?y\n']) WITH ORDINALITY r(r, n)
ORDER BY b, n;

-- The same server, by its port for TLS too; others are told.
SELECT u AS url, n AS next, l.link, l.reason
FROM (VALUES ('http://a.example/c', 'http://A.example/c?p=2'), ('http://a.example/c', 'https://a.example/c?p=2'),
    ('HTTP://a.example/c', 'https://A.EXAMPLE/c?p=2'), ('http://a.example:80/c', 'https://a.example/c'),
    ('http://a.example/c', 'https://a.example:8443/c'), ('https://a.example/c', 'http://a.example/c'),
    ('http://a.example/c', 'http://www.a.example/c'), ('http://a.example/c', 'http://a.example.b.example/c'),
    ('http://a.example/c', 'http://x@a.example/c'), ('http://a.example/c', 'https://a.example@b.example/c'),
    ('http://a.example/c', 'http://a.example\@b.example/c'), ('http://a.example/c', 'ftp://a.example/c'),
    ('http://a.example/c', '//b.example/c'), ('http://a.example/c', 'javascript:alert(1)')) v(u, n),
    catalogue.harvest_links(u, json_build_object('hydra:view', json_build_object('hydra:next', n))) l;
SELECT length(link), reason FROM catalogue.harvest_links('http://a.example/c',
    json_build_object('hydra:view', json_build_object('hydra:next', 'http://a.example/' || repeat('x', 2000))));
-- nothing leads on
SELECT count(*) FROM unnest(ARRAY['{}', '[]', '1', '{"hydra:view": {"hydra:next": {}}}', '{"hydra:next": 7}',
    '{"hydra:next": null}', '{"hydra:next": []}', '{"hydra:next": ""}', '{"hydra:next": "#a"}']) d,
    catalogue.harvest_links('http://a.example/c', d::json);

-- The field Link leads on where the document does not: its relation next, whatever else it has.
SELECT h AS header, l.link, l.reason
FROM unnest(ARRAY['<http://a.example/c?p=2>; rel="next"', '<?p=2>;rel=next',
    '</c?p=1>; rel="prev", </c?p=3>; rel="next"', '</c?p=3>; rel="next", </c?p=9>; rel="last"',
    '</c?p=2>; title="a, b"; REL="last next"', '<?a=1,2>; rel="next"',
    '<http://b.example/c>; rel="next"', '</c>; rel="prev"', '</c>; rel="nextish"', '</c>; rel="next-archive"',
    '</c>; title="next"', '</c>; rev="next"', '<#a>; rel="next"', 'next', '']) WITH ORDINALITY h(h, n)
    LEFT JOIN LATERAL catalogue.harvest_links('http://a.example/c', '{}', h) l ON true
ORDER BY n;
SELECT link FROM catalogue.harvest_links('http://a.example/c', '{"hydra:view": {"hydra:next": "?page=2"}}',
    '<?p=2>; rel="next"');
SELECT count(*) FROM catalogue.harvest_links('blob:1', '{}', '<http://a.example/>; rel="next"');
