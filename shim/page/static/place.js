// The field for a place: its name, and a box of degrees, typed or drawn on a map.
import { button, el } from './dom.js';
import { t } from './language.js';

const NUMBER = '\\s*([-+]?\\d{1,3}(?:\\.\\d+)?)\\s*';
const BOX = RegExp(`^${Array(4).fill(NUMBER).join(',')}$`);
const EDGES = [t('West'), t('South'), t('East'), t('North')];

const polygon = ([west, south, east, north]) =>
	`POLYGON((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;

// The box that a polygon is; null: it is another shape.
function boxOf(text) {
	const numbers = text.match(/[-+]?\d+(\.\d+)?/g) ?? [];
	const box = [numbers[0], numbers[1], numbers[2], numbers[5]];

	return polygon(box) === text ? box : null;
}

// A place as name and box; null: it is written in another form.
function read(place) {
	if (place === undefined) return { name: '', box: [] };
	if (typeof place === 'string') {
		const box = BOX.exec(place)?.slice(1);

		return box ? { name: '', box } : /^\s*[{(]|\(/.test(place) ? null : { name: place, box: [] };
	}
	const { prefLabel, bbox, ...others } = place ?? {};

	if (typeof prefLabel !== 'string' || typeof bbox !== 'string' || Object.keys(others).length > 0) return null;
	const box = boxOf(bbox);

	return box && { name: prefLabel, box };
}

// May placeOf() show a place?
export function isPlace(place) {
	return read(place) !== null;
}

export function placeOf(id, present) {
	const { name, box } = read(present);
	const input = el('input', { id, dir: 'auto', maxlength: 300 });
	const edges = EDGES.map((edge, i) =>
		el('input', {
			type: 'number',
			step: 'any',
			min: i % 2 ? -90 : -180,
			max: i % 2 ? 90 : 180,
			value: box[i] ?? '',
			'aria-label': edge,
		}),
	);
	const values = () => edges.map(edge => edge.value);
	const check = () => {
		const given = values().filter(value => value !== '').length;
		const [, south, , north] = values().map(Number);

		edges[3].setCustomValidity(
			given > 0 && given < 4
				? t('A box has four edges')
				: given === 4 && north < south
					? t('North is south of South')
					: '',
		);
	};
	const take = taken => {
		edges.forEach((edge, i) => (edge.value = taken[i]));
		edges[0].dispatchEvent(new Event('input', { bubbles: true }));
	};
	const shown = el('div', {}, button(t('Draw it on a map'), async () => {
		const figure = el('figure', { class: 'map box' });
		const given = values();

		shown.replaceChildren(figure);
		await (await import('./map.js')).boxMap(figure, given.every(Boolean) ? given.map(Number) : null, take);
	}));

	input.value = name;
	check();
	for (const edge of edges) edge.addEventListener('input', check);
	return {
		element: [
			input,
			el('p', { class: 'row edges' }, EDGES.map((edge, i) => el('label', {}, `${edge} `, edges[i]))),
			shown,
		],
		value() {
			const given = values();
			const label = input.value.trim();

			if (!given.every(Boolean)) return label === '' ? undefined : label;
			if (label === '') return given.join();
			return { prefLabel: label, bbox: polygon(given) };
		},
		inputs: [input, ...edges],
	};
}
