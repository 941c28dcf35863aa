// The language of the page: its texts and names, messages of the service, numbers.

// The language that the service has rendered the page in.
export const language = document.documentElement.lang;
const { default: words, messages } = await import(`./words-${language}.js`);

// A name such as "updateFrequency" as words.
function spelled(name) {
	return /^[a-z]+[A-Za-z]*$/.test(name)
		? name[0].toUpperCase() + name.slice(1).replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
		: name;
}

// What a field, a resource, an action or a value is called.
export function called(name) {
	return Object.hasOwn(words, name) ? words[name] : spelled(name);
}

// A text, which is given in English.
export const t = called;

// A description of a field, which the service has in English; null: the language of the page has none.
export function described(text) {
	return Object.hasOwn(words, text) ? words[text] : language === 'en' ? text : null;
}

// A title or description of a form: one that is shipped in the language of the page, another one as it is.
export function titled(text) {
	return words[`form ${text}`] ?? text;
}

// The texts in the places of a pattern, each of which is a name in braces; null: the message has another form.
function placesOf(pattern, message) {
	const [first, ...rest] = pattern.split(/\{\w+\}/);
	const names = pattern.match(/\{\w+\}/g);
	const places = {};
	let at = first.length;

	if (!message.startsWith(first)) return null;
	for (const [i, literal] of rest.entries()) {
		const end = i === rest.length - 1 ? message.length - literal.length : message.indexOf(literal, at);

		if (end < at || !message.startsWith(literal, end)) return null;
		places[names[i]] = message.slice(at, end);
		at = end + literal.length;
	}
	return at === message.length ? places : null;
}

// A message of the service, in the language of the page if it has it; so the messages in it, but no deeper.
export function translated(message, depth = 3) {
	for (const [pattern, text] of depth > 0 ? messages : []) {
		const places = placesOf(pattern, message);

		if (places) return text.replace(/\{\w+\}/g, name => translated(places[name], depth - 1));
	}
	return message;
}

// A number as people write it.
export function number(value) {
	return value.toLocaleString(language);
}
