// How well a dataset is described: each check, with a link to where what is missing is entered.
import { get } from './api.js';
import { el } from './dom.js';
import { called, t } from './language.js';

// Where what a check asks for is entered.  undescribed: the id of a file whose columns nobody has described.
const places = {
	machineReadable: id => `file/${id}`,
	columnsDescribed: (id, undescribed) => (undescribed ? `columns/${undescribed}` : `file/${id}`),
	frequencyKept: id => `file/${id}`,
};

async function undescribedFile(id) {
	const { data } = await get('/files', { dataset: id, match: 'EXACT', parseState: 'ready', limit: 100 });

	return data.find(({ optionals }) => Object.keys(optionals?.columns ?? {}).length === 0)?.id;
}

export async function qualityOf(id) {
	const { data } = await get(`/datasets/${id}/quality`);
	const undescribed = data.checks.columnsDescribed ? undefined : await undescribedFile(id);
	const entry = ([check, holds]) =>
		el(
			'li',
			{},
			el('span', { class: holds ? 'good' : 'muted' }, holds ? '✓ ' : '– '),
			holds
				? called(`quality ${check}`)
				: el('a', { href: `#${places[check]?.(id, undescribed) ?? `edit/datasets/${id}`}` }, called(`quality ${check}`)),
		);

	return el(
		'section',
		{ class: 'quality' },
		el('h2', {}, `${t('Quality of the description')}: ${data.score} / ${data.of}`),
		el('ul', {}, Object.entries(data.checks).map(entry)),
	);
}
