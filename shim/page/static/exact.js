// Numbers that take long to count: the page is there before them, and the same page with them is read meanwhile.

const NUMBERED = ['p.count', '.chips', 'aside.facets', 'nav.pages'];

function read(address) {
	return new Promise((resolve, reject) => {
		// fetch() has no documents, and text is made into one by what trusted types refuse
		const request = new XMLHttpRequest();

		request.open('GET', address);
		request.responseType = 'document';
		request.setRequestHeader('Accept', 'text/html');
		request.onload = () =>
			request.status === 200 && request.response
				? resolve(request.response)
				: reject(new Error(`${address}: ${request.status}`));
		request.onerror = () => reject(new Error(address));
		request.send();
	});
}

// Put what has numbers in the place of what has none; link: to the page with all of them.
export async function showNumbers(link) {
	const counted = await read(link.href);

	for (const selector of NUMBERED) {
		const there = document.querySelector(selector);
		const its = counted.querySelector(selector);

		if (there && its) there.replaceWith(document.adoptNode(its));
		else there?.remove();
	}
}
