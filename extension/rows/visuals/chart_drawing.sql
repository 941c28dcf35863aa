-- Charts as SVG.  Lengths and positions are in units of the picture, which is 720 wide with a margin of 24.

-- Where a chart is drawn, and the numbers along its axis; their ends are multiples of the step.
CREATE TYPE catalogue.chart_plot AS (
    "left"   float8,
    "right"  float8,
    top      float8,
    bottom   float8,
    low      float8,
    high     float8,
    step     float8,
    language text
);
COMMENT ON TYPE catalogue.chart_plot IS 'Where a chart is drawn, and its scale; part of chart_svg()';

-- List the values of a chart.  Returns: series and label, their numbers from 0; value; size, which it is drawn with.
-- Part of chart_svg().  The size of a value is a number that sums and parts can be computed with.
CREATE FUNCTION catalogue.chart_cells(chart catalogue.chart_shape)
    RETURNS TABLE (series integer, label integer, value float8, size float8) LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT ((d.n - 1) / cardinality($1.labels))::integer, ((d.n - 1) % cardinality($1.labels))::integer, d.value,
        CASE WHEN abs(d.value) >= greatest(least(max(abs(d.value)) OVER (), 1e300), 1e-270) / 1e20
            THEN least(greatest(d.value, -1e300), 1e300) ELSE 0 * d.value END
    FROM unnest($1.data) WITH ORDINALITY d(value, n);
END;

-- Return a chart of not more than 8 series; part of chart_svg().  Those that are not the largest are one behind them,
-- but not what is a rest already.
CREATE FUNCTION catalogue.chart_reduced(chart catalogue.chart_shape) RETURNS catalogue.chart_shape
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
BEGIN
    IF cardinality(chart.series) > 8 THEN
        WITH sizes AS (
                SELECT c.series, row_number() OVER (ORDER BY c.series = cardinality(chart.series) - 1
                        AND chart.rest,
                    coalesce(sum(abs(c.size)), 0) DESC, c.series) AS rank
                FROM catalogue.chart_cells(chart) c GROUP BY 1),
            ranked AS (
                SELECT s.series, CASE WHEN s.rank < 8 THEN row_number() OVER (PARTITION BY s.rank < 8 ORDER BY s.series)
                    ELSE 8 END AS rank
                FROM sizes s),
            cells AS (
                SELECT p.rank, c.label, CASE WHEN count(*) > 1 THEN sum(c.size ORDER BY c.series)
                    ELSE min(c.value) END AS value
                FROM catalogue.chart_cells(chart) c JOIN ranked p USING (series) GROUP BY 1, 2)
        SELECT (SELECT array_agg(chart.series[p.series + 1] ORDER BY p.rank) FROM ranked p WHERE p.rank < 8)
                || catalogue.picture_text(chart.language, 'Other'), array_agg(c.value ORDER BY c.rank, c.label), true
        INTO chart.series, chart.data, chart.rest FROM cells c;
    END IF;
    RETURN chart;
END
$$;

-- Return the number of the colour of a series; part of chart_svg().
CREATE FUNCTION catalogue.chart_color(chart catalogue.chart_shape, series integer) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN $2 > 0 AND $2 = cardinality($1.series) - 1 AND $1.rest THEN 7 ELSE $2 % 8 END;
END;

-- Return a scale with round numbers; part of chart_svg().
CREATE FUNCTION catalogue.chart_scale(chart catalogue.chart_shape, low float8, high float8, bars boolean)
    RETURNS catalogue.chart_plot LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
DECLARE
    plot  catalogue.chart_plot;
BEGIN
    -- lines begin at zero, too, unless all values are far from it
    IF bars OR low > 0 AND low <= high / 2 THEN
        low := least(low, 0);
    END IF;
    IF bars OR high < 0 AND high >= low / 2 THEN
        high := greatest(high, 0);
    END IF;
    low := greatest(low, -1e300);
    high := least(high, 1e300);
    IF high - low < 1e-290 THEN
        high := low + CASE WHEN low <> 0 THEN abs(low) ELSE 1 END;
    END IF;
    plot.language := chart.language;
    plot.step := catalogue.round_step((high - low) / 5);
    IF (SELECT bool_and(d.value = floor(d.value)) FROM unnest(chart.data) d(value)) THEN
        plot.step := greatest(plot.step, 1);
    END IF;
    plot.low := floor(low / plot.step + 1e-9) * plot.step;
    plot.high := ceil(high / plot.step - 1e-9) * plot.step;
    RETURN plot;
END
$$;

-- Return where a value is on a line; part of chart_svg().
CREATE FUNCTION catalogue.chart_at(plot catalogue.chart_plot, value float8, "from" float8, "to" float8)
    RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT $3 + ($4 - $3) * greatest(0, least(1, ($2 - $1.low) / ($1.high - $1.low)));
END;

