// Streets beneath the points of a map, from the file of the operator: PMTiles, of which protomaps-leaflet reads ranges.
import { leafletLayer } from './protomaps.js';

const HEADER = 127; // bytes, of version 3
const DEGREE = 1e7; // parts in which bounds are told

const address = new URL('streets.pmtiles', import.meta.url).href;

// Bytes of the file.
async function bytes(from, length) {
	const answer = await fetch(address, { headers: { Range: `bytes=${from}-${from + length - 1}` } });

	if (answer.status !== 206) throw new Error(`the file of streets: ${answer.status}`);
	return answer.arrayBuffer();
}

// What the JSON of the file tells; one in another compression than gzip tells nothing.
async function told(header) {
	const [from, length] = [24, 32].map(at => Number(header.getBigUint64(at, true)));
	const stored = new Response(await bytes(from, length));
	const compression = header.getUint8(97);

	if (compression > 2) return {};
	return compression === 1
		? stored.json()
		: new Response(stored.body.pipeThrough(new DecompressionStream('gzip'))).json();
}

// The layer of streets for a map, what they are of, and where and from which zoom on there are some.
export async function streets(pane) {
	const header = new DataView(await bytes(0, HEADER));
	const [west, south, east, north] = [102, 106, 110, 114].map(at => header.getInt32(at, true) / DEGREE);
	const [least, most] = [100, 101].map(at => header.getUint8(at));
	const bounds = [
		[south, west],
		[north, east],
	];
	const { attribution } = await told(header);

	return {
		bounds,
		least,
		credit: (attribution ?? '').replace(/<[^>]*>/g, '').replace(/&copy;/g, '©').replace(/&amp;/g, '&'),
		layer: leafletLayer({
			url: address,
			pane,
			bounds,
			minZoom: least,
			maxDataZoom: most,
			flavor: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
			lang: document.documentElement.lang,
			attribution: '',
		}),
	};
}
