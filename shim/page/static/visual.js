// A chart or a map of a file: its columns are chosen, and what they make is shown before it is saved.
import { call, get, reasonOf } from './api.js';
import { breadcrumb, el, hint, say } from './dom.js';
import { choice, makeField } from './field.js';
import { draftNote, openDraft } from './draft.js';
import { entered, makeForm } from './form.js';
import { framed, pictureOf, showValues } from './chart.js';
import { called, language, number, t, translated } from './language.js';
import { go } from './work.js';

const MANY = 60; // labels, at most, of a chart that is proposed
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

// The chart as the service draws it.
async function previewChart(members) {
	const { picture, data } = (await call('POST', `/charts/preview?lang=${language}`, members)).data;
	const image = pictureOf(picture, t('Preview'));

	return [
		el('figure', {}, framed(image)),
		data.skipped > 0 ? hint(`${t('Cells that are no numbers')}: ${number(data.skipped)}`, 'error') : '',
		data.note ? hint(translated(data.note)) : '',
		() => showValues(image, picture),
	];
}

// The places of a map.
async function previewPoints(members) {
	const { geojson, correct, picture, issues, issueCount } = (await call('POST', '/maps/preview', members)).data;
	const figure = el('figure', { class: 'map' });
	const { previewMap } = await import('./map.js');

	const reasons = [
		issueCount > 0 ? hint(`${t('Rows without a place')}: ${number(issueCount)}`, 'error') : '',
		el('ul', {}, issues.map(({ row, reason }) => el('li', {}, row ? `${t('Row')} ${row}: ` : '', translated(reason)))),
	];

	if (!correct && members.shapes) return [hint(t('No row has an outline.'), 'error'), ...reasons];
	if (!correct)
		return [hint(t('No row has a place: a latitude is from -90 to 90, a longitude from -180 to 180.'), 'error')];
	return [
		figure,
		hint(`${t('Places')}: ${number(correct)}`),
		...reasons,
		// what is long is not in the record
		() => (geojson ? previewMap(figure, geojson.features) : figure.append(framed(pictureOf(picture, t('Preview'))))),
	];
}

// An element that shows what "make" resolves to, the last time that it was asked; a function among it is called when
// the rest is shown.
function makePreview(make) {
	const container = el('div', { class: 'preview', 'aria-live': 'polite' });
	let turn = 0;

	return {
		container,
		async show() {
			const current = ++turn;
			const parts = await make().catch(fault => [hint(reasonOf(fault), 'error')]);

			if (current !== turn) return;
			container.replaceChildren(...parts.filter(part => typeof part !== 'function'));
			for (const part of parts) if (typeof part === 'function') await part();
		},
	};
}

// The name that is guessed: that of the file, with a number where another record has it.
async function freeName(resource, name) {
	for (let number = 1; ; number++) {
		const guess = number > 1 ? `${name} ${number}` : name;

		if ((await get(`/${resource}`, { name: guess, match: 'EXACT', limit: 1 })).meta.count === 0) return guess;
	}
}

// The form: columns, the preview, name, which is guessed, and description.  back: the address that follows, where it is
// not that of what was made.
async function showForm(container, asked) {
	const { resource, title, file, back, draft, fields, make, body } = asked;
	const guess = await freeName(resource, file.name);
	const preview = makePreview(() => make({ name: guess, file: file.id, ...body() }));
	const texts = await Promise.all([
		makeField('name', { type: 'string', required: true, max: 150 }, draft.members.name ?? guess),
		makeField('description', { type: 'string', max: 350 }, draft.members.description),
	]);
	const columns = el(
		'div',
		{ class: 'choices' },
		asked.elements ?? fields.map(field => field.element),
	);
	const show = () => preview.show().catch(fault => console.debug(fault.message));
	const content = el(
		'div',
		{},
		columns,
		preview.container,
		texts.map(field => field.element),
	);

	columns.addEventListener('change', show);
	container.append(
		breadcrumb(`record/files/${file.id}`, file.name),
		el('h1', {}, title),
		draftNote(draft, () => go(location.hash.slice(1))),
		makeForm(
			[...fields, ...texts],
			content,
			t('Save'),
			async stored => {
				const { name, description } = { name: guess, ...draft.members, ...entered(texts) };
				const { links } = await call('POST', `/${resource}`, { name, description, file: file.id, ...body() });

				stored();
				say(t('Saved'));
				go(back.length > 0 ? back.join('/') : `record/${resource}/${links.record.replace(/.*\//, '')}`);
			},
			draft,
		),
	);
	requestAnimationFrame(show); // a map wants to be in its place
}

// The column that a chart begins with: the first of a few values, since ids and free texts make no chart.
function firstLabel(columns) {
	const few = ({ type, distinct }) =>
		!['integer', 'decimal'].includes(type) && distinct > 1 && distinct <= MANY;

	return (columns.find(few) ?? columns[0])?.name;
}

