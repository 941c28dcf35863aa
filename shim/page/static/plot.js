// Plots of counts as SVG, each with its numbers as a table.
import { el, hint, table } from './dom.js';
import { language, number, t } from './language.js';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 640,
	ROW = 24,
	LABEL = 200,
	NUMBER = 70;

function draw(tag, attributes, ...children) {
	const made = document.createElementNS(SVG, tag);

	for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
	made.append(...children);
	return made;
}

// A picture with its numbers: rows of a label and numbers.
export function figure(title, picture, headings, rows) {
	picture.setAttribute('class', 'plot');
	picture.setAttribute('role', 'img');
	picture.setAttribute('aria-label', title);
	const cells = counts => counts.map(count => ({ class: 'number', content: count === null ? '' : number(count) }));
	const numbers = table(
		title,
		headings,
		rows.map(([label, ...counts]) => [label, ...cells(counts)]),
	);
	const shown = [picture, el('details', {}, el('summary', {}, t('Numbers')), numbers)];

	return el(
		'figure',
		{ class: 'card' },
		el('figcaption', {}, title),
		rows.length > 0 ? shown : hint(t('There are none.')),
	);
}

// A number with few characters.
function brief(count) {
	return count.toLocaleString(language, { notation: 'compact' });
}

// A small histogram without a frame, of [label, count]; what it shows is its name, too.
export function spark(name, rows) {
	const greatest = Math.max(1, ...rows.map(([, count]) => count));
	const width = 100 / Math.max(rows.length, 8);

	return draw(
		'svg',
		{
			class: 'plot spark',
			viewBox: '0 0 100 24',
			preserveAspectRatio: 'none',
			role: 'img',
			'aria-label': `${name}: ${rows.map(([label, count]) => `${label}: ${number(count)}`).join('; ')}`,
		},
		...rows.map(([label, count], i) =>
			draw(
				'rect',
				{
					class: 'bar',
					x: i * width,
					width: width * 0.85,
					y: 24 - (24 * count) / greatest,
					height: (24 * count) / greatest,
				},
				draw('title', {}, `${label}: ${number(count)}`),
			),
		),
	);
}

// Level bars, one for each of the rows [label, count].
export function bars(title, headings, rows) {
	const greatest = Math.max(1, ...rows.map(([, count]) => count));
	const picture = draw('svg', { viewBox: `0 0 ${WIDTH} ${Math.max(1, rows.length) * ROW}` });

	rows.forEach(([label, count], i) => {
		const width = ((WIDTH - LABEL - NUMBER) * count) / greatest;
		const short = label.length > 19 ? `${label.slice(0, 18)}…` : label;
		picture.append(
			draw('text', { x: LABEL - 8, y: i * ROW + 16, 'text-anchor': 'end' }, short),
			draw(
				'rect',
				{ class: 'bar', x: LABEL, y: i * ROW + 4, width, height: ROW - 8 },
				draw('title', {}, `${label}: ${number(count)}`),
			),
			draw('text', { x: LABEL + width + 6, y: i * ROW + 16 }, brief(count)),
		);
	});
	return figure(title, picture, headings, rows);
}