-- List the numbers of a scale; part of chart_svg().
CREATE FUNCTION catalogue.chart_ticks(plot catalogue.chart_plot) RETURNS TABLE (value float8, label text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT $1.low + $1.step * i, catalogue.tick_text($1.low + $1.step * i, $1.step, greatest(abs($1.low),
        abs($1.high)), $1.language)
    FROM generate_series(0, least(round(($1.high - $1.low) / $1.step), 1000)::integer) i;
END;

-- List the ends of the bars of a chart, in values; part of chart_svg().  Bars of positive and of negative values are
-- stacked away from zero.
CREATE FUNCTION catalogue.chart_stack(chart catalogue.chart_shape)
    RETURNS TABLE (series integer, label integer, "from" float8, "to" float8) LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.series, s.label, coalesce(lag(s.sum) OVER (PARTITION BY s.label, s.below ORDER BY s.series), 0), s.sum
    FROM (SELECT c.series, c.label, c.size < 0 AS below,
              sum(c.size) OVER (PARTITION BY c.label, c.size < 0 ORDER BY c.series) AS sum
          FROM catalogue.chart_cells($1) c WHERE c.size IS NOT NULL) s;
END;

-- List the ends of the bars of a chart, in the picture.  Arguments: from and to, where the ends of the scale are.
-- Returns: a row for each bar; one that begins at another has a gap before it.  Part of chart_svg().
CREATE FUNCTION catalogue.chart_bars(chart catalogue.chart_shape, plot catalogue.chart_plot, "from" float8, "to" float8)
    RETURNS TABLE (series integer, label integer, start float8, stop float8) LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.series, s.label, least(g.start, e.stop), greatest(g.start, e.stop)
    FROM catalogue.chart_stack($1) s, catalogue.chart_at($2, s.from, $3, $4) b(start),
        catalogue.chart_at($2, s.to, $3, $4) e(stop),
        LATERAL (SELECT b.start + CASE WHEN s.from <> 0 AND abs(e.stop - b.start) > 3 THEN sign(e.stop - b.start)
            ELSE 0 END) g(start)
    WHERE s.from <> s.to;
END;

-- List the tooltips of the labels: their values.  Browsers show one as the title of a shape, and the
-- page of the service makes its own of these.  More than 600 are too small to be pointed at.  Part of chart_svg().
CREATE FUNCTION catalogue.chart_tooltips(chart catalogue.chart_shape) RETURNS TABLE (label integer, tooltip text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    -- isolated, since the direction of writing of a name may be another one than that of the value
    SELECT c.label, CASE WHEN $1.series IS NULL THEN '' ELSE l.label || E'\n' END
        || string_agg(format(E'\u2068%s\u2069: %s', CASE WHEN $1.series IS NULL THEN l.label
            ELSE catalogue.label_fit($1.series[c.series + 1], 480) END, catalogue.value_text(c.value, $1.language)),
            E'\n' ORDER BY c.series)
    FROM catalogue.chart_cells($1) c, catalogue.label_fit($1.labels[c.label + 1], 480) l(label)
    WHERE c.value IS NOT NULL AND cardinality($1.labels) <= 600
    GROUP BY 1, l.label;
END;

-- Draw an area that is not seen and has a tooltip; part of chart_svg().
CREATE FUNCTION catalogue.svg_area(x float8, y float8, width float8, height float8, tooltip text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format(E'<path class="v" d="%s"><title>%s</title></path>\n', catalogue.svg_box($1, $2, $3, $4),
        catalogue.svg_text($5));
END;

-- Draw the names of several series with their colours.  Arguments: y, where; returned is where the next part begins.
-- Part of chart_svg().
CREATE FUNCTION catalogue.chart_legend(chart catalogue.chart_shape, INOUT y float8, OUT elements text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
DECLARE
    x      float8 := 24;
    width  float8;
    label  text;
BEGIN
    elements := '';
    FOR i IN 0 .. coalesce(nullif(cardinality(chart.series), 1), 0) - 1 LOOP
        label := catalogue.label_fit(chart.series[i + 1], 200);
        width := 18 + catalogue.label_width(label);
        IF x > 24 AND x + width > 696 THEN
            x := 24;
            y := y + 20;
        END IF;
        elements := elements || catalogue.svg_square('f' || catalogue.chart_color(chart, i), x, y)
            || catalogue.svg_label('', x + 18, y + 10, label);
        x := x + width + 20;
    END LOOP;
    y := y + CASE WHEN elements = '' THEN 0 ELSE 28 END;
END
$$;

-- Draw lines with the numbers of their scale; part of chart_svg().
CREATE FUNCTION catalogue.chart_axis(chart catalogue.chart_shape, INOUT plot catalogue.chart_plot, INOUT y float8,
    OUT elements text) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
BEGIN
    elements := coalesce(catalogue.svg_label('soft', 24, y + 10, catalogue.label_fit(chart.titles[3], 672)), '');
    y := y + CASE WHEN elements = '' THEN 8 ELSE 26 END;
    plot.left := 34 + (SELECT max(catalogue.label_width(t.label)) FROM catalogue.chart_ticks(plot) t);
    plot.right := 696;
    plot.top := y;
    plot.bottom := y + 300;
    elements := elements || (
        SELECT string_agg(catalogue.svg_line('grid', plot.left, p.y, plot.right, p.y)
            || catalogue.svg_label('soft end', plot.left - 8, p.y + 4, t.label), '' ORDER BY t.value)
        FROM catalogue.chart_ticks(plot) t, catalogue.chart_at(plot, t.value, plot.bottom, plot.top) p(y));
    y := plot.bottom;
END
$$;

-- Draw as many labels as there is room for; part of chart_svg().
CREATE FUNCTION catalogue.chart_labels(chart catalogue.chart_shape, plot catalogue.chart_plot, OUT y float8,
    OUT elements text) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
DECLARE
    slot    float8 := (plot.right - plot.left) / cardinality(chart.labels);
    widest  float8 := (SELECT least(max(catalogue.label_width(l)), 720) FROM unnest(chart.labels) l);
    every   integer := 1;
BEGIN
    IF widest > slot - 10 THEN
        widest := least(widest, 96);
        every := ceil((widest + 10) / slot);
    END IF;
    y := plot.bottom + 19;
    SELECT string_agg(catalogue.svg_label('mid', greatest(4 + w.half, least(716 - w.half,
               plot.left + slot * (l.n - 0.5))), y, f.label), '' ORDER BY l.n)
    INTO elements
    FROM unnest(chart.labels) WITH ORDINALITY l(label, n), catalogue.label_fit(l.label, widest) f(label),
        LATERAL (SELECT catalogue.label_width(f.label) / 2) w(half)
    WHERE (l.n - 1) % every = 0;
    IF chart.titles[1] IS NOT NULL THEN
        y := y + 18;
        elements := elements || catalogue.svg_label('soft mid', (plot.left + plot.right) / 2, y,
            catalogue.label_fit(chart.titles[1], plot.right - plot.left));
    END IF;
    y := y + 20;
END
$$;

-- Draw areas with tooltips of the labels; part of chart_svg().
CREATE FUNCTION catalogue.chart_areas(chart catalogue.chart_shape, plot catalogue.chart_plot) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT coalesce(string_agg(catalogue.svg_area($2.left + s.slot * t.label, $2.top, s.slot, $2.bottom - $2.top,
        t.tooltip), '' ORDER BY t.label), '')
    FROM catalogue.chart_tooltips($1) t, LATERAL (SELECT ($2.right - $2.left) / cardinality($1.labels)) s(slot);
END;

-- Draw bars beside each other; part of chart_svg().
CREATE FUNCTION catalogue.chart_columns(chart catalogue.chart_shape, INOUT y float8, OUT elements text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
DECLARE
    count     integer := cardinality(chart.labels);
    -- whether there is room for the values at the bars; the numbers at the left have a width of 60, about
    numbered  boolean := coalesce(cardinality(chart.series), 1) = 1 AND count <= 24
        AND (SELECT max(catalogue.label_width(catalogue.value_text(d, chart.language))) FROM unnest(chart.data) d)
            <= 612::float8 / count;
    plot      catalogue.chart_plot;
    low       float8;
    high      float8;
    slot      float8;
    width     float8;
    part      record;
    bars      text;
BEGIN
    SELECT min(least(s.to, 0)), max(greatest(s.to, 0)) INTO low, high FROM catalogue.chart_stack(chart) s;
    plot := catalogue.chart_scale(chart, low, high, true);
    IF numbered AND low < 0 AND low - plot.low < (plot.high - plot.low) * 0.08 THEN
        plot.low := plot.low - plot.step;
    END IF;
    IF numbered AND high > 0 AND plot.high - high < (plot.high - plot.low) * 0.08 THEN
        plot.high := plot.high + plot.step;
    END IF;
    SELECT l.y, l.elements INTO y, elements FROM catalogue.chart_legend(chart, y) l;
    part := catalogue.chart_axis(chart, plot, y);
    plot := part.plot;
    elements := elements || part.elements;
    slot := (plot.right - plot.left) / count;
    width := CASE WHEN slot < 3 THEN slot ELSE least(slot * 0.72, 72) END;
    SELECT string_agg(format(E'<path class="f%s" d="%s"/>\n', catalogue.chart_color(chart, s.series), b.boxes), ''
        ORDER BY s.series)
    INTO bars
    FROM generate_series(0, coalesce(cardinality(chart.series), 1) - 1) s(series)
        LEFT JOIN (SELECT b.series, string_agg(catalogue.svg_box(plot.left + slot * (b.label + 0.5) - width / 2,
                       b.start, width, b.stop - b.start), '' ORDER BY b.label) AS boxes
                   FROM catalogue.chart_bars(chart, plot, plot.bottom, plot.top) b GROUP BY 1) b USING (series);
    y := catalogue.chart_at(plot, 0, plot.bottom, plot.top);
    elements := elements || bars || catalogue.svg_line('base', plot.left, y, plot.right, y);
    IF numbered THEN
        elements := elements || (
            SELECT string_agg(catalogue.svg_label('mid', plot.left + slot * (c.label + 0.5), catalogue.chart_at(plot,
                    c.size, plot.bottom, plot.top) + CASE WHEN c.value < 0 THEN 14 ELSE -5 END,
                catalogue.value_text(c.value, chart.language)), '' ORDER BY c.label)
            FROM catalogue.chart_cells(chart) c);
    END IF;
    part := catalogue.chart_labels(chart, plot);
    y := part.y;
    elements := concat(elements, catalogue.chart_areas(chart, plot), part.elements);
END
$$;

-- Draw bars beneath each other; part of chart_svg().
CREATE FUNCTION catalogue.chart_rows(chart catalogue.chart_shape, INOUT y float8, OUT elements text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
DECLARE
    count   integer := cardinality(chart.labels);
    widest  float8 := (SELECT least(max(catalogue.label_width(l)), 230) FROM unnest(chart.labels) l);
    alone   boolean := coalesce(cardinality(chart.series), 1) = 1;
    plot    catalogue.chart_plot := (
        SELECT catalogue.chart_scale(chart, min(least(s.to, 0)), max(greatest(s.to, 0)), true)
        FROM catalogue.chart_stack(chart) s);
    bars    text;
BEGIN
    SELECT l.y, l.elements INTO y, elements FROM catalogue.chart_legend(chart, y) l;
    plot.left := 34 + widest;
    plot.right := 696 - CASE WHEN alone THEN 5 + (
        SELECT max(catalogue.label_width(catalogue.value_text(d, chart.language))) FROM unnest(chart.data) d)
        ELSE 10 END;
    plot.top := y + CASE WHEN chart.titles[1] IS NULL THEN 4 ELSE 22 END;
    plot.bottom := plot.top + 26 * count;
    SELECT concat(elements, catalogue.svg_label('soft', 24, y + 10, catalogue.label_fit(chart.titles[1], 672)),
        string_agg(catalogue.svg_label('end', plot.left - 8, plot.top + 26 * (l.n - 0.5) + 4,
            catalogue.label_fit(l.label, widest)), '' ORDER BY l.n))
    INTO elements FROM unnest(chart.labels) WITH ORDINALITY l(label, n);
    elements := elements || (
        SELECT string_agg(catalogue.svg_line('grid', p.x, plot.top, p.x, plot.bottom)
            || catalogue.svg_label('soft mid', p.x, plot.bottom + 16, t.label), '' ORDER BY t.value)
        FROM catalogue.chart_ticks(plot) t, catalogue.chart_at(plot, t.value, plot.left, plot.right) p(x));
    SELECT string_agg(format(E'<path class="f%s" d="%s"/>\n', catalogue.chart_color(chart, s.series), b.boxes), ''
        ORDER BY s.series)
    INTO bars
    FROM generate_series(0, coalesce(cardinality(chart.series), 1) - 1) s(series)
        LEFT JOIN (SELECT b.series, string_agg(catalogue.svg_box(b.start, plot.top + 26 * b.label + 4, b.stop - b.start,
                       18), '' ORDER BY b.label) AS boxes
                   FROM catalogue.chart_bars(chart, plot, plot.left, plot.right) b GROUP BY 1) b USING (series);
    y := catalogue.chart_at(plot, 0, plot.left, plot.right);
    elements := elements || bars || catalogue.svg_line('base', y, plot.top, y, plot.bottom);
    IF alone THEN
        elements := elements || (
            SELECT string_agg(catalogue.svg_label('', 5 + catalogue.chart_at(plot, greatest(c.size, 0), plot.left,
                plot.right), plot.top + 26 * (c.label + 0.5) + 4, catalogue.value_text(c.value, chart.language)), ''
                ORDER BY c.label)
            FROM catalogue.chart_cells(chart) c);
    END IF;
    elements := elements || coalesce((
        SELECT string_agg(catalogue.svg_area(24, plot.top + 26 * t.label, 672, 26, t.tooltip), '' ORDER BY t.label)
        FROM catalogue.chart_tooltips(chart) t), '');
    y := plot.bottom + 16;
    IF chart.titles[3] IS NOT NULL THEN
        y := y + 18;
        elements := elements || catalogue.svg_label('soft mid', (plot.left + plot.right) / 2, y,
            catalogue.label_fit(chart.titles[3], plot.right - plot.left));
    END IF;
    y := y + 20;
END
$$;

-- Draw lines; part of chart_svg().
CREATE FUNCTION catalogue.chart_lines(chart catalogue.chart_shape, INOUT y float8, OUT elements text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
DECLARE
    plot  catalogue.chart_plot := (
        SELECT catalogue.chart_scale(chart, min(c.size), max(c.size), min(c.size) = max(c.size))
        FROM catalogue.chart_cells(chart) c);
    slot  float8;
    part  record;
BEGIN
    SELECT l.y, l.elements INTO y, elements FROM catalogue.chart_legend(chart, y) l;
    part := catalogue.chart_axis(chart, plot, y);
    plot := part.plot;
    elements := elements || part.elements;
    slot := (plot.right - plot.left) / cardinality(chart.labels);
    IF plot.low <= 0 AND plot.high >= 0 THEN
        y := catalogue.chart_at(plot, 0, plot.bottom, plot.top);
        elements := elements || catalogue.svg_line('base', plot.left, y, plot.right, y);
    END IF;
    -- a line is interrupted where there is no value; of many values only those have a dot that no line leads to
    SELECT elements || string_agg(s.drawn, '' ORDER BY s.series) INTO elements
    FROM (SELECT p.series, concat(format(E'<path class="line l%s" d="%s"/>\n', catalogue.chart_color(chart, p.series),
                  string_agg(CASE WHEN p.before IS NULL THEN 'M' ELSE 'L' END || p.x || ' ' || p.y, ''
                      ORDER BY p.label) FILTER (WHERE p.size IS NOT NULL)),
              string_agg(format(E'<circle class="f%s" cx="%s" cy="%s" r="3.5"/>\n', catalogue.chart_color(chart,
                  p.series), p.x, p.y), '' ORDER BY p.label) FILTER (WHERE p.size IS NOT NULL
                      AND (cardinality(chart.labels) <= 40 OR p.before IS NULL AND p.behind IS NULL))) AS drawn
          FROM (SELECT c.*, to_char(plot.left + slot * (c.label + 0.5), 'FM999990.0') AS x,
                    to_char(catalogue.chart_at(plot, c.size, plot.bottom, plot.top), 'FM999990.0') AS y,
                    lag(c.size) OVER w AS before, lead(c.size) OVER w AS behind
                FROM catalogue.chart_cells(chart) c WINDOW w AS (PARTITION BY c.series ORDER BY c.label)) p
          GROUP BY 1) s;
    part := catalogue.chart_labels(chart, plot);
    y := part.y;
    elements := concat(elements, catalogue.chart_areas(chart, plot), part.elements);
END
$$;

-- Draw the shades of a heat map with the values that the first and the last one stand for, and the title of the series.
CREATE FUNCTION catalogue.chart_shades(chart catalogue.chart_shape, kind text, lowest float8, highest float8, y float8)
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH title AS (
        SELECT catalogue.svg_label('soft', 24, $5 + 10, l.text) AS drawn,
            24 + coalesce(catalogue.label_width(l.text) + 16, 0) AS x, catalogue.value_text($3, $1.language) AS low
        FROM (SELECT catalogue.label_fit($1.titles[3], 300)) l(text))
    SELECT concat(t.drawn, catalogue.svg_label('', t.x, $5 + 10, t.low),
        (SELECT string_agg(catalogue.svg_square($2 || i, s.x + 14 * i, $5), '' ORDER BY i)
         FROM generate_series(0, 6) i),
        catalogue.svg_label('', s.x + 102, $5 + 10, catalogue.value_text($4, $1.language)),
        catalogue.svg_label('soft', 24, $5 + 36, catalogue.label_fit($1.titles[2], 300)))
    FROM title t, LATERAL (SELECT t.x + catalogue.label_width(t.low) + 6) s(x);
END;

-- Draw the cells of a heat map.  All cells of a shade are one path; narrow ones side by side are one.  Arguments: kind
-- of shades; shades of the cells by series, then label; columns, their number; width and height of a cell.
CREATE FUNCTION catalogue.chart_heat_cells(plot catalogue.chart_plot, kind text, shades integer[], columns integer,
    width float8, height float8) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(format(E'<path class="%s%s" d="%s"/>\n', $2, s.shade, b.boxes), '' ORDER BY s.shade)
    FROM generate_series(0, 6) s(shade) LEFT JOIN (
        SELECT r.shade, string_agg(catalogue.svg_box($1."left" + $5 * r.label, $1.top + $6 * r.series,
            CASE WHEN $5 >= 5 THEN $5 - 1 ELSE $5 * r.count END, $6 - CASE WHEN $6 > 6 THEN 1 ELSE 0 END), ''
            ORDER BY r.series, r.label) AS boxes
        FROM (SELECT c.shade, c.series, min(c.label) AS label, count(*) AS count
              FROM (SELECT a.shade, (a.n - 1) / $4 AS series, (a.n - 1) % $4 AS label,
                        CASE WHEN $5 >= 5 THEN a.n ELSE (a.n - 1) % $4 - row_number() OVER (
                            PARTITION BY a.shade, (a.n - 1) / $4 ORDER BY a.n) END AS run
                    FROM unnest($3) WITH ORDINALITY a(shade, n)) c
              GROUP BY c.shade, c.series, c.run) r
        GROUP BY 1) b USING (shade);
END;

-- Draw the names of the series beside a heat map, as many as there is room for.
CREATE FUNCTION catalogue.chart_heat_names(plot catalogue.chart_plot, series text[], widest float8, height float8)
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(catalogue.svg_label('end', $1."left" - 8, $1.top + $4 * (s.n - 0.5) + 4,
        catalogue.label_fit(s.name, $3)), '' ORDER BY s.n)
    FROM unnest($2) WITH ORDINALITY s(name, n)
    WHERE (s.n - 1) % CASE WHEN $4 < 12 THEN ceil(14 / $4)::integer ELSE 1 END = 0;
END;

-- Draw cells with shades; part of chart_svg().  Shades go from light to dark, or, if there are negative values, from
-- one colour to another one with zero between them; in the dark colour scheme from dark to light.
CREATE FUNCTION catalogue.chart_heatmap(chart catalogue.chart_shape, INOUT y float8, OUT elements text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
DECLARE
    columns  integer := cardinality(chart.labels);
    rows     integer := cardinality(chart.data) / columns;
    height   float8 := CASE WHEN rows <= 12 THEN 32 WHEN rows <= 30 THEN 22 WHEN rows <= 100 THEN 14 ELSE 5 END;
    widest   float8 := (SELECT max(least(catalogue.label_width(s), 160)) FROM unnest(chart.series) s);
    plot     catalogue.chart_plot;
    kind     text := 'q';
    lowest   float8;   -- as the legend tells it
    highest  float8;
    width    float8;
    shades   integer[];
    part     record;
BEGIN
    SELECT min(c.size), max(c.size), min(c.value), max(c.value) INTO plot.low, plot.high, lowest, highest
    FROM catalogue.chart_cells(chart) c;
    IF lowest < 0 THEN
        kind := 'd';
        plot.high := greatest(abs(plot.low), abs(plot.high));
        plot.low := -plot.high;
        highest := greatest(abs(lowest), abs(highest));
        lowest := -highest;
    END IF;
    elements := catalogue.chart_shades(chart, kind, lowest, highest, y);
    plot.left := 24 + CASE WHEN widest > 0 THEN widest + 8 ELSE 0 END;
    plot.right := 696;
    plot.top := y + CASE WHEN chart.titles[2] IS NULL THEN 26 ELSE 44 END;
    plot.bottom := plot.top + height * rows;
    width := (plot.right - plot.left) / columns;
    shades := ARRAY(
        SELECT CASE WHEN c.size IS NULL THEN NULL WHEN plot.low = plot.high THEN 3
            ELSE least(floor(catalogue.chart_at(plot, c.size, 0, 1) * 7), 6) END
        FROM catalogue.chart_cells(chart) c ORDER BY c.series, c.label);
    elements := elements || catalogue.chart_heat_cells(plot, kind, shades, columns, width, height);
    IF cardinality(chart.data) <= 600 AND height >= 18
        AND (SELECT max(catalogue.label_width(catalogue.value_text(d, chart.language))) FROM unnest(chart.data) d)
            <= width - 3 THEN
        elements := elements || (
            SELECT string_agg(catalogue.svg_label(format('mid v%s%s', kind, shades[c.series * columns + c.label + 1]),
                plot.left + width * (c.label + 0.5), plot.top + height * (c.series + 0.5) + 3.5,
                catalogue.value_text(c.value, chart.language)), '' ORDER BY c.series, c.label)
            FROM catalogue.chart_cells(chart) c);
    END IF;
    elements := elements || coalesce(catalogue.chart_heat_names(plot, chart.series, widest, height), '');
    IF cardinality(chart.data) <= 600 THEN
        elements := elements || (
            SELECT string_agg(catalogue.svg_area(plot.left + width * c.label, plot.top + height * c.series, width,
                height, concat(catalogue.label_fit(chart.series[c.series + 1], 480) || E'\n',
                    format(E'\u2068%s\u2069: %s', catalogue.label_fit(chart.labels[c.label + 1], 480),
                        catalogue.value_text(c.value, chart.language)))), ''
                ORDER BY c.series, c.label)
            FROM catalogue.chart_cells(chart) c WHERE c.value IS NOT NULL);
    END IF;
    part := catalogue.chart_labels(chart, plot);
    y := part.y;
    elements := elements || part.elements;
END
$$;

-- List the slices of a pie, the largest first; part of chart_pie().  Returns: color, its number from 0; label and
-- value, of the eighth those of all that follow; part of the whole; count of the slices; start and stop, angles.
CREATE FUNCTION catalogue.chart_slices(chart catalogue.chart_shape)
    RETURNS TABLE (color bigint, label text, value float8, part float8, count bigint, start float8, stop float8)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH sums AS (
            SELECT c.label, least(coalesce(sum(c.size ORDER BY c.series), 0), 1e300) AS value
            FROM catalogue.chart_cells($1) c GROUP BY 1),
        ranked AS (
            SELECT s.*, row_number() OVER (ORDER BY s.value DESC, s.label) AS rank FROM sums s WHERE s.value > 1e-290),
        slices AS (
            SELECT least(r.rank, 8) - 1 AS color, CASE WHEN count(*) > 1
                THEN catalogue.picture_plural($1.language, count(*), 'Other ({count} label)', 'Other ({count} labels)')
                ELSE $1.labels[min(r.label) + 1] END AS label, sum(r.value ORDER BY r.rank) AS value
            FROM ranked r GROUP BY 1),
        parts AS (SELECT s.*, s.value / sum(s.value) OVER () AS part, count(*) OVER () AS count FROM slices s)
    SELECT p.*, 2 * pi() * (sum(p.part) OVER (ORDER BY p.color) - p.part),
        2 * pi() * sum(p.part) OVER (ORDER BY p.color)
    FROM parts p ORDER BY p.color;
END;

-- Draw slices of a circle; part of chart_svg().  Slices are in the order of their sizes, from the top clockwise.  Those
-- that are too many to be told apart are one.  A negative value is no part of a whole; a note says how many there are.
CREATE FUNCTION catalogue.chart_pie(chart catalogue.chart_shape, INOUT y float8, OUT elements text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
DECLARE
    center    CONSTANT float8 := y + 134;
    negative  bigint;
    slice     record;
    percent   text;
BEGIN
    elements := '';
    FOR slice IN
        SELECT s.*, center - 13 * (s.count - 1) + 4 + 26 * s.color AS y FROM catalogue.chart_slices(chart) s
    LOOP
        percent := catalogue.percent_text(slice.part, chart.language);
        IF slice.color = 0 THEN
            elements := concat(
                catalogue.svg_label('soft', 344, slice.y - 26, catalogue.label_fit(chart.titles[1], 166)),
                catalogue.svg_label('soft end', 696, slice.y - 26, catalogue.label_fit(chart.titles[3], 166)));
        END IF;
        elements := elements || format(
            E'<path class="f%s halo" stroke-width="1.5" stroke-linejoin="round" d="%s"><title>%s</title></path>\n',
            slice.color, CASE WHEN slice.part > 0.9999
                THEN format('M154.0 %sa130.0 130.0 0 1 1 .01 0z', to_char(center - 130, 'FM999990.0'))
                ELSE format('M154.0 %sL%s %sA130.0 130.0 0 %s 1 %s %sz', to_char(center, 'FM999990.0'),
                    to_char(154 + 130 * sin(slice.start), 'FM999990.00'),
                    to_char(center - 130 * cos(slice.start), 'FM999990.00'),
                    (slice.part > 0.5)::integer, to_char(154 + 130 * sin(slice.stop), 'FM999990.00'),
                    to_char(center - 130 * cos(slice.stop), 'FM999990.00')) END,
            catalogue.svg_text(format(E'\u2068%s\u2069: %s (%s)', catalogue.label_fit(slice.label, 480),
                catalogue.value_text(slice.value, chart.language), percent)))
            || catalogue.svg_square('f' || slice.color, 324, slice.y - 10)
            || catalogue.svg_label('', 344, slice.y, catalogue.label_fit(slice.label, 222))
            || catalogue.svg_label('end', 640, slice.y, catalogue.value_text(slice.value, chart.language))
            || catalogue.svg_label('soft end', 696, slice.y, percent);
    END LOOP;
    IF elements = '' THEN
        elements := catalogue.svg_label('soft', 24, y + 16,
            catalogue.picture_text(chart.language, 'No positive values'));
        y := y + 40;
        RETURN;
    END IF;
    y := center + 130;
    SELECT count(*) INTO negative
    FROM (SELECT FROM catalogue.chart_cells(chart) c GROUP BY c.label HAVING sum(c.size) < 0) n;
    IF negative > 0 THEN
        y := y + 20;
        elements := elements || catalogue.svg_label('soft', 24, y, catalogue.picture_plural(chart.language, negative,
            'One label with a negative value is not shown.', '{count} labels with negative values are not shown.'));
    END IF;
    y := y + 24;
END
$$;

-- Return a name whose direction of writing may be another one than that of the sentence; part of chart_svg().
CREATE FUNCTION catalogue.picture_name(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT E'\u2068' || $1 || E'\u2069';
END;

-- Tell what kind of chart it is, of how many labels and series, and their titles; part of chart_svg().
CREATE FUNCTION catalogue.chart_kind(chart catalogue.chart_shape) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT concat(CASE WHEN $1.series IS NULL
            THEN catalogue.picture_text(l.language, '{chart} with {labels}.', 'chart', n.kind, 'labels', n.labels)
            ELSE catalogue.picture_text(l.language, '{chart} with {labels} and {series}.', 'chart', n.kind, 'labels',
                n.labels, 'series', catalogue.picture_plural(l.language, cardinality($1.series), '{count} series',
                    '{count} series')) END,
        (SELECT string_agg(format(' %s: %s.', t.axis, catalogue.picture_name(t.title)), '' ORDER BY t.n)
         FROM unnest(ARRAY[catalogue.picture_text(l.language, 'Labels'), catalogue.picture_text(l.language, 'Series'),
             catalogue.picture_text(l.language, 'Values')], $1.titles) WITH ORDINALITY t(axis, title, n)
         WHERE t.title IS NOT NULL))
    FROM (SELECT $1.language) l(language), LATERAL (
        SELECT CASE $1.type WHEN 'pie' THEN catalogue.picture_text(l.language, 'Pie chart')
                WHEN 'line' THEN catalogue.picture_text(l.language, 'Line chart')
                WHEN 'stackedbar' THEN catalogue.picture_text(l.language, 'Stacked bar chart')
                WHEN 'heatmap' THEN catalogue.picture_text(l.language, 'Heat map')
                ELSE catalogue.picture_text(l.language, 'Bar chart') END AS kind,
            catalogue.picture_plural(l.language, cardinality($1.labels), '{count} label', '{count} labels')
                AS labels) n;
END;

-- Tell the least and the greatest value of a chart, and where they are; part of chart_svg().
CREATE FUNCTION catalogue.chart_range(chart catalogue.chart_shape) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT catalogue.picture_text($1.language, 'Values from {low} to {high}.', 'low',
        min(p.text) FILTER (WHERE p.n = 1), 'high', max(p.text) FILTER (WHERE p.n = 2))
    FROM (SELECT v.n, format('%s (%s%s)', catalogue.value_text(c.value, $1.language),
              catalogue.picture_name($1.labels[c.label + 1]),
              ', ' || catalogue.picture_name($1.series[c.series + 1])) AS text
          FROM (SELECT min(d) AS low, max(d) AS high FROM unnest($1.data) d) e,
              unnest(ARRAY[e.low, e.high]) WITH ORDINALITY v(value, n),
              LATERAL (SELECT * FROM catalogue.chart_cells($1) f WHERE f.value = v.value
                       ORDER BY f.series, f.label LIMIT 1) c) p;
END;

-- Describe a chart in words; part of chart_svg().
CREATE FUNCTION catalogue.chart_description(chart catalogue.chart_shape) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT concat(catalogue.chart_kind($1), ' ', CASE
        WHEN NOT EXISTS (SELECT FROM unnest($1.data) d WHERE d IS NOT NULL)
            THEN catalogue.picture_text($1.language, 'No data') || '.'
        WHEN $1.series IS NULL AND cardinality($1.labels) <= 20 THEN (
            SELECT string_agg(format('%s: %s', catalogue.picture_name(l.label), coalesce(
                catalogue.value_text(l.value, $1.language), catalogue.picture_text($1.language, 'no value'))), '; '
                ORDER BY l.n)
            FROM unnest($1.labels, $1.data) WITH ORDINALITY l(label, value, n)) || '.'
        ELSE catalogue.chart_range($1) END);
END;

-- Draw a chart.  Arguments: chart, whose labels and series are not empty.  y, where it begins; returned is where it
-- ends. Returns: elements of SVG, and the chart in words.  Part of chart_svg().
CREATE FUNCTION catalogue.chart_drawn(chart catalogue.chart_shape, INOUT y float8,
    OUT elements text, OUT description text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
$$
BEGIN
    description := catalogue.chart_description(chart);
    IF NOT EXISTS (SELECT FROM unnest(chart.data) d WHERE d IS NOT NULL) THEN
        elements := catalogue.svg_label('soft', 24, y + 16, catalogue.picture_text(chart.language, 'No data'));
        y := y + 40;
    ELSIF chart.type = 'pie' THEN
        SELECT d.y, d.elements INTO y, elements FROM catalogue.chart_pie(chart, y) d;
    ELSIF chart.type = 'heatmap' THEN
        SELECT d.y, d.elements INTO y, elements FROM catalogue.chart_heatmap(chart, y) d;
    ELSIF chart.type = 'line' THEN
        SELECT d.y, d.elements INTO y, elements FROM catalogue.chart_lines(catalogue.chart_reduced(chart), y) d;
    -- labels that are long have a row each, since they do not fit beneath the bars
    ELSIF cardinality(chart.labels) <= 40 AND (SELECT max(catalogue.label_width(l)) FROM unnest(chart.labels) l)
        > 622::float8 / cardinality(chart.labels) - 8 THEN
        SELECT d.y, d.elements INTO y, elements FROM catalogue.chart_rows(catalogue.chart_reduced(chart), y) d;
    ELSE
        SELECT d.y, d.elements INTO y, elements FROM catalogue.chart_columns(catalogue.chart_reduced(chart), y) d;
    END IF;
END
$$;
