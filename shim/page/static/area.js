// The form that finds datasets by place: its rectangle is drawn on a map, too.
import { el } from './dom.js';

// A rectangle as boxMap() takes it: one that crosses the antimeridian goes on behind 180 degrees.
function read(text) {
	const [west, south, east, north] = text.split(',').map(Number);

	return text !== '' && [west, south, east, north].every(Number.isFinite)
		? [west, south, east < west ? east + 360 : east, north]
		: null;
}

export function placeSearch(details) {
	const input = details.querySelector('[name="bbox"]');
	const draw = async () => {
		const figure = el('figure', { class: 'map box' });
		const { boxMap } = await import('./map.js');

		details.append(figure);
		await boxMap(figure, read(input.value), box => (input.value = box.join()));
	};

	if (details.open) return draw();
	return details.addEventListener('toggle', draw, { once: true });
}
