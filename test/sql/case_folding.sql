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

-- Marks that stay, as those of Hebrew, are sorted, so that each order is the same text; also behind many letters, where
-- a piece of the text ends that is decomposed at once.
SELECT n
FROM unnest(ARRAY[1, 62, 63, 64, 65, 127, 128, 129]) n
WHERE catalogue.fold(repeat(U&'\05E9', n) || U&'\05BC\05B0') <> catalogue.fold(repeat(U&'\05E9', n) || U&'\05B0\05BC');
-- But no letter has 1,000 marks: they are not sorted as a whole, which takes the square of their number.
SELECT length(f), left(f, 1) = U&'\05BC' AS first_stays, position(U&'\05B0' IN f)
FROM catalogue.fold(repeat(U&'\05BC', 1000) || repeat(U&'\05B0', 1000)) f;
SELECT length(catalogue.fold(repeat(U&'\0315', 100000) || repeat(U&'\0316', 100000))) AS nothing;
