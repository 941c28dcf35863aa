// Upload files with tus-js-client through a proxy that breaks connections: node tus.mjs, with the configuration as
// JSON in the environment variable INPUT: {base, headers, cases}.  A case is {protocol, endpoint, bytes, headers,
// options, cut}; cut: nothing, "part" (the connection breaks in the middle of the first PATCH with a body) or "answer"
// (the answer to the last request is lost).  Prints, for each case, the requests with their statuses, and how the
// client ended.
import http from 'node:http';
import { createRequire } from 'node:module';

const tus = createRequire(import.meta.url)('tus-js-client');
const { base, headers, cases } = JSON.parse(process.env.INPUT);
const target = new URL(base);

// Begin a proxy; "told" gets a line for each request.
function proxy(cut, told) {
	let cuts = cut ? 1 : 0;

	const server = http.createServer((request, response) => {
		const last = request.headers['upload-complete'] === '?1';
		const line = `${request.method} ${request.url.replace(/^\/(\w+).*/, '$1')}`;
		const index = told.push(`${line} …`) - 1;
		const forward = http.request({
			host: target.hostname,
			port: target.port,
			method: request.method,
			path: request.url,
			headers: request.headers,
		});
		const broken = () => {
			told[index] = `${line} broken`;
			cuts = 0;
			request.socket.destroy();
		};
		let sent = 0;

		forward.on('error', () => request.socket.destroy());
		forward.on('response', answer => {
			if (cut === 'answer' && last && cuts > 0) return broken();
			told[index] = `${line} ${answer.statusCode}`;
			response.writeHead(answer.statusCode, answer.rawHeaders);
			answer.pipe(response);
		});
		request.on('data', bytes => {
			sent += bytes.length;
			if (cut === 'part' && request.method === 'PATCH' && cuts > 0 && sent > 300_000) {
				broken();
				forward.destroy();
			} else if (!forward.destroyed) forward.write(bytes);
		});
		request.on('end', () => forward.end());
	});

	return new Promise(resolve => {
		server.listen(0, '127.0.0.1', () => resolve(server));
	});
}

// Upload as a program does that knows nothing of this service but the address and the fields.
async function run({ protocol, endpoint, bytes, headers: more, options, cut }) {
	const told = [];
	const server = await proxy(cut, told);
	const result = await new Promise(resolve => {
		setTimeout(() => resolve({ success: false, error: 'no end' }), 30_000).unref();
		new tus.Upload(Buffer.alloc(bytes, 'a,b\n'), {
			protocol,
			endpoint: `http://127.0.0.1:${server.address().port}${endpoint}`,
			headers: { ...headers, ...more },
			retryDelays: [0, 200, 400, 800, 1600],
			...options,
			onSuccess: ({ lastResponse }) => resolve({ success: true, location: lastResponse.getHeader('Location') }),
			onError: error => resolve({ success: false, error: String(error) }),
		}).start();
	});

	server.closeAllConnections();
	server.close();
	return { requests: told, ...result };
}

const results = [];

for (const one of cases) results.push(await run(one));
console.log(JSON.stringify(results));
process.exit(0);
