// The words of the page, from shim/page/words.txt.  A key is the English text, or a name of the interface.

// The language that the service has rendered the page in, else that of the browser.
export const language = document.documentElement.lang || navigator.language;
const { default: words } = await (language.startsWith('es') ? import('./words-es.js') : import('./words-en.js'));

// A name such as "updateFrequency" as words.
function spelled(name) {
	return /^[a-z]+[A-Za-z]*$/.test(name)
		? name[0].toUpperCase() + name.slice(1).replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
		: name;
}

export function t(key) {
	return Object.hasOwn(words, key) ? words[key] : spelled(key);
}

// A number as people write it.
export function number(value) {
	return value.toLocaleString(language);
}
