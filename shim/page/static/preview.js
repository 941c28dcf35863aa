// Charts before they are saved, drawn of groups of rows as the service will draw them.
import { el } from './dom.js';
import { HEIGHT, LEFT, TOP, WIDTH, brief, ceiling, draw, figure } from './plot.js';
import { number, t } from './language.js';

export const MOST_SERIES = 8; // that have a colour of their own
const BOTTOM = HEIGHT - 28;
const DOTS = 60; // labels up to which each value of a line has a dot
const LETTERS = 12; // of a label beneath an axis

const isNumber = value => typeof value === 'number';
const titled = (label, series, value) => draw('title', {}, [label, series, number(value)].filter(Boolean).join(': '));

// The place of a value, with lines for the numbers of the axis.
function scale(picture, sums) {
	const [least, greatest] = [Math.min(0, ...sums), Math.max(0, ...sums)];
	const top = greatest > 0 || least === 0 ? ceiling(greatest) : 0;
	const low = least < 0 ? -ceiling(-least) : 0;
	const place = value => TOP + ((BOTTOM - TOP) * (top - value)) / (top - low);

	for (const value of new Set([low, (low + top) / 2, 0, top]))
		picture.append(
			draw('line', { class: 'grid', x1: LEFT, x2: WIDTH, y1: place(value), y2: place(value) }),
			draw('text', { x: LEFT - 6, y: place(value) + 4, 'text-anchor': 'end' }, brief(value)),
		);
	return place;
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function addLabels(picture, labels) {
	const step = (WIDTH - LEFT) / labels.length;
	const every = Math.ceil(labels.length / 6);

	labels.forEach((label, i) => {
		const place = { x: LEFT + (i + 0.5) * step, y: HEIGHT - 6, 'text-anchor': 'middle' };

		if (i % every === 0) picture.append(draw('text', place, cut(label, LETTERS)));
	});
}

// Bars that stand on each other, those of negative values beneath zero.
function drawBars(picture, { labels, series, values }) {
	const step = (WIDTH - LEFT) / labels.length;
	const sums = labels.flatMap((_, i) =>
		[1, -1].map(sign => values.reduce((sum, row) => sum + (row[i] * sign > 0 ? row[i] : 0), 0)),
	);
	const place = scale(picture, sums);

	labels.forEach((label, i) => {
		const ends = { 1: 0, '-1': 0 };

		values.forEach((row, j) => {
			if (!isNumber(row[i])) return;
			const from = ends[Math.sign(row[i]) || 1];
			const to = (ends[Math.sign(row[i]) || 1] += row[i]);
			const box = { x: LEFT + (i + 0.1) * step, width: step * 0.8, y: place(Math.max(from, to)) };
			const height = Math.abs(place(from) - place(to));

			picture.append(draw('rect', { class: `s${j}`, ...box, height }, titled(label, series[j], row[i])));
		});
	});
	addLabels(picture, labels);
}

function drawLines(picture, { labels, series, values }) {
	const step = (WIDTH - LEFT) / labels.length;
	const place = scale(picture, values.flat().filter(isNumber));
	const at = i => LEFT + (i + 0.5) * step;

	values.forEach((row, j) => {
		// a line is interrupted where there is no value
		const part = (value, i) => `${isNumber(row[i - 1]) ? 'L' : 'M'}${at(i)} ${place(value)}`;
		const d = row.map((value, i) => (isNumber(value) ? part(value, i) : '')).join('');

		picture.append(draw('path', { class: `line s${j}`, d }));
		if (labels.length <= DOTS)
			row.forEach((value, i) => {
				if (!isNumber(value)) return;
				const spot = { class: `s${j}`, cx: at(i), cy: place(value), r: 4 };

				picture.append(draw('circle', spot, titled(labels[i], series[j], value)));
			});
	});
	addLabels(picture, labels);
}

// The greatest values are slices, the others one; negative ones are no part of a whole.
function drawPie(picture, { labels, values }) {
	const sorted = labels.map((label, i) => [label, values[0][i]]).filter(([, value]) => value > 0);
	const whole = sorted.reduce((sum, [, value]) => sum + value, 0);
	const [x, y, radius] = [HEIGHT / 2, HEIGHT / 2, HEIGHT / 2 - 4];
	let turn = 0;
	const edge = () => `${x + radius * Math.sin(2 * Math.PI * turn)} ${y - radius * Math.cos(2 * Math.PI * turn)}`;

	sorted.sort((a, b) => b[1] - a[1]);
	const rest = sorted.splice(sorted.length > MOST_SERIES ? MOST_SERIES - 1 : MOST_SERIES);
	if (rest.length > 0) sorted.push([t('Other'), rest.reduce((sum, [, value]) => sum + value, 0)]);
	sorted.forEach(([label, value], i) => {
		const from = edge();
		const part = Math.min(value / whole, 0.9999);

		turn += part;
		const path = `M${x} ${y}L${from}A${radius} ${radius} 0 ${part > 0.5 ? 1 : 0} 1 ${edge()}z`;
		const line = { x: HEIGHT + 46, y: 24 + i * 24 };

		picture.append(
			draw('path', { class: `s${i}`, d: path }, titled(label, null, value)),
			draw('rect', { class: `s${i}`, x: HEIGHT + 24, y: line.y - 12, width: 14, height: 14 }),
			draw('text', line, `${cut(label, 30)}: ${number(value)}`),
		);
	});
}

function drawCells(picture, { labels, series, values }) {
	const all = values.flat().filter(isNumber);
	const [least, greatest] = [Math.min(...all), Math.max(...all)];
	const [width, height] = [(WIDTH - LEFT) / labels.length, (BOTTOM - TOP) / values.length];

	values.forEach((row, j) => {
		const place = { x: LEFT - 6, y: TOP + (j + 0.5) * height + 4, 'text-anchor': 'end' };

		if (series[j] !== null && j % Math.ceil(values.length / 10) === 0)
			picture.append(draw('text', place, cut(series[j], 8)));
		row.forEach((value, i) => {
			if (!isNumber(value)) return;
			const strength = 0.1 + (0.9 * (value - least)) / (greatest - least || 1);
			const cell = { x: LEFT + i * width, y: TOP + j * height, width: width * 0.96, height: height * 0.94 };

			picture.append(
				draw('rect', { class: 's0', ...cell, 'fill-opacity': strength }, titled(labels[i], series[j], value)),
			);
		});
	});
	addLabels(picture, labels);
}

const drawings = { bar: drawBars, stackedbar: drawBars, line: drawLines, pie: drawPie, heatmap: drawCells };

// A chart of {labels, series: names, or one null, values: numbers by series, then label}.
export function chartOf(type, title, table, headings) {
	const picture = draw('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
	const names = table.series[0] === null ? [t('Values')] : table.series;

	drawings[type](picture, table);
	return el(
		'div',
		{},
		figure(
			title,
			picture,
			headings ?? [t('Labels'), ...names],
			table.labels.map((label, i) => [label, ...table.values.map(row => row[i])]),
		),
		type === 'stackedbar' && table.series[0] !== null
			? el(
					'ul',
					{ class: 'names legend' },
					names.map((name, i) => el('li', { class: `s${i}` }, el('bdi', {}, name))),
				)
			: null,
	);
}
