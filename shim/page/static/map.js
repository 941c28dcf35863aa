// A map of points, lines and areas: Leaflet over the land, with the rows of what is chosen.  It takes the place of
// the picture, which stays where this cannot be made.
import { base, call, credentials, get } from './api.js';
import { button, el, hint, sayError, shown, table } from './dom.js';
import { addLand } from './ground.js';
import {
	Control,
	GridLayer,
	canvas,
	circleMarker,
	geoJSON,
	map as makeMap,
	popup,
	rectangle,
	tileLayer,
} from './leaflet.js';
import { featuresOf } from './tile.js';
import { number, t } from './language.js';

const WHOLE = 5000; // features that are read at once; more are read in tiles
const LISTED = 100; // features of the list beside a map
const ROWS = 10; // of points in one place, in the box of one of them
const NEAREST = 14; // the zoom of a map of one point
const MOST = 18; // zoom
const REACH = 6; // pixels around a pointer
const MARGIN = 12; // pixels around a tile, the radius of the largest point
const TINT = 0.35; // opacity of an area,
const SHADE = 0.8; // and of one with a colour of its own

const WORLD = [
	[-90, -180],
	[90, 180],
];

const ZoomButtons = Control.extend({
	options: { position: 'topleft' },
	onAdd(map) {
		const made = (sign, name, work) =>
			el('button', { type: 'button', 'aria-label': name, title: name, onclick: work }, sign);

		return el(
			'div',
			{ class: 'leaflet-bar zoom', ondblclick: event => event.stopPropagation() },
			made('+', t('Zoom in'), event => map.zoomIn(event.shiftKey ? 3 : 1)),
			made('−', t('Zoom out'), event => map.zoomOut(event.shiftKey ? 3 : 1)),
		);
	},
});

// What is known of a row: the number of the row, and its properties.
function card({ id, properties }) {
	const facts = Object.entries(properties ?? {}).flatMap(([name, value]) => [
		el('dt', {}, el('bdi', {}, name)),
		el('dd', { dir: 'auto' }, shown(value)),
	]);

	return el(
		'div',
		{ class: 'card' },
		id === undefined ? null : hint(`${t('Row')} ${id}`),
		facts.length > 0 ? el('dl', {}, facts) : null,
	);
}

function open(map, place, features) {
	const box = popup({ closeButton: false, maxHeight: 260 });

	box.setLatLng(place)
		.setContent(
			el(
				'div',
				{},
				el(
					'button',
					{ type: 'button', class: 'close', 'aria-label': t('Close'), onclick: () => map.closePopup(box) },
					'×',
				),
				features.slice(0, ROWS).map(card),
				features.length > ROWS ? hint(`${number(ROWS)}+`) : null,
			),
		)
		.openOn(map);
}

// A rectangle as west, south, east and north in degrees, within the world.
function boxOf(bounds) {
	const degrees = (value, most) => Math.max(-most, Math.min(most, Math.round(value * 1e4) / 1e4));

	return [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()].map((value, i) =>
		degrees(value, i % 2 ? 90 : 180),
	);
}

// The features of a map, all or those in a rectangle.
function read(path, query = '') {
	return call('GET', `${path}/geojson${query}`, undefined, { Accept: 'application/geo+json' });
}

// The points of features that the map shows, as a table in which each opens its rows.
function listed(features, openFrom) {
	const names = [...new Set(features.flatMap(({ properties }) => Object.keys(properties ?? {})))];

	return table(
		t('Places'),
		[t('Row'), ...names.map(name => el('bdi', {}, name))],
		features.map((feature, i) => [
			el(
				'button',
				{ type: 'button', class: 'plain', onclick: event => openFrom(event.target, feature) },
				String(feature.id ?? i + 1),
			),
			...names.map(name => shown(feature.properties?.[name])),
		]),
	);
}

