// The description of the service for people: Swagger UI, with what the user who has logged in may do.
import SwaggerUI from './swagger.js';
import { base, credentials } from './api.js';
import { el } from './dom.js';

// Descriptions are the plain texts that they are: the policy of pages forbids markup that a script makes of text.  The
// page has the heading, and the service is the only server.
const plain = ({ React }) => ({
	components: {
		InfoContainer: () => null,
		ServersContainer: () => null,
		Markdown: ({ source }) => React.createElement('p', {}, source),
	},
});

// What Swagger UI leaves without a name, or where keys cannot reach it.
function mend(section) {
	for (const select of section.querySelectorAll('select:not([id], [aria-label])'))
		select.ariaLabel = select.closest('[data-param-name]')?.dataset.paramName ?? 'Content-Type';
	for (const example of section.querySelectorAll('pre.microlight')) example.tabIndex = 0;
}

// Resolves when the operations are shown.
export function showDocs(section) {
	for (const name of ['swagger.css', 'docs.css'])
		document.head.append(el('link', { rel: 'stylesheet', href: new URL(name, import.meta.url).href }));
	new MutationObserver(() => mend(section)).observe(section, { childList: true, subtree: true });
	document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
	return new Promise(resolve => {
		const show = () =>
			SwaggerUI({
				domNode: section,
				url: `${base}/openapi.json`,
				plugins: [plain],
				docExpansion: 'none',
				defaultModelsExpandDepth: 0,
				filter: true,
				validatorUrl: null,
				requestInterceptor: request =>
					Object.assign(request, { headers: { ...credentials(), ...request.headers } }),
				onComplete: resolve,
			});

		document.addEventListener('session', show);
		show();
	});
}
