// The points of a Mapbox Vector Tile (2.1) of a map, whose layer "points" has their number in "count".

// The fields of a message: [number, value], the bytes of what has a length.
function* fields(bytes) {
	let at = 0;

	const varint = () => {
		let value = 0;

		for (let scale = 1; ; scale *= 128) {
			const byte = bytes[at++];

			value += (byte & 127) * scale;
			if (!(byte & 128)) return value;
		}
	};
	while (at < bytes.length) {
		const key = varint();

		if ((key & 7) === 2) {
			const length = varint();

			yield [key >> 3, bytes.subarray(at, at + length)];
			at += length;
		} else if ((key & 7) === 0) yield [key >> 3, varint()];
		else at += (key & 7) === 1 ? 8 : 4;
	}
}

function numbers(bytes) {
	const list = [];
	let value = 0;
	let scale = 1;

	for (const byte of bytes) {
		value += (byte & 127) * scale;
		scale *= 128;
		if (byte & 128) continue;
		list.push(value);
		value = 0;
		scale = 1;
	}
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
