-- Texts, numbers and shapes of SVG.

-- Estimate the width of a label; part of chart_svg().
CREATE FUNCTION catalogue.label_width(label text) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_label_width';

-- Cut a label to a width, or name an empty one; part of chart_svg().
CREATE FUNCTION catalogue.label_fit(label text, width float8) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_label_fit';

-- List the languages of pictures; part of query_parameters().
CREATE FUNCTION catalogue.picture_languages() RETURNS text[]
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_picture_languages';

-- Return the language of pictures, and of messages, that name none: that of the catalogue, else English.
CREATE FUNCTION catalogue.picture_language() RETURNS text LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN coalesce((SELECT l.name
        FROM catalogue.configs c, unnest(catalogue.picture_languages()) l(name)
        WHERE c.key = 'catalogLanguage' AND c.deleted_at IS NULL AND lower(c.value) ~ ('^' || l.name || '\M')
        ORDER BY length(l.name) DESC LIMIT 1), 'en');
END
$$;

-- Return a text of a picture; part of chart_svg().  Arguments: language.  key, the English text.  placeholders, the
-- names of those in braces, each followed by what stands there.
CREATE FUNCTION catalogue.picture_text(language text, key text, VARIADIC placeholders text[] DEFAULT '{}') RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_picture_text';

-- Return a text of a picture in its form for a number of things; part of chart_svg().  Arguments: language.  count, of
-- things.  one, several, the English texts, of which one is the key.
CREATE FUNCTION catalogue.picture_plural(language text, count bigint, one text, several text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_picture_plural';

-- Write a value of a chart; part of chart_svg().
CREATE FUNCTION catalogue.value_text(value float8, language text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_value_text';

-- Write a part of a whole; part of chart_svg().
CREATE FUNCTION catalogue.percent_text(part float8, language text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_percent_text';

-- Write a number of a scale.  Arguments: value; step, from one number to the next; most, the greatest of the scale
-- without its sign; language.  Part of chart_svg().
CREATE FUNCTION catalogue.tick_text(value float8, step float8, most float8, language text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_tick_text';

-- Return the step of a scale with round numbers; part of chart_svg().  Arguments: minimum, what the step is at least.
-- Returns: 1, 2 or 5 times a power of ten.
CREATE FUNCTION catalogue.round_step(minimum float8) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_round_step';

-- Escape markup, leave out what XML forbids; part of chart_svg().
CREATE FUNCTION catalogue.svg_text(content text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'catalogue_svg_text';

-- Draw a line of text, unless it is NULL; part of chart_svg().
CREATE FUNCTION catalogue.svg_label(classes text, x float8, y float8, label text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT '<text class="' || $1 || '" x="' || to_char($2, 'FM999990.0') || '" y="' || to_char($3, 'FM999990.0') || '">'
        || catalogue.svg_text($4) || E'</text>\n';
END;

-- Draw a line; part of chart_svg().
CREATE FUNCTION catalogue.svg_line(classes text, x1 float8, y1 float8, x2 float8, y2 float8) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format(E'<path class="%s" d="M%s %sL%s %s"/>\n', $1, to_char($2, 'FM999990.0'), to_char($3, 'FM999990.0'),
        to_char($4, 'FM999990.0'), to_char($5, 'FM999990.0'));
END;

-- Draw a square of a legend; part of chart_svg().
CREATE FUNCTION catalogue.svg_square(class text, x float8, y float8) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format(E'<rect class="%s" x="%s" y="%s" width="12" height="12" rx="2"/>\n', $1,
        to_char($2, 'FM999990.0'), to_char($3, 'FM999990.0'));
END;

-- Return a rectangle as a part of a path; part of chart_svg().
CREATE FUNCTION catalogue.svg_box(x float8, y float8, width float8, height float8) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('M%s %sh%sv%sh-%3$sz', to_char($1, 'FM999990.00'), to_char($2, 'FM999990.00'),
        to_char($3, 'FM999990.00'), to_char($4, 'FM999990.00'));
END;

-- Draw GeoJSON as an SVG document; part of extent_svg().  Arguments: language, one of picture_languages().
CREATE FUNCTION catalogue.map_drawn(geojson text, name text, language text) RETURNS text
    LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'catalogue_map_drawn';
