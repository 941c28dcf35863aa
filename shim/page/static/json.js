// Values of JSON: numbers as they are written, and which values are the same.

// Is a value a number that is kept as a text, since no number of JavaScript is written so?
const isWritten = value => JSON.isRawJSON?.(value) ?? false;

// Parse JSON; numbers such as 12345678901234567890 and 1.0 are written again as they stand.  Browsers of before 2025
// have no JSON.rawJSON(), and round them.
export function parseExact(text) {
	return JSON.parse(text, (key, value, context) =>
		typeof value === 'number' && JSON.rawJSON && context.source !== String(value)
			? JSON.rawJSON(context.source)
			: value,
	);
}

// May a control for numbers show a value?
export function isNumber(value) {
	return typeof value === 'number' || (isWritten(value) && Number.isFinite(Number(value.rawJSON)));
}

export function isObject(value) {
	return value !== null && typeof value === 'object' && !Array.isArray(value) && !isWritten(value);
}

const byName = ([one], [other]) => (one < other ? -1 : 1);

// Are two values the same, members of objects in any order?
export function same(one, other) {
	const [text, otherText] = [one, other].map(whole =>
		JSON.stringify(whole ?? null, (name, value) =>
			isObject(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value,
		),
	);

	return text === otherText;
}
