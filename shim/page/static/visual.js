// A chart or a map of a file: its columns are chosen, and what they make is shown before it is saved.
import { call, get } from './api.js';
import { breadcrumb, el, hint, say } from './dom.js';
import { choice, makeField } from './field.js';
import { entered, makeForm } from './form.js';
import { chartOf, MOST_SERIES } from './preview.js';
import { called, number, t } from './language.js';
import { go } from './work.js';

const MOST = 1000; // groups or rows that a preview has
const MANY = 60; // labels of which the picture names only some
const NAMED = 3; // columns that are shown with a point unless others are chosen

const types = ['bar', 'line', 'pie', 'stackedbar', 'heatmap'];
const parted = ['stackedbar', 'heatmap']; // types that may have series
const chosen = field => field.element.querySelector('select').value;

// The file, and its columns whose names a list of names can have.
async function readFile(id) {
	const [{ data: file }, { data: columns }] = await Promise.all([
		get(`/files/${id}`),
		get(`/files/${id}/columns`, { limit: 1000 }),
	]);

	return { file, columns: columns.filter(({ name }) => !/[",]/.test(name)) };
}

// The sum of numbers; null if there are none.
function sumOf(values) {
	const numbers = values.filter(value => value !== null);

	return numbers.length > 0 ? numbers.reduce((sum, value) => sum + value, 0) : null;
}

// What is greatest stays, the others are one series.
function joinSeries({ labels, series, values }) {
	const sum = row => row.reduce((total, value) => total + Math.abs(value), 0);
	const order = series.map((_, j) => j).sort((a, b) => sum(values[b]) - sum(values[a]));
	const kept = order.slice(0, MOST_SERIES - 1).sort((a, b) => a - b);
	const rest = order.slice(MOST_SERIES - 1);

	return {
		labels,
		series: [...kept.map(j => series[j]), t('Other')],
		values: [
			...kept.map(j => values[j]),
			labels.map((_, i) => sumOf(rest.map(j => values[j][i]))),
		],
	};
}

// Groups of rows as a table of values by series and label.
function tableOf(rows, [label, series], key) {
	const text = value => value ?? t('(empty)');
	const labels = [...new Set(rows.map(row => text(row[label])))];
	const names = series ? [...new Set(rows.map(row => text(row[series])))] : [null];
	const values = names.map(() => labels.map(() => null));
	const [at, of] = [labels, names].map(list => new Map(list.map((one, i) => [one, i])));

	for (const row of rows)
		values[series ? of.get(text(row[series])) : 0][at.get(text(row[label]))] =
			(row[key] ?? null) === null ? null : Number(row[key]);
	return { labels, series: names, values };
}

// What a reader will miss in a chart.
function adviceOf(type, { labels, series, values }, count) {
	const found = [
		[count > MOST, t('These are the first 1,000 of more values.')],
		[type === 'pie' && labels.length > MOST_SERIES, t('A pie shows 8 slices: the smallest are one.')],
		[type === 'pie' && values[0].some(value => value < 0), t('A pie leaves negative values out.')],
		[type === 'stackedbar' && series.length > MOST_SERIES, t('Bars show 8 series: the smallest are one.')],
		[type !== 'pie' && labels.length > MANY, t('There are many labels: the picture names only some of them.')],
	];

	return found.filter(([is]) => is).map(([, text]) => hint(text));
}

async function previewChart(id, { type, label, series, value }) {
	if (label === series) return [hint(t('Labels and series are the same column.'), 'error')];
	const names = [label, ...(series ? [series] : [])];
	const key = value ? `sum(${value})` : 'count';
	const { data, meta } = await get(`/files/${id}/contents`, { groupBy: names.join(), aggregate: key, limit: MOST });
	const table = tableOf(data, names, key);
	const shown = type === 'stackedbar' && table.series.length > MOST_SERIES ? joinSeries(table) : table;

	if (data.length === 0) return [hint(t('This file has no rows.'), 'error')];
	return [chartOf(type, t('Preview'), shown), ...adviceOf(type, table, meta.count)];
}

// The point of a row; null: it has none.
function featureOf(row, { latitude, longitude, properties }) {
	const [y, x] = [row[latitude], row[longitude]].map(text => (text?.trim() ? Number(text.replace(',', '.')) : NaN));

	if (!(Math.abs(y) <= 90 && Math.abs(x) <= 180) || (x === 0 && y === 0)) return null;
	return {
		type: 'Feature',
		geometry: { type: 'Point', coordinates: [x, y] },
		properties: Object.fromEntries(properties.map(name => [name, row[name]])),
	};
}

async function previewPoints(id, settings) {
	const { latitude, longitude, properties } = settings;
	const fields = [...new Set([latitude, longitude, ...properties])].join();
	const { data, meta } = await get(`/files/${id}/contents`, { fields, limit: MOST });
	const features = data.map(row => featureOf(row, settings)).filter(Boolean);
	const lost = data.length - features.length;
	const figure = el('figure', { class: 'map' });

	if (features.length === 0)
		return [hint(t('No row has a place: a latitude is from -90 to 90, a longitude from -180 to 180.'), 'error')];
	const { previewMap } = await import('./map.js');

	return [
		figure,
		hint(`${t('Points')}: ${number(features.length)}`),
		lost > 0 ? hint(`${t('Rows without a place')}: ${number(lost)}`, 'error') : '',
		meta.count > MOST ? hint(t('These are the first 1,000 of more values.')) : '',
		() => previewMap(figure, features),
	];
}

// A place that shows what "make" resolves to, the last time that it was asked; a function among it is called when
// the rest is shown.
function makePreview(make) {
	const place = el('div', { class: 'preview', 'aria-live': 'polite' });
	let turn = 0;

	return {
		place,
		async show() {
			const current = ++turn;
			const parts = await make().catch(fault => [hint(fault.message, 'error')]);

			if (current !== turn) return;
			place.replaceChildren(...parts.filter(part => typeof part !== 'function'));
			for (const part of parts) if (typeof part === 'function') await part();
		},
	};
}

// The form: columns, the preview, name, which is guessed, and description.  back: the address that follows, where it is
// not that of what was made.
async function showForm(place, { resource, title, file, back, fields, extra = [], make, body }) {
	const preview = makePreview(make);
	const texts = await Promise.all([
		makeField('name', { type: 'string', required: true, max: 150 }, file.name),
		makeField('description', { type: 'string', max: 350 }),
	]);
	const columns = el(
		'div',
		{ class: 'choices' },
		fields.map(field => field.element),
		extra,
	);
	const show = () => preview.show().catch(fault => console.debug(fault.message));
	const content = el(
		'div',
		{},
		columns,
		preview.place,
		texts.map(field => field.element),
	);

	columns.addEventListener('change', show);
	place.append(
		breadcrumb(`record/files/${file.id}`, file.name),
		el('h1', {}, title),
		makeForm([...fields, ...texts], content, t('Save'), async () => {
			const members = { name: file.name, ...entered(texts), file: file.id, ...body() };
			const { links } = await call('POST', `/${resource}`, members);

			say(t('Saved'));
			go(back.length > 0 ? back.join('/') : `record/${resource}/${links.record.replace(/.*\//, '')}`);
		}),
	);
	requestAnimationFrame(show); // a map wants to be in its place
}

// The column that a chart begins with: the first of a few values, since ids and free texts make no chart.
function firstLabel(columns) {
	const few = ({ type, distinct }) =>
		!['integer', 'decimal'].includes(type) && distinct > 1 && distinct <= MANY;

	return (columns.find(few) ?? columns[0])?.name;
}

export async function showChart(place, id, ...back) {
	const { file, columns } = await readFile(id);
	const names = columns.map(({ name }) => [name, name]);
	const first = firstLabel(columns);
	const sums = columns.filter(({ type }) => ['integer', 'decimal'].includes(type));
	const type = choice(
		'type',
		{ required: true },
		'bar',
		types.map(name => [name, called(name)]),
	);
	const label = choice('Labels', { required: true }, first, names);
	const series = choice('Series', {}, '', names);
	const value = choice(
		'Values',
		{},
		'',
		sums.map(({ name }) => [name, `${t('Sum of')} ${name}`]),
	);
	const settings = () => ({
		type: chosen(type) || 'bar',
		label: chosen(label) || first,
		series: parted.includes(chosen(type)) ? chosen(series) : '',
		value: chosen(value),
	});

	value.element.querySelector('option').textContent = t('Number of rows');
	await showForm(place, {
		resource: 'charts',
		title: t('Add a chart'),
		file,
		back,
		fields: [type, label, series, value],
		make() {
			series.element.hidden = !parted.includes(chosen(type));
			return previewChart(id, settings());
		},
		body() {
			const { type: name, label: labels, series: second, value: last } = settings();

			return {
				type: name,
				dataType: last ? 'quantitative' : 'qualitative',
				dataSeries: [labels, second, last].filter(Boolean),
			};
		},
	});
}

export async function showMap(place, id, ...back) {
	const { file, columns } = await readFile(id);
	const names = columns.map(({ name }) => [name, name]);
	const guess = pattern => columns.find(({ name }) => pattern.test(name))?.name;
	const latitude = choice('latitudeKey', { required: true }, guess(/^lat|^y$/i), names);
	const longitude = choice('longitudeKey', { required: true }, guess(/^lon|^lng|^x$/i), names);
	const [{ id: basemap } = {}] = (await get('/basemaps', { limit: 1 })).data;
	const ground = await makeField('basemap', { reference: 'basemaps', required: true }, basemap);
	const usual = columns.filter(({ name }) => ![chosen(latitude), chosen(longitude)].includes(name));
	const boxes = columns.map(({ name }) =>
		el('input', { type: 'checkbox', value: name, checked: usual.slice(0, NAMED).some(one => one.name === name) }),
	);
	const settings = () => ({
		latitude: chosen(latitude),
		longitude: chosen(longitude),
		properties: boxes.filter(box => box.checked).map(box => box.value),
	});

	await showForm(place, {
		resource: 'maps',
		title: t('Add a map'),
		file,
		back,
		fields: [latitude, longitude, ground],
		extra: el(
			'fieldset',
			{ class: 'field' },
			el('legend', {}, called('properties')),
			boxes.map(box => el('label', { class: 'box' }, box, ' ', el('bdi', {}, box.value))),
		),
		make: async () =>
			chosen(latitude) && chosen(longitude)
				? previewPoints(id, settings())
				: [hint(t('Choose the columns of latitude and longitude.'))],
		body: () => ({
			latitudeKey: chosen(latitude) || null,
			longitudeKey: chosen(longitude) || null,
			properties: settings().properties,
			basemap: ground.value() ?? basemap,
		}),
	});
}