// Beside a map the points that it shows, as a list that keys reach; Escape leads back to it from what a point tells.
function addList(map, frame, path) {
	const counted = frame.parentElement.querySelector('.points');
	const name = counted?.textContent ?? t('Places');
	const list = el('details', { class: 'points' }, el('summary', {}, name), el('div', {}));
	let opener = null;

	const openFrom = (from, feature) => {
		opener = from;
		open(map, geoJSON(feature).getBounds().getCenter(), [feature]);
		frame.querySelector('.close').focus();
	};
	const fill = async () => {
		if (!list.open) return;
		const { features } = await read(path, `?bbox=${boxOf(map.getBounds())}&limit=${LISTED + 1}`);
		const placed = features.filter(({ geometry }) => geometry);

		list.lastElementChild.replaceWith(
			el(
				'div',
				{},
				listed(placed.slice(0, LISTED), openFrom),
				placed.length > LISTED ? hint(`${number(LISTED)}+`) : null,
			),
		);
	};

	list.addEventListener('toggle', () => fill().catch(sayError));
	map.on('moveend', () => opener || fill().catch(sayError));
	map.on('popupclose', () => {
		opener?.focus();
		opener = null;
	});
	frame.addEventListener('keydown', ({ key }) => key === 'Escape' && map.closePopup());
	counted?.remove();
	frame.after(list);
}

// Features of the map; lines and areas, too.  Returns the rectangle that has them.
function addFeatures(map, features, style) {
	const renderer = canvas({ tolerance: REACH });
	const colored = feature => ({ ...style, color: colorOf(style, feature.class) });
	const layer = geoJSON(features, {
		style: feature => ({ ...colored(feature), fillOpacity: style.legend ? SHADE : TINT }),
		pointToLayer: (feature, place) => circleMarker(place, { ...colored(feature), radius: 5, renderer }),
		onEachFeature: (feature, shape) =>
			shape.on('click', ({ latlng }) => open(map, shape.getLatLng?.() ?? latlng, [feature])),
	});

	layer.addTo(map);
	return layer.getBounds();
}

// In pixels, of a point that stands for several.
function radius({ count }) {
	return 3 + Math.min(9, Math.log2(count));
}

// A feature of a tile, on its canvas.
function drawFeature(pen, feature, size, style) {
	const { kind, count, parts } = feature;

	pen.fillStyle = pen.strokeStyle = colorOf(style, feature.class);
	pen.beginPath();
	if (kind === 'point') {
		const [[[x, y]]] = parts;

		pen.globalAlpha = count > 1 ? 0.45 : 0.8;
		pen.arc(x * size.x, y * size.y, radius(feature), 0, 2 * Math.PI);
		pen.fill();
		return;
	}
	for (const part of parts)
		part.forEach(([x, y], i) => (i ? pen.lineTo(x * size.x, y * size.y) : pen.moveTo(x * size.x, y * size.y)));
	pen.globalAlpha = style.legend ? SHADE : TINT;
	if (kind === 'area') pen.fill('evenodd');
	pen.globalAlpha = 0.8;
	pen.stroke();
}

// The features of a tile: lines and areas end at its edge, since the next tile has them, too; points do not.
function drawTile(pen, features, size, style) {
	const isPoint = ({ kind }) => kind === 'point';

	pen.save();
	pen.beginPath();
	pen.rect(0, 0, size.x, size.y);
	pen.clip();
	for (const feature of features) if (!isPoint(feature)) drawFeature(pen, feature, size, style);
	pen.restore();
	for (const feature of features.filter(isPoint)) drawFeature(pen, feature, size, style);
}

