// What lies beneath the points of a map: the land of the world; from a zoom on, by cells, land with the borders of
// countries and provinces, and the names of places.  extension/rows/pictures/land.c and ground.c describe the texts.
import cells from './cells.js';
import { el } from './dom.js';
import land from './land.js';
import { Control, DomUtil, latLngBounds, layerGroup, polygon, polyline, svg } from './leaflet.js';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const CELL = 10; // degrees
const CELLS_ZOOM = 6; // from here on the edges of the land of the world are too coarse,
const SMALL_ZOOM = 9; // small places are named,
const INLAND_ZOOM = 12; // and the edges of cells are too coarse
const PROVINCE = 6; // first rank of provinces
const PLACES_MOST = 60; // names on a map
const LINE = 16; // pixels of a name, above its place,
const LETTER = 7; // of a letter,
const BETWEEN = 10; // and between names

// Reads the numbers of a word, one after the other.
function reader(word) {
	let at = 0;

	return {
		more: () => at < word.length,
		rest: () => word.slice(at),
		number() {
			let number = 0;

			for (let shift = 0; ; shift += 5) {
				const digit = DIGITS.indexOf(word[at++]);

				number |= (digit & 31) << shift;
				if (digit < 32) return number & 1 ? -(number + 1) / 2 : number / 2;
			}
		},
	};
}

// The lines of a text as lists of [latitude, longitude].
function lines(text, [south, west], parts) {
	return text
		.trim()
		.split(' ')
		.filter(Boolean)
		.map(word => {
			const from = reader(word);
			const line = [];
			let [x, y] = [0, 0];

			while (from.more()) {
				x += from.number();
				y += from.number();
				line.push([south + y / parts, west + x / parts]);
			}
			return line;
		});
}

function places(text, [south, west]) {
	return text
		.split(';')
		.filter(Boolean)
		.map(word => {
			const from = reader(word);
			const rank = from.number();
			const longitude = west + from.number() / 100;

			return { rank, place: [south + from.number() / 100, longitude], name: from.rest() };
		});
}

// The south west corner of a cell, as [latitude, longitude].
function cornerOf(name) {
	return [DIGITS.indexOf(name[1]) * CELL - 90, DIGITS.indexOf(name[0]) * CELL - 180];
}

async function cellOf(name, small) {
	const corner = cornerOf(name);
	const { default: texts } = await import(`./ground-${name}.js`);
	const more = small ? (await import(`./places-${name}.js`)).default : '';

	return {
		land: lines(texts[0], corner, 100),
		borders: lines(texts[1], corner, 100),
		provinces: lines(texts[2], corner, 100),
		places: [...places(texts[3], corner), ...places(more, corner)],
	};
}

// What the cells in a rectangle have.
function cellsIn(bounds, small) {
	const inside = name => bounds.intersects([cornerOf(name), cornerOf(name).map(degrees => degrees + CELL)]);

	return Promise.all(cells.filter(inside).map(name => cellOf(name, small)));
}

// The places for whose names there is room, the most conspicuous ones first.
function named(map, all) {
	const size = map.getSize();
	const taken = [];

	for (const { rank, place, name } of all.sort((a, b) => (a.rank % PROVINCE) - (b.rank % PROVINCE))) {
		const point = map.latLngToContainerPoint(place);
		const half = (name.length * LETTER) / 2;

		if (taken.length === PLACES_MOST) break;
		if (point.x < 0 || point.x > size.x || point.y < 0 || point.y > size.y) continue;
		const x = Math.max(half, Math.min(size.x - half, point.x));
		const y = Math.max(LINE + BETWEEN, point.y);

		if (taken.some(t => Math.abs(x - t.x) < half + t.half + BETWEEN && Math.abs(y - t.y) < LINE + BETWEEN)) continue;
		taken.push({ x, y, half, name, province: rank >= PROVINCE });
	}
	return taken;
}

function showNames(map, pane, all) {
	pane.replaceChildren(
		...named(map, all).map(({ x, y, name, province }) => {
			const word = el('span', { class: province ? 'province' : null }, name);

			DomUtil.setPosition(word, map.containerPointToLayerPoint([x, y]));
			return word;
		}),
	);
}

// Who has made what is shown of cells.
const Sources = Control.extend({
	options: { position: 'bottomright' },
	onAdd: () => el('div', { class: 'sources' }, 'Natural Earth, GeoNames'),
});

// What lies beneath a map; where its middle has streets, only they do.
export function addLand(map, streets = null) {
	const covered = streets && latLngBounds(streets.bounds);
	const renderer = svg({ pane: 'ground', padding: 0.5 });
	const style = { interactive: false, pane: 'ground', renderer, fill: false };
	const world = polygon(lines(land, [0, 0], 10), { ...style, fill: true, className: 'land' });
	const shapes = layerGroup().addTo(map);
	const names = map.createPane('names');
	const sources = new Sources();
	let shown = '';

	const show = async () => {
		const [zoom, bounds] = [map.getZoom(), map.getBounds().pad(0.5)];
		const hidden = covered?.contains(map.getCenter()) && zoom >= streets.least;
		const close = zoom >= CELLS_ZOOM && !hidden;
		const view = close ? `${bounds.toBBoxString()} ${zoom}` : '';

		shown = view;
		map.getContainer().classList.toggle('inland', zoom >= INLAND_ZOOM);
		if (!close) {
			sources.remove();
			shapes.clearLayers();
			if (!hidden) shapes.addLayer(world);
			names.replaceChildren();
			return;
		}
		const found = await cellsIn(bounds, zoom >= SMALL_ZOOM);

		if (shown !== view) return; // the map has moved on
		const all = kind => found.flatMap(cell => cell[kind]);

		map.addControl(sources);
		shapes.clearLayers();
		if (zoom < INLAND_ZOOM)
			shapes.addLayer(polygon(all('land'), { ...style, fill: true, className: 'land cells', smoothFactor: 0 }));
		shapes.addLayer(polyline(all('provinces'), { ...style, className: 'provinces' }));
		shapes.addLayer(polyline(all('borders'), { ...style, className: 'borders' }));
		showNames(map, names, all('places'));
	};

	names.setAttribute('aria-hidden', 'true');
	map.on('zoomstart', () => names.replaceChildren());
	map.on('moveend', show);
	show();
}
