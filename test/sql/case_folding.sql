--
-- case_folding: texts are compared without regard to case and accents
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- Case and accents go, everything else stays.
SELECT t AS text, catalogue.fold(t) AS folded
FROM unnest(ARRAY['Water', 'ÁRBOL', 'Año', E'an\u0303o', 'ÇĞİŞ', 'Straße', 'Ærø', 'ΑΘΗΝΑ', 'Ёлка', '日本', '50 % _ \', '',
    '  two  spaces ']) WITH ORDINALITY e(t,
    n)
ORDER BY n;

-- Precomposed and decomposed letters are the same.
SELECT catalogue.fold(U&'\00E9') = catalogue.fold(U&'e\0301') AS same;

-- Folding again changes nothing.
SELECT t
FROM unnest(ARRAY['ÁRBOL', 'ÇĞİŞ', 'Straße', 'ΑΘΗΝΑ', 'Ёлка', 'ﬁle', '①']) e(t)
WHERE catalogue.fold(catalogue.fold(t)) <> catalogue.fold(t);

-- Nothing comes of nothing.
SELECT catalogue.fold(NULL) IS NULL AS is_null;