// The features in tiles, in which points that are close to each other are one with their number.
function showTiles(map, path, style) {
	const layer = new (GridLayer.extend({
		createTile({ x, y, z }, done) {
			const size = this.getTileSize();
			const scale = devicePixelRatio || 1;
			const [width, height] = [size.x + 2 * MARGIN, size.y + 2 * MARGIN];
			const picture = el('canvas', { class: 'tile', width: width * scale, height: height * scale });
			const tile = el('div', {}, picture);

			// a point at the edge of the tile is drawn beyond it
			Object.assign(picture.style, {
				left: `-${MARGIN}px`,
				top: `-${MARGIN}px`,
				width: `${width}px`,
				height: `${height}px`,
			});

			fetch(`${base}${path}/tiles/${z}/${x}/${y}.mvt`, { headers: credentials() })
				.then(answer => (answer.status === 200 ? answer.arrayBuffer() : new ArrayBuffer(0)))
				.then(bytes => {
					const pen = picture.getContext('2d');

					pen.scale(scale, scale);
					pen.translate(MARGIN, MARGIN);
					drawTile(pen, featuresOf(bytes), size, style);
					done(null, tile);
				})
				.catch(fault => done(fault, tile));
			return tile;
		},
	}))({ minZoom: 0, noWrap: true });

	const tell = async ({ latlng, containerPoint: { x, y } }) => {
		const west = map.containerPointToLatLng([x - REACH, y + REACH]);
		const east = map.containerPointToLatLng([x + REACH, y - REACH]);
		const { features } = await read(path, `?bbox=${[west.lng, west.lat, east.lng, east.lat]}&limit=${ROWS + 1}`);

		if (features.length > 0) open(map, latlng, features);
	};

	map.on('click', event => tell(event).catch(sayError));
	layer.addTo(map);
}

// The streets of the operator's file, where there is one, with the credit that it tells; null where it cannot be read.
async function addStreets(map, figure) {
	if (figure.dataset.streets === undefined) return null;
	const { streets } = await import('./streets.js');
	const found = await streets('ground').catch(() => null);

	if (!found) return null;
	found.layer.addTo(map);
	if (found.credit) figure.append(el('figcaption', { class: 'muted' }, found.credit));
	return found;
}

// The tiles of the basemap, where the operator of the service permits to load them; else the land, and streets.
async function addGround(map, path, figure) {
	const { data } = await get(`${path}/basemap`).catch(() => ({ data: null }));
	const address = data?.url?.replace('{s}', 'a') ?? '';

	if (URL.canParse(address) && figure.dataset.tiles.split(' ').includes(new URL(address).origin)) {
		tileLayer(data.url, {
			minZoom: data.minZoom ?? 0,
			maxZoom: data.maxZoom ?? MOST,
			tms: data.tms === true,
			pane: 'ground',
		}).addTo(map);
		figure.append(el('figcaption', { class: 'muted' }, data.attribution));
		return;
	}
	addLand(map, await addStreets(map, figure));
}

let styles = null;

// A style sheet of the map, before anything is placed by it; once.
function loadStyles() {
	styles ??= new Promise((resolve, reject) => {
		const link = el('link', {
			rel: 'stylesheet',
			onload: resolve,
			onerror: () => reject(new Error('the style sheet of the map was not loaded')),
		});

		link.href = new URL('leaflet.css', import.meta.url).href;
		document.head.prepend(link);
	});
	return styles;
}

// A map in a frame, with the colour of its points.
function begin(frame) {
	const map = makeMap(frame, {
		zoomControl: false,
		attributionControl: false,
		fadeAnimation: false,
		zoomSnap: 0.5,
		minZoom: 0,
		maxZoom: MOST,
	});

	map.createPane('ground').style.zIndex = 100; // beneath the points
	return map;
}

function styleOf(figure) {
	const given = getComputedStyle(figure);
	const list = name => given.getPropertyValue(name).trim().split(' ');

	return {
		color: list('--accent')[0],
		shades: list('--shades'),
		colors: list('--colors'),
		weight: 1,
		fillOpacity: 0.7,
	};
}

// The colour of a class, from 1: of numbers from light to dark, of texts one each; grey for all others, and for what
// has no class.
function colorOf({ color, legend, shades, colors }, number) {
	if (!legend) return color;
	const found = legend.classes[number - 1];

	return !found || found.other ? colors.at(-1) : 'from' in found ? shades[number - 1] : colors[number - 1];
}

