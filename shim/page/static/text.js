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

// A message of the service, in the language of the page if it has it; % in a pattern stands for any text.
export function told(message) {
	for (const [pattern, text] of messages) {
		const form = pattern.replace(/[^\w %]/g, '\\$&').replace(/%/g, '(.*?)');
		const places = new RegExp(`^${form}$`, 's').exec(message);

		if (places) return text.replace(/%/g, () => told(places.splice(1, 1)[0]));
	}
	return message;
}

// A number as people write it.
export function number(value) {
	return value.toLocaleString(language);
}
