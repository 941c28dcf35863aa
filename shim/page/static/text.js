// The words of the page, from shim/page/words.txt.  A key is the English text, or a name of the interface.

// The language that the service has rendered the page in, else that of the browser.
export const language = document.documentElement.lang || navigator.language;
const { default: words, messages } = await (language.startsWith('es')
	? import('./words-es.js')
	: import('./words-en.js'));

// A name such as "updateFrequency" as words.
function spelled(name) {
	return /^[a-z]+[A-Za-z]*$/.test(name)
		? name[0].toUpperCase() + name.slice(1).replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
		: name;
}

export function t(key) {
	return Object.hasOwn(words, key) ? words[key] : spelled(key);
}

// The texts in the places of a pattern, each of which is a %; null: the message has another form.
function placesOf(pattern, message) {
	const [first, ...rest] = pattern.split('%');
	const places = [];
	let at = first.length;

	if (!message.startsWith(first)) return null;
	for (const [i, literal] of rest.entries()) {
		const end = i === rest.length - 1 ? message.length - literal.length : message.indexOf(literal, at);

		if (end < at || !message.startsWith(literal, end)) return null;
		places.push(message.slice(at, end));
		at = end + literal.length;
	}
	return at === message.length ? places : null;
}

// A message of the service, in the language of the page if it has it; so the messages in it, but no deeper.
export function told(message, depth = 3) {
	for (const [pattern, text] of depth > 0 ? messages : []) {
		const places = placesOf(pattern, message);

		if (places) return text.replace(/%/g, () => told(places.shift(), depth - 1));
	}
	return message;
}

// A number as people write it.
export function number(value) {
	return value.toLocaleString(language);
}