export async function showChart(container, id, ...back) {
	const { file, columns } = await readFile(id);
	const names = columns.map(({ name }) => [name, name]);
	const first = firstLabel(columns);
	const sums = columns.filter(({ type }) => ['integer', 'decimal'].includes(type));
	const draft = openDraft();
	const { type: kind = 'bar', Labels, Series, Values } = draft.members;
	const type = choice(
		'type',
		{ required: true },
		kind,
		types.map(name => [name, called(name)]),
	);
	const label = choice('Labels', { required: true }, Labels ?? first, names);
	const series = choice('Series', {}, Series ?? '', names);
	const value = choice(
		'Values',
		{},
		Values ?? '',
		sums.map(({ name }) => [name, `${t('Sum of')} ${name}`]),
	);
	value.element.querySelector('option').textContent = t('Number of rows');
	await showForm(container, {
		resource: 'charts',
		title: t('Add a chart'),
		file,
		back,
		draft,
		fields: [type, label, series, value],
		async make(members) {
			series.element.hidden = !parted.includes(chosen(type));
			return chosen(label) === chosen(series)
				? [hint(t('Labels and series are the same column.'), 'error')]
				: previewChart(members);
		},
		body() {
			const shape = chosen(type) || 'bar';
			const sum = chosen(value);

			return {
				type: shape,
				dataType: sum ? 'quantitative' : 'qualitative',
				dataSeries: [chosen(label) || first, parted.includes(shape) && chosen(series), sum].filter(Boolean),
			};
		},
	});
}

// Fields for the outlines of another file: that file, and the columns of the keys; fill() reads the columns of that
// file, members() are what the record gets.
async function outlineFields(given, names) {
	const shapes = await makeField('shapes', { reference: 'files' }, given.shapes);
	const key = choice('key', {}, given.key ?? '', names);
	const shapesKey = choice('shapesKey', {}, '', []);
	const select = shapesKey.element.querySelector('select');
	const id = () => (shapes.value() === undefined ? given.shapes : shapes.value()) || null;
	let filled = null;

	// a suggestion that is taken is no change of the input
	shapes.element.addEventListener('focusout', () =>
		shapes.element.dispatchEvent(new Event('change', { bubbles: true })),
	);
	return {
		fields: [key, shapes, shapesKey],
		element: el(
			'details',
			{ open: Boolean(given.shapes) },
			el('summary', {}, t('Outlines from another file')),
			[key, shapes, shapesKey].map(field => field.element),
		),
		async fill() {
			if (id() === filled) return;
			filled = id();
			const columns = filled ? (await readFile(filled)).columns : [];

			select.replaceChildren(
				el('option', { value: '' }, '—'),
				...columns.map(({ name }) => el('option', { value: name, selected: name === given.shapesKey }, name)),
			);
		},
		given: () => [chosen(key), id(), chosen(shapesKey)].some(Boolean),
		members: () => ({ key: chosen(key) || null, shapes: id(), shapesKey: chosen(shapesKey) || null }),
	};
}

// The columns that are shown with a place: those that are given, else the first ones that are none of the places.
function propertiesField(columns, given, places) {
	const usual = columns.map(({ name }) => name).filter(name => !places.includes(name)).slice(0, NAMED);
	const boxes = columns.map(({ name }) =>
		el('input', { type: 'checkbox', value: name, checked: (given ?? usual).includes(name) }),
	);
	const named = () => boxes.filter(box => box.checked).map(box => box.value);

	return {
		name: 'properties',
		label: called('properties'),
		chosen: named,
		// as other fields do, undefined while it is as it was
		value: () => (named().join() === (given ?? usual).join() ? undefined : named()),
		focus: () => boxes[0]?.focus(),
		fail: () => {},
		element: el(
			'fieldset',
			{ class: 'field' },
			el('legend', {}, called('properties')),
			boxes.map(box => el('label', { class: 'box' }, box, ' ', el('bdi', {}, box.value))),
		),
	};
}

export async function showMap(container, id, ...back) {
	const { file, columns } = await readFile(id);
	const names = columns.map(({ name }) => [name, name]);
	const guess = pattern => columns.find(({ name }) => pattern.test(name))?.name;
	const draft = openDraft();
	const shape = guess(/geom|wkt/i); // lines and areas, where there are no points
	const given = {
		latitudeKey: guess(/^lat|^y$/i) ?? shape,
		longitudeKey: guess(/^lon|^lng|^x$/i) ?? shape,
		...draft.members,
	};
	const latitude = choice('latitudeKey', {}, given.latitudeKey, names);
	const longitude = choice('longitudeKey', {}, given.longitudeKey, names);
	const outlines = await outlineFields(given, names);
	const color = choice('colorKey', {}, given.colorKey ?? '', names);
	const [{ id: basemap } = {}] = (await get('/basemaps', { limit: 1 })).data;
	const ground = await makeField('basemap', { reference: 'basemaps', required: true }, given.basemap ?? basemap);
	const places = [chosen(latitude), chosen(longitude)];
	const shown = propertiesField(columns, given.properties, places);

	await showForm(container, {
		resource: 'maps',
		title: t('Add a map'),
		file,
		back,
		draft,
		fields: [latitude, longitude, ...outlines.fields, color, ground, shown],
		elements: [latitude, longitude, outlines, color, ground, shown].map(({ element }) => element),
		async make(members) {
			await outlines.fill();
			return outlines.given() || (chosen(latitude) && chosen(longitude))
				? previewPoints({ ...members, ...outlines.members() })
				: [hint(t('Choose the columns of latitude and longitude, or outlines from another file.'))];
		},
		body: () => ({
			...outlines.members(),
			latitudeKey: chosen(latitude) || null,
			longitudeKey: chosen(longitude) || null,
			colorKey: chosen(color) || null,
			properties: shown.chosen(),
			basemap: ground.value() ?? given.basemap ?? basemap,
		}),
	});
}
