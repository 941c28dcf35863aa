// Publish a dataset with its files, charts and maps, all of them or none.
import { call, get } from './api.js';
import { ask, el, say } from './dom.js';
import { called, t } from './language.js';
import { go } from './work.js';

const MOST = 1000;
const PUBLISHED = 'qWRhpRV'; // the id of the status, the same in each catalogue

// What visitors will miss of a record; null: nothing.
const missing = {
	datasets: () => null,
	files: file => (file.size === null && !file.url ? t('it has no bytes and no address') : null),
	charts: chart => (chart.data === null ? t('it has no data') : null),
	maps: map => (map.correct === null ? t('it has no data') : null),
};

// The records that belong to a dataset and are not published: [resource, record].
async function unpublished(dataset) {
	const asked = {
		files: { dataset: dataset.id, match: 'EXACT', fields: 'name,size,url' },
		charts: { 'file.dataset': dataset.id, match: 'EXACT', fields: 'name,data' },
		maps: { 'file.dataset': dataset.id, match: 'EXACT', fields: 'name,correct' },
	};
	const answers = await Promise.all(
		Object.entries(asked).map(async ([resource, query]) => {
			const { data } = await get(`/${resource}`, { ...query, include: 'status.name', limit: MOST });

			return data.map(record => [resource, record]);
		}),
	);

	return [['datasets', dataset], ...answers.flat()].filter(
		([, { status }]) => (status?.id ?? status) !== PUBLISHED,
	);
}

function line([resource, record]) {
	const gap = missing[resource](record);

	return el(
		'li',
		{ dir: 'auto' },
		`${called(resource)}: `,
		el('bdi', {}, record.name),
		gap ? el('span', { class: 'error' }, ` – ${gap}`) : null,
	);
}

export async function publishAll(dataset) {
	const records = await unpublished(dataset);
	const content =
		records.length > 0
			? el('ul', { class: 'scroll' }, records.map(line))
			: el('p', {}, t('All of it is published already.'));
	const done = await ask(t('Publish with its files'), content, called('publish'), () =>
		records.length > 0
			? call('POST', '/batch', {
					parts: records.map(([resource, { id }]) => ({
						method: 'PATCH',
						path: `/${resource}/${id}/publish`,
					})),
				})
			: null,
	);

	if (!done) return;
	say(t('Done'));
	go(`record/datasets/${dataset.id}`);
}
