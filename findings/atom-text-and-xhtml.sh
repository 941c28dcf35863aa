#!/bin/sh
# Atom: a plain title loses what stands in "<" and ">", and XHTML comes back with its words in another order.
#
# Source: RFC 4287, section 3.1.1.1: a text construct without a type is plain text, in which "<" is no markup; section
# 3.1.1.3: of type="xhtml" the content is the inside of the div.
# Guess: readers differ in what they do with markup, but plain text is left alone and words keep their order.
# Seen with feedparser 2.6.0: the plain title "Use of <table> and <b> in data" loses both names, as elements of HTML.
# Seen with rss-parser 3.13.0: XHTML "H<sub>2</sub>O of <b>wells</b> in May" is put together as "HO of  in May", then 2,
# then wells; as a title it is an object, not a text.
# Seen with @rowanmanning/feed-parser 2.1.5: XHTML becomes text, with its words in order.
# Seen with feedsmith 3.0.1: all as it is in the feed.
# A harvest of an Atom feed has to read the type of each text itself.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund feedparser@2.6.0 @rowanmanning/feed-parser@2.1.5 rss-parser@3.13.0 \
	feedsmith@3.0.1 > /dev/null
cat > read.mjs <<'JS'
import FeedParser from 'feedparser';
import { parseFeed as parseRowanmanning } from '@rowanmanning/feed-parser';
import { parseFeed as parseFeedsmith } from 'feedsmith';
import RssParser from 'rss-parser';

const water = 'H<sub>2</sub>O of <b>wells</b> in May';
const texts = {
	plain: '<title>Use of &lt;table&gt; and &lt;b&gt; in data</title>',
	xhtml: `<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">${water}</div></title>`,
	summary: `<title>Wells</title>
		<summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">${water}</div></summary>`,
};
const namespace = ' xmlns="http://www.w3.org/1999/xhtml"';
const readers = { feedparser, rowanmanning, rssparser, feedsmith };

function feed(text) {
	return `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom">
		<title>Data</title><id>urn:example:feed</id><updated>2020-01-31T00:00:00Z</updated>
		<author><name>City</name></author>
		<entry><id>urn:example:1</id><link href="http://example.org/1"/>${text}
		<updated>2020-01-31T00:00:00Z</updated></entry></feed>`;
}

function feedparser(text) {
	return new Promise((resolve, reject) => {
		const parser = new FeedParser();
		let found;

		parser.on('error', reject);
		parser.on('readable', () => {
			for (let item = parser.read(); item; item = parser.read())
				found = [item.title, item.summary];
		});
		parser.on('end', () => resolve(found));
		parser.end(text);
	});
}

function rowanmanning(text) {
	const [item] = parseRowanmanning(text).items;

	return [item.title, item.description];
}

async function rssparser(text) {
	const [item] = (await new RssParser().parseString(text)).items;

	return [item.title, item.summary];
}

function feedsmith(text) {
	const [entry] = parseFeedsmith(text).feed.entries;

	return [entry.title.value, entry.summary?.value];
}

for (const [name, text] of Object.entries(texts)) {
	for (const [reader, read] of Object.entries(readers)) {
		const [title, summary] = await read(feed(text));
		const value = name === 'summary' ? summary : title;

		console.log(`${name} ${reader} ${typeof value === 'string' ? value.replace(namespace, '') : typeof value}`);
	}
}
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
plain feedparser Use of  and  in data
plain rowanmanning Use of <table> and <b> in data
plain rssparser Use of <table> and <b> in data
plain feedsmith Use of <table> and <b> in data
xhtml feedparser H2O of wells in May
xhtml rowanmanning H2O of wells in May
xhtml rssparser object
xhtml feedsmith H<sub>2</sub>O of <b>wells</b> in May
summary feedparser <div>H<sub>2</sub>O of <b>wells</b> in May</div>
summary rowanmanning H2O of wells in May
summary rssparser <div type="xhtml"><div>HO of  in May<sub>2</sub><b>wells</b></div></div>
summary feedsmith H<sub>2</sub>O of <b>wells</b> in May
TEXT
diff described seen
