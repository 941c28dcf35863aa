import { ok } from '@oazapfts/runtime';
import {
	defaults, deleteFilesById, deleteTagsById, getDatasets, getFilesById, getFilesByIdContents, getTagsById, postFiles,
	postTags, postUsersLogin,
} from './made/oazapfts';
import { given, run } from './journey';

const prefer = 'return=representation';

run({
	async login(username, password) {
		const { data } = await ok(postUsersLogin({ username, password }));

		defaults.headers = { Authorization: `Bearer ${data.token}` };
	},
	async datasets(name, since) {
		const { data } = await ok(getDatasets({ name, createdAtGte: since }));

		return data.map(dataset => given(dataset.name, 'name'));
	},
	async create(name) {
		return given((await ok(postTags({ name }, { prefer }))).data, 'tag').id;
	},
	async upload(fields, uploadFile) {
		return given((await ok(postFiles({ ...fields, uploadFile }, { prefer }))).data, 'file').id;
	},
	async state(id) {
		return (await ok(getFilesById(id))).data.parseState;
	},
	async rows(id) {
		return (await ok(getFilesByIdContents(id))).data;
	},
	async remove(tag, file) {
		await ok(deleteTagsById(tag));
		await ok(deleteFilesById(file));
	},
	async status(id) {
		return (await getTagsById(id)).status;
	},
});
