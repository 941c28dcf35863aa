// The values of a chart: over its picture, from which they are read, lie the areas that tell them when they are
// pointed at or have the focus.  The arrow keys lead from one to the next, Escape takes the text away.
import { el } from './dom.js';
import { t } from './language.js';

const SVG = 'http://www.w3.org/2000/svg';

const TALL = 100; // pixels of an area that the text may cover a part of
const GAP = 4; // to another area
const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

// The shapes of a picture that tell something, as [path, text], and its size.  The text is searched, since a document
// would want its style sheet, which the policy of the page forbids.
function read(source) {
	const shapes = [...source.matchAll(/<path [^>]*\bd="([^"]*)"><title>([^<]*)<\/title>/g)];

	return {
		size: source.match(/viewBox="([^"]*)"/)?.[1],
		shapes: shapes.map(([, path, text]) => [path, text.replace(/&#?\w+;/g, entity => entities[entity])]),
	};
}

// A shape of the picture with its text, to be pointed at.
function areaOf([path, text]) {
	const area = document.createElementNS(SVG, 'path');

	area.setAttribute('d', path);
	area.setAttribute('role', 'img');
	area.setAttribute('aria-label', text);
	area.setAttribute('tabindex', '-1');
	return area;
}

// Show what an area tells above its middle, within the frame.
function tell(frame, box, area) {
	const edges = frame.getBoundingClientRect();
	const { left, top, width, height } = area.getBoundingClientRect();
	const [label, ...lines] = area.getAttribute('aria-label').split('\n');

	box.replaceChildren(el('bdi', { class: 'name' }, label), ...lines.map(line => el('bdi', {}, line)));
	box.hidden = false;
	const x = left + width / 2 - edges.left - box.offsetWidth / 2;
	const y = top - edges.top - box.offsetHeight + (height > TALL ? height / 3 : -GAP);

	box.style.left = `${Math.max(0, Math.min(edges.width - box.offsetWidth, x))}px`;
	box.style.top = `${Math.max(0, y)}px`;
}

// Lead the focus by keys, as in a group of which only one member is reached by Tab.
function lead(areas, event) {
	const last = areas.length - 1;
	const at = areas.indexOf(event.target);
	const steps = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last };

	if (!Object.hasOwn(steps, event.key)) return;
	event.preventDefault();
	areas[Math.max(0, Math.min(last, steps[event.key]))].focus();
}

// A picture of which only the source is there.
export function pictureOf(source, alt) {
	return el('img', { src: `data:image/svg+xml,${encodeURIComponent(source)}`, alt });
}

// The same in a frame that scrolls.
export function framed(image) {
	return el('div', { class: 'wide picture', tabindex: '0' }, image);
}

// source: of the picture, where it is known already.
export async function showValues(picture, source) {
	const { size, shapes } = read(source ?? (await (await fetch(picture.src)).text()));
	const areas = shapes.map(areaOf);

	if (areas.length === 0) return;
	const box = el('p', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
	const layer = document.createElementNS(SVG, 'svg');
	const frame = el('div', { class: 'values', role: 'group', 'aria-label': `${t('Values')}: ${picture.alt}` });
	const hide = () => {
		box.hidden = true;
	};

	layer.setAttribute('viewBox', size);
	layer.append(...areas);
	// the frame scrolls with what has the focus in it
	picture.parentElement.removeAttribute('tabindex');
	picture.replaceWith(frame);
	frame.append(picture, layer, box);
	areas[0].setAttribute('tabindex', '0');
	// not of the layer: an element of SVG with listeners for the focus is reached by Tab itself
	frame.addEventListener('pointerover', ({ target }) => areas.includes(target) && tell(frame, box, target));
	frame.addEventListener('pointerleave', hide);
	frame.addEventListener('focusin', ({ target }) => {
		areas.forEach(area => area.setAttribute('tabindex', area === target ? '0' : '-1'));
		tell(frame, box, target);
	});
	frame.addEventListener('focusout', hide);
	frame.addEventListener('keydown', event => (event.key === 'Escape' ? hide() : lead(areas, event)));
}
