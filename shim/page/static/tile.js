// The points of a Mapbox Vector Tile (2.1) of a map, whose layer "points" has their number in "count".

// Reads numbers and runs of bytes, one after the other.
function reader(bytes) {
	let at = 0;

	return {
		more: () => at < bytes.length,
		bytes: length => bytes.subarray(at, (at += length)),
		number() {
			let value = 0;

			for (let scale = 1; ; scale *= 128) {
				const byte = bytes[at++];

				value += (byte & 127) * scale;
				if (!(byte & 128)) return value;
			}
		},
	};
}

// The fields of a message: [number, value], the bytes of what has a length.
function* fields(bytes) {
	const from = reader(bytes);

	while (from.more()) {
		const key = from.number();

		if ((key & 7) === 2) yield [key >> 3, from.bytes(from.number())];
		else if ((key & 7) === 0) yield [key >> 3, from.number()];
		else from.bytes((key & 7) === 1 ? 8 : 4);
	}
}

function numbers(bytes) {
	const list = [];

	for (const from = reader(bytes); from.more(); ) list.push(from.number());
	return list;
}

function signed(number) {
	return number & 1 ? -(number + 1) / 2 : number / 2;
}

function all(message, wanted) {
	return [...fields(message)].filter(([number]) => number === wanted).map(([, value]) => value);
}

// Each point as {x, y, count}: x and y are parts of the tile's width, from its upper left corner.
export function pointsOf(buffer) {
	return all(new Uint8Array(buffer), 3).flatMap(layer => {
		const [extent] = all(layer, 5);
		const names = all(layer, 3).map(name => new TextDecoder().decode(name));
		const values = all(layer, 4).map(value => [...fields(value)][0]?.[1]);

		return all(layer, 2).map(feature => {
			const tags = numbers(all(feature, 2)[0] ?? []);
			const [, x, y] = numbers(all(feature, 4)[0]).map(signed);
			const at = tags.findIndex((key, i) => i % 2 === 0 && names[key] === 'count');

			return { x: x / extent, y: y / extent, count: values[tags[at + 1]] ?? 1 };
		});
	});
}
