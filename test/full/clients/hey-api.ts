import { client } from './made/hey-api/client.gen';
import {
	deleteFilesById, deleteTagsById, getDatasets, getFilesById, getFilesByIdContents, getTagsById, postFiles, postTags,
	postUsersLogin,
} from './made/hey-api';
import { given, run } from './journey';

const headers = { Prefer: 'return=representation' };

run({
	async login(username, password) {
		const { data } = await postUsersLogin({ body: { username, password } });
		const token = given(data, 'session').data.token;

		client.setConfig({ auth: () => token });
	},
	async datasets(name, since) {
		const { data } = await getDatasets({ query: { name, 'createdAt[gte]': since } });

		return given(data, 'list').data.map(dataset => given(dataset.name, 'name'));
	},
	async create(name) {
		const { data } = await postTags({ headers, body: { name } });

		return given(data?.data, 'tag').id;
	},
	async upload(fields, file) {
		const { data } = await postFiles({ headers, body: { ...fields, uploadFile: file } });

		return given(data?.data, 'file').id;
	},
	async state(id) {
		return given((await getFilesById({ path: { id } })).data, 'file').data.parseState;
	},
	async rows(id) {
		return given((await getFilesByIdContents({ path: { id } })).data, 'rows').data;
	},
	async remove(tag, file) {
		await deleteTagsById({ path: { id: tag }, throwOnError: true });
		await deleteFilesById({ path: { id: file }, throwOnError: true });
	},
	async status(id) {
		return (await getTagsById({ path: { id } })).response?.status;
	},
});
