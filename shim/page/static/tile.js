// What is in a Mapbox Vector Tile (2.1) of a map: points, whose number is "count", lines and areas.

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

// The parts of a geometry, each a list of [x, y]: parts of the tile's width, from its upper left corner.
function parts(commands, extent) {
	const list = [];
	let [x, y] = [0, 0];

	for (const from = commands[Symbol.iterator](), next = () => from.next().value; ; ) {
		const command = next();

		if (command === undefined) return list;
		if ((command & 7) === 7) list.at(-1).push(list.at(-1)[0]);
		else
			for (let left = command >> 3; left > 0; left--) {
				x += signed(next());
				y += signed(next());
				if ((command & 7) === 1) list.push([]);
				list.at(-1).push([x / extent, y / extent]);
			}
	}
}

const AREA = 3;

// The features of a tile as {kind, count, class, parts}: kind is "point", "line" or "area".
export function featuresOf(buffer) {
	return all(new Uint8Array(buffer), 3).flatMap(layer => {
		const [extent] = all(layer, 5);
		const names = all(layer, 3).map(name => new TextDecoder().decode(name));
		const values = all(layer, 4).map(value => [...fields(value)][0]?.[1]);

		return all(layer, 2).map(feature => {
			const tags = numbers(all(feature, 2)[0] ?? []);
			const [kind] = all(feature, 3);
			const told = {};

			tags.forEach((key, i) => i % 2 || (told[names[key]] = values[tags[i + 1]]));
			return {
				kind: kind === 1 ? 'point' : kind === AREA ? 'area' : 'line',
				count: told.count ?? 1,
				class: told.class,
				parts: parts(numbers(all(feature, 4)[0]), extent),
			};
		});
	});
}
