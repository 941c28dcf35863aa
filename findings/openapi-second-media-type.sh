#!/bin/sh
# A client that is made of OpenAPI loses the type of JSON where an operation may answer CSV as well, and a second scheme
# of "security" sends the same token twice.
#
# Source: OpenAPI 3.1: "content" of a response is a map of all media types that may come, of which a schema {} says
# nothing; an element of "security" is an alternative, of which a client needs one.
# Guess: a client that asks for JSON has the type of the schema of application/json; of two alternatives one is sent.
# Seen with openapi-typescript 7.13.0 and openapi-fetch 0.17.0: with text/csv beside application/json the data of a
# success are of type "unknown", since the types of all contents are joined, and unknown takes the others in; without
# text/csv they are as the schema says. "tsc --strict" refuses to read an element of them (TS7053).
# Seen with @hey-api/openapi-ts 0.99.0: what the caller gives as "auth" is asked for by each scheme, of alternatives as
# well, so that one token is sent as bearer token and as API key.
# Who adds a media type to an answer, or a way to log in, so breaks clients that use neither.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund openapi-typescript@7.13.0 openapi-fetch@0.17.0 @hey-api/openapi-ts@0.99.0 \
	typescript@5.9.3 node@22.23.3 @types/node@22.19.0 > /dev/null

# document CONTENTS SECURITY: a list of lakes
document()
{
	cat <<JSON
{"openapi": "3.1.0", "info": {"title": "Lakes", "version": "1"}, "servers": [{"url": "http://127.0.0.1:9"}],
"paths": {"/lakes": {"get": {"operationId": "lakes", "security": $2, "responses": {"200": {"description": "Lakes",
"content": {"application/json": {"schema": {"type": "array", "items": {"type": "object",
"properties": {"name": {"type": "string"}}, "required": ["name"]}}}$1}}}}}},
"components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"},
"key": {"type": "apiKey", "in": "header", "name": "apikey"}}}}
JSON
}

document '' '[]' > one.json
document ', "text/csv": {"schema": {}}' '[]' > two.json
document '' '[{"token": []}]' > token.json
document '' '[{"token": []}, {"key": []}]' > either.json
for name in one two; do
	node_modules/.bin/openapi-typescript $name.json -o $name.d.ts > /dev/null 2>&1
	cat > read-$name.ts <<TS
import createClient from 'openapi-fetch';
import type { paths } from './$name';

createClient<paths>().GET('/lakes').then(({ data }) => console.log(data?.[0].name));
TS
	node_modules/.bin/tsc --noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --target es2022 \
		--lib es2022,dom read-$name.ts > $name.faults && echo "openapi-fetch, $name: no fault" ||
		echo "openapi-fetch, $name: $(grep -o 'TS[0-9]*' $name.faults)"
done | tee seen
for name in token either; do
	node_modules/node/bin/node node_modules/@hey-api/openapi-ts/bin/run.js -i $name.json -o $name --silent \
		> /dev/null 2>&1 < /dev/null
	cat > call-$name.ts <<TS
import { client } from './$name/client.gen';
import { lakes } from './$name/sdk.gen';

client.setConfig({
	baseUrl: 'http://127.0.0.1:9',
	auth: () => 'secret',
	fetch: async request => {
		const { headers } = request as Request;

		console.log('hey-api, $name:', headers.get('authorization'), headers.get('apikey'));
		return new Response('[]', { headers: { 'content-type': 'application/json' } });
	},
});
lakes();
TS
	node_modules/.bin/tsc --skipLibCheck --module commonjs --moduleResolution node10 --target es2022 \
		--lib es2022,dom,dom.iterable --outDir run-$name call-$name.ts > $name.log || cat $name.log
	node_modules/node/bin/node run-$name/call-$name.js
done | tee -a seen
cat > expected <<'END'
openapi-fetch, one: no fault
openapi-fetch, two: TS7053
hey-api, token: Bearer secret null
hey-api, either: Bearer secret secret
END
diff expected seen
