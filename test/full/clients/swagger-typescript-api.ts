import { Api } from './made/swagger-typescript-api';
import { given, run } from './journey';

const api = new Api<string>({
	securityWorker: token => (token ? { headers: { Authorization: `Bearer ${token}` } } : {}),
	baseApiParams: { secure: true, format: 'json' },
});
const headers = { Prefer: 'return=representation' };

run({
	async login(username, password) {
		api.setSecurityData((await api.users.postUsersLogin({ username, password })).data.data.token);
	},
	async datasets(name, since) {
		const { data } = await api.datasets.getDatasets({ name, 'createdAt[gte]': since });

		return data.data.map(dataset => given(dataset.name, 'name'));
	},
	async create(name) {
		const { data } = await api.tags.postTags({ name }, { headers });

		return given(data.data, 'tag').id;
	},
	async upload(fields, uploadFile) {
		const { data } = await api.files.postFiles({ ...fields, uploadFile }, { headers });

		return given(data.data, 'file').id;
	},
	async state(id) {
		return (await api.files.getFilesById(id)).data.data.parseState;
	},
	async rows(id) {
		return (await api.files.getFilesByIdContents(id)).data.data;
	},
	async remove(tag, file) {
		await api.tags.deleteTagsById(tag);
		await api.files.deleteFilesById(file);
	},
	async status(id) {
		return api.tags.getTagsById(id).then(
			reply => reply.status,
			reply => reply.status,
		);
	},
});
