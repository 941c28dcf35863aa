// The profile of the columns of a file: beside type, empty cells and different values, how the values are distributed.
import { base, get } from './api.js';
import { el } from './dom.js';
import { spark } from './plot.js';
import { t } from './language.js';

const MOST = 16; // columns that the service counts at once
const VALUES = 20; // of a column of texts, to be shown as bars
const LINKS = 5; // values of a column that lead to their rows

const ranged = ['integer', 'decimal', 'date', 'datetime', 'month', 'quarter'];

// Is a name one that a list of names in a parameter can have?
function listed({ name }) {
	return !/[",]/.test(name);
}

// The names of columns, as a parameter.
function names(columns) {
	return columns
		.slice(0, MOST)
		.map(({ name }) => name)
		.join(',');
}

// By name of the column: [label, count] of each range, or of each value.
function bars({ histograms = {}, facets = {} }) {
	const made = {};

	for (const [name, { buckets }] of Object.entries(histograms))
		made[name] = buckets.map(({ from, to, count }) => [from === to ? from : `${from} – ${to}`, count]);
	for (const [name, { values }] of Object.entries(facets))
		made[name] = values.map(({ value, count }) => [value, count]);
	return made;
}

// The sheet of the page, as parameters; a page of a file has that of its rows.
const sheet = () => ({ sheet: new URLSearchParams(location.search).get('sheet') ?? '' });

async function distributions(path, columns) {
	const counted = columns.filter(column => listed(column) && column.distinct > 0);
	const { meta } = await get(path, {
		limit: 1,
		...sheet(),
		histogram: names(counted.filter(({ type }) => ranged.includes(type))),
		facets: names(counted.filter(({ type, distinct }) => !ranged.includes(type) && distinct <= VALUES)),
		facetLimit: VALUES,
	});

	return bars(meta);
}

// Links to the rows with a value, of the values that most rows have.
function links(path, name, counts) {
	const kept = Object.entries({ lang: new URLSearchParams(location.search).get('lang'), ...sheet() });

	return counts
		.filter(([value]) => value !== null)
		.slice(0, LINKS)
		.map(([value, count]) => {
			const query = new URLSearchParams([[name, value], ['match', 'EXACT'], ...kept.filter(([, one]) => one)]);

			return el('li', {}, el('a', { href: `${base}${path}/contents?${query}`, rel: 'nofollow' }, value), ` ${count}`);
		});
}

export async function showProfile(section) {
	const path = `/files/${encodeURIComponent(document.body.dataset.id)}`;
	const rows = [...section.querySelectorAll('tbody tr')];
	const { data: columns } = await get(`${path}/columns`, { limit: rows.length, ...sheet() });
	const shown = await distributions(`${path}/contents`, columns);

	if (columns.length < rows.length) return;
	section.querySelector('thead tr').append(el('th', { scope: 'col' }, t('Distribution')));
	rows.forEach((row, i) => {
		const { name, type } = columns[i];
		const counts = shown[name] ?? [];
		const values = ranged.includes(type) ? [] : links(path, name, counts);

		row.append(
			el(
				'td',
				{},
				counts.length > 0 ? spark(name, counts) : '—',
				values.length > 0 ? el('ul', { class: 'names' }, values) : null,
			),
		);
	});
}