// What the colours mean, beneath the map.
function legendOf(style) {
	const { column, classes } = style.legend;
	const words = ({ from, to, value }) =>
		value ?? (from === undefined ? t('Other') : from === to ? number(from) : `${number(from)} – ${number(to)}`);

	return el(
		'ul',
		{ class: 'legend', 'aria-label': column },
		el('li', { class: 'muted' }, el('bdi', {}, column)),
		classes.map((found, i) => {
			const mark = el('span', { class: 'mark' });

			mark.style.background = colorOf(style, i + 1);
			return el('li', {}, mark, ' ', el('bdi', {}, words(found)));
		}),
	);
}

// A map of features before it is saved.
export async function previewMap(figure, features) {
	const frame = el('div', { class: 'frame', role: 'region', 'aria-label': t('Preview') });

	await loadStyles();
	figure.replaceChildren(frame);
	const map = begin(frame);

	map.fitBounds(addFeatures(map, features, styleOf(figure)), {
		padding: [24, 24],
		maxZoom: NEAREST,
		animate: false,
	});
	addLand(map);
	map.addControl(new ZoomButtons());
	return map;
}

// A map to choose a box of degrees on: west, south, east and north, null for none; "take" gets another one.
export async function boxMap(figure, box, take) {
	const frame = el('div', { class: 'frame', role: 'region', 'aria-label': t('Map') });
	let begun = null; // the corner where drawing began

	await loadStyles();
	figure.append(frame);
	const map = begin(frame);
	const shape = rectangle(WORLD, styleOf(figure));
	const show = bounds => {
		shape.setBounds(bounds).addTo(map);
		take(boxOf(bounds));
	};
	const draw = button(t('Draw a box'), () => {
		map.dragging.disable();
		frame.classList.add('drawing');
	});

	map.on('mousedown', ({ latlng }) => (begun = map.dragging.enabled() ? null : latlng));
	map.on('mousemove', ({ latlng }) => begun && shape.setBounds([begun, latlng]).addTo(map));
	map.on('mouseup', ({ latlng }) => {
		if (!begun) return;
		show(shape.setBounds([begun, latlng]).getBounds());
		begun = null;
		map.dragging.enable();
		frame.classList.remove('drawing');
	});
	figure.append(el('p', { class: 'row' }, draw, button(t('Take what the map shows'), () => show(map.getBounds()))));
	map.setView([20, 0], 1, { animate: false });
	addLand(map);
	map.addControl(new ZoomButtons());
	if (!box) return;
	const [west, south, east, north] = box;

	shape.setBounds([[south, west], [north, east]]).addTo(map);
	map.fitBounds(shape.getBounds(), { padding: [24, 24], maxZoom: NEAREST, animate: false });
}

export async function showMap(figure) {
	const path = `/maps/${encodeURIComponent(document.body.dataset.id)}`;
	const points = Number(figure.dataset.points);
	const picture = figure.querySelector('.picture');
	const name = picture.querySelector('img').alt;
	const frame = el('div', { class: 'frame', role: 'region', 'aria-label': name });
	const style = styleOf(figure);

	if (figure.dataset.legend !== undefined) style.legend = (await get(path, { fields: 'legend' })).data.legend;
	await loadStyles();
	picture.before(frame);
	picture.hidden = true;
	const map = begin(frame);

	try {
		const [west, south, east, north] = figure.dataset.bounds.split(',').map(Number);
		const bounds =
			points > WHOLE
				? [
						[south, west],
						[north, east],
					]
				: addFeatures(map, await read(path), style);

		map.fitBounds(bounds, { padding: [24, 24], maxZoom: NEAREST, animate: false });
		if (points > WHOLE) showTiles(map, path, style);
		await addGround(map, path, figure);
	} catch (fault) {
		map.remove();
		frame.remove();
		picture.hidden = false;
		throw fault;
	}
	map.addControl(new ZoomButtons());
	addList(map, frame, path);
	if (style.legend) frame.after(legendOf(style));
}
