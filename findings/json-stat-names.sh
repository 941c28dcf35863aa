#!/bin/sh
# JSON-stat: a dimension called "status" or "value" loses its categories in a table, and equal labels lose numbers.
#
# Source: JSON-stat 2.0: ids of dimensions are free names ("id", "dimension"); "status" and "value" of a dataset are on
# another level than they; labels of categories are texts for people, and nothing asks that they differ.
# Guess: a table has a column for each dimension and one for the number, whatever they are called.
# Seen with jsonstat-toolkit 2.2.2: rows are objects, and the number is written last under "value": a dimension of that
# id is gone. With status: true the same happens to "status", such as the marital status: it is null in all rows. With
# by, columns are named by labels: of two categories that are both called "Total", the last one stays.
# Nothing fails. Ask for ids (content: "id") and rows of type "array", or rename such dimensions before.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund jsonstat-toolkit@2.2.2 > /dev/null
cat > read.mjs <<'JS'
import JSONstat from 'jsonstat-toolkit';

function dataset(name, labels) {
	const ids = Object.keys(labels);
	const category = { index: ids, label: labels };

	return JSONstat({
		version: '2.0', class: 'dataset', id: ['year', name], size: [1, ids.length],
		value: ids.map((_, index) => 10 + index),
		dimension: { year: { category: { index: ['2020'] } }, [name]: { category } },
	});
}

function show(title, table) {
	for (const row of table)
		console.log(`${title} ${JSON.stringify(row)}`);
}

const marital = { s: 'single', m: 'married' };
const ages = { t: 'Total', w: 'Women', r: 'Total' };

show('dimension marital', dataset('marital', marital).Transform({ type: 'arrobj', status: true }));
show('dimension status', dataset('status', marital).Transform({ type: 'arrobj', status: true }));
show('dimension value', dataset('value', marital).Transform({ type: 'arrobj' }));
show('dimension value, arrays', dataset('value', marital).Transform({ type: 'array' }));
show('labels', dataset('group', ages).Transform({ type: 'arrobj', by: 'group' }));
show('ids', dataset('group', ages).Transform({ type: 'arrobj', by: 'group', content: 'id' }));
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
dimension marital {"year":"2020","marital":"single","value":10,"status":null}
dimension marital {"year":"2020","marital":"married","value":11,"status":null}
dimension status {"year":"2020","status":null,"value":10}
dimension status {"year":"2020","status":null,"value":11}
dimension value {"year":"2020","value":10}
dimension value {"year":"2020","value":11}
dimension value, arrays [null,null,"Value"]
dimension value, arrays ["2020","single",10]
dimension value, arrays ["2020","married",11]
labels {"year":"2020","Total":12,"Women":11}
ids {"year":"2020","t":10,"w":11,"r":12}
TEXT
diff described seen
