// What people call fields, resources, actions and values, by their names in the interface, and how dates and numbers are
// written: xgettext reads this list for shim/po/catalogue.pot, nothing executes it.  The name is the msgctxt of its text.
// A name that is not here is shown as words: "updatedBy" as "Updated by".
// Decisions: docs/explanation/decisions.md#shimpo

// Translators: the name of your language, in your language.
name('all', 'All');
name('answers', 'Answers');
name('columns', 'Columns');
name('contents', 'Rows');
name('download', 'Download');
name('feed', 'Feed');
name('issues', 'Faults');
name('language name', 'English');
name('date', '{day} {month} {year}');
name('month 1', 'January');
name('month 2', 'February');
name('month 3', 'March');
name('month 4', 'April');
name('month 5', 'May');
name('month 6', 'June');
name('month 7', 'July');
name('month 8', 'August');
name('month 9', 'September');
name('month 10', 'October');
name('month 11', 'November');
name('month 12', 'December');
// Translators: this number, with the signs for thousands and decimals of your language.
name('number', '12,345.6');
// Translators: this number, with the sign for thousands if numbers of four digits have one in your language.
name('quality', 'Quality');
name('sheets', 'Sheets');
name('short number', '1,234');

name('Series', 'Series');
name('about', 'About');
name('accessLevel', 'Access');
name('accrualPeriodicity', 'Update frequency');
name('action', 'Action');
name('active', 'Active');
name('address', 'Address');
name('api', 'API');
name('archive', 'Make an archive');
name('attempts', 'Attempts');
name('attributesAsHeaders', 'Attributes as headers');
name('attribution', 'Credit');
name('audience', 'Audience');
name('avatar', 'Picture');
name('badRows', 'Faulty rows');
name('bar', 'Bars');
name('basemap', 'Base map');
name('basemaps', 'Basemaps');
name('bbox', 'Box');
name('birth', 'Date of birth');
name('cancel', 'Back to draft');
name('cancelled', 'Cancelled');
name('cancelledAt', 'Review cancelled');
name('categories', 'Categories');
name('category', 'Category');
name('changes', 'Changes');
name('charts', 'Charts');
name('check', 'Check');
name('children', 'Parts');
name('client', 'Client');
name('collection', 'Collection');
name('color', 'Colour');
name('colorKey', 'Column of the colours');
name('configs', 'Configs');
name('conformsTo', 'Standards');
name('contactPoint', 'Contact');
name('correct', 'Rows with a place');
name('create', 'Create');
name('created', 'Created');
name('createdAt', 'Created');
name('createdAt.year', 'Year of creation');
name('dataDate', 'Date of the data');
name('dataDate.year', 'Year of the data');
name('place', 'Place');
name('createdBy', 'Created by');
name('cuantitative', 'Sum of values');
name('data', 'Data');
name('dataPath', 'Path to the rows');
name('dataSeries', 'Columns shown');
name('dataType', 'How values are made');
name('databases', 'Databases');
name('dataset', 'Dataset');
name('datasetrequests', 'Dataset requests');
name('datasets', 'Datasets');
name('datasetsSubcategories', 'Datasets of the subcategory');
name('day', 'Day');
name('deactivate', 'Deactivate');
name('delete', 'Delete');
name('deletedAt', 'Deleted');
name('description', 'Description');
name('distinct', 'Distinct values');
name('done', 'Done');
name('dryRun', 'Dry run');
name('editable', 'May be changed');
name('email', 'Email');
name('embedCode', 'Code to embed it');
name('endedAt', 'Ended');
name('endpoint', 'Address of the service');
name('erase', 'Erase personal data');
name('extent', 'Extent');
name('failed', 'Failed');
name('failedAt', 'Last failure');
name('failing', 'Failing');
name('failingSince', 'Failing since');
name('failureReason', 'Reason of the failure');
name('fault', 'Fault');
name('fetchReason', 'Reason of the failure');
name('fetchedAt', 'Fetched');
name('fetches', 'Fetches');
name('field', 'Field');
name('extent', 'Extent');
name('file', 'File');
name('fileName', 'File name');
name('files', 'Files');
name('files.type', 'Format');
name('filetypes', 'File types');
name('firstName', 'First name');
name('fn', 'Name');
name('forms', 'Forms');
name('fullName', 'Full name');
name('gatheringDate', 'Gathered');
name('geojson', 'GeoJSON');
name('gone', 'Gone');
name('hasEmail', 'Mail');
name('heatmap', 'Heat map');
name('httpStatus', 'Status of HTTP');
name('id', 'Id');
name('identifier', 'Identifier');
name('image', 'Image');
name('imports', 'Imports');
name('incorrect', 'Rows without a place');
name('ip', 'Address of the client');
name('issued', 'Published at the source');
name('jobs', 'Jobs');
name('key', 'Key');
name('keyword', 'Keywords');
name('kind', 'Kind');
name('kml', 'KML');
name('label', 'Label');
name('landingPage', 'Page at the source');
name('language', 'Language');
name('lastName', 'Last name');
name('latitudeKey', 'Column of the latitude');
name('layout', 'Layout');
name('legend', 'Legend');
name('license', 'Licence');
name('line', 'Lines');
name('link', 'Link');
name('logs', 'Logs');
name('longitudeKey', 'Column of the longitude');
name('maps', 'Maps');
name('max', 'Greatest');
name('maxZoom', 'Greatest zoom');
name('method', 'Method');
name('mimetype', 'Media types');
name('min', 'Least');
name('minZoom', 'Least zoom');
name('model', 'Kind of record');
name('modified', 'Changed at the source');
name('multiple', 'Several values');
name('name', 'Name');
name('namespace', 'Namespace');
name('nextDelivery', 'Next delivery');
name('nextFetch', 'Next fetch');
name('nextRun', 'Next run');
name('notes', 'Notes');
name('nulls', 'Empty cells');
name('option crs', 'System of coordinates');
name('option sheet', 'Sheet that is shown first');
name('option dates', 'Order of dates');
name('option decimal', 'Decimal sign');
name('option delimiter', 'Delimiter');
name('option encoding', 'Encoding');
name('option header', 'Header row');
name('option headerRows', 'Rows of the header');
name('option merged', 'Merged cells');
name('option missing', 'Texts for no value, one on each line');
name('option skip', 'Rows to skip');
name('option thousands', 'Sign between thousands');
name('optionals', 'More information');
name('organization', 'Organization');
name('organizations', 'Organizations');
name('outcome', 'Result');
name('own', 'Own records only');
name('owner', 'Owner');
name('pages', 'Pages');
name('parameters', 'Parameters');
name('parent', 'Part of');
name('parse', 'Read a file');
name('parseOptions', 'How it is read');
name('parseReason', 'Why it was not read');
name('parseState', 'State of reading');
name('password', 'Password');
name('pending', 'Pending');
name('pie', 'Pie');
name('position', 'Position');
name('prefLabel', 'Name');
name('properties', 'Columns shown with a point');
name('publish', 'Publish');
name('publishedAt', 'Published');
name('publisher', 'Publisher');
name('qualitative', 'Number of rows');
name('quantitative', 'Sum of values');
name('querystring', 'Query');
name('question', 'Question');
name('questions', 'Questions');
name('queued', 'Queued');
name('ready', 'Ready');
name('reason', 'Reason');
name('refused', 'Refused');
name('reject', 'Reject');
name('rejectedAt', 'Rejected');
name('reply', 'Reply');
name('replyPublic', 'Reply is public');
name('report', 'Report');
name('requests', 'Requests');
name('resource', 'Resource');
name('resources', 'Resources');
name('restService', 'REST service');
name('restore', 'Restore');
name('restservices', 'REST services');
name('review', 'Send to review');
name('reviewedAt', 'Sent to review');
name('revision', 'Revision');
name('role', 'Role');
name('roles', 'Roles');
name('rowCount', 'Rows');
name('rules', 'Rules');
name('running', 'Running');
name('scan', 'Look for viruses');
name('schema', 'Schema');
name('secret', 'Secret');
name('session', 'Session');
name('sha256', 'SHA-256');
name('shapes', 'Outlines');
name('shapesKey', 'Key of the outlines');
name('size', 'Size');
name('slug', 'Name in addresses');
name('soapService', 'SOAP service');
name('soapservices', 'SOAP services');
name('source', 'Source');
name('spatial', 'Area');
name('stackedbar', 'Stacked bars');
name('starred', 'Starred');
name('startedAt', 'Started');
name('state', 'State');
name('statistics', 'Statistics');
name('status', 'Status');
name('statuses', 'Statuses');
name('subcategories', 'Subcategories');
name('subconfigs', 'Parts of the setting');
name('tags', 'Tags');
name('target', 'Target');
name('temporal', 'Period');
name('text', 'Text');
name('theme', 'Subjects');
name('tiles', 'Tiles');
name('timePattern', 'Pattern (cron)');
name('title', 'Title');
name('titlePath', 'Path to the headings');
name('tms', 'Rows from the south (TMS)');
name('token', 'Token');
name('tokenAlgorithm', 'Algorithm of the token');
name('tokenSignature', 'Key of the token');
name('tooltip', 'Explanation');
name('total', 'Total');
name('transfer', 'Transfer the records');
name('transferTo', 'To the user');
name('type', 'Type');
name('unit', 'Unit');
name('unPublishedAt', 'Unpublished');
name('unchanged', 'Unchanged');
name('unpublish', 'Unpublish');
name('update', 'Update');
name('updateFrequency', 'Update frequency');
name('updated', 'Changed');
name('updatedAt', 'Changed');
name('updatedBy', 'Changed by');
name('updatefrequencies', 'Update frequencies');
name('uploadImage', 'Upload an image');
name('urgent', 'Urgent');
name('url', 'Address');
name('user', 'User');
name('useragent', 'Program of the client');
name('username', 'Username');
name('users', 'Users');
name('value', 'Value');
name('versions', 'Versions');
name('view', 'View');
name('views', 'Views');
name('visible', 'Visible');
name('webhooks', 'Webhooks');

// The forms that are shipped, by extension/documents/forms.sql.
name('form Licence', 'Licence');
name('form Any use, without a condition.', 'Any use, without a condition.');
name('form Any use; the source is named.', 'Any use; the source is named.');
name('form Any use; the source is named, and what comes of it has the same licence.',
	'Any use; the source is named, and what comes of it has the same licence.');
name('form Copies without changes; the source is named.', 'Copies without changes; the source is named.');
name('form Use that is not commercial; the source is named.', 'Use that is not commercial; the source is named.');
name('form Use that is not commercial; the source is named, and what comes of it has the same licence.',
	'Use that is not commercial; the source is named, and what comes of it has the same licence.');
name('form Copies without changes for use that is not commercial; the source is named.',
	'Copies without changes for use that is not commercial; the source is named.');
name('form Any use; the text of the licence goes with the data.', 'Any use; the text of the licence goes with the data.');
name('form Any use; what comes of it has the same licence or a compatible one.',
	'Any use; what comes of it has the same licence or a compatible one.');
name('form Reuse notice of the European Commission', 'Reuse notice of the European Commission');
name('form Any use; the source is named, and changes are told.', 'Any use; the source is named, and changes are told.');
name('form Any use; the source and its date are named.', 'Any use; the source and its date are named.');
name('form Public domain', 'Public domain');
name('form Another one', 'Another one');
name('form Its address, best one that others use as well.', 'Its address, best one that others use as well.');
name('form Contact', 'Contact');
name('form Whom to ask about the data.', 'Whom to ask about the data.');
name('form Name of the office or person', 'Name of the office or person');
name('form E-mail', 'E-mail');
name('form Source', 'Source');
name('form Address of the page where the data come from.', 'Address of the page where the data come from.');
name('form Period', 'Period');
name('form First and last day that the data are about.', 'First and last day that the data are about.');
name('form Area', 'Area');
name('form What place the data are about.', 'What place the data are about.');
name('form Languages of the data', 'Languages of the data');
name('form Standards', 'Standards');
name('form Addresses of the standards that the data follow, one in a line.',
	'Addresses of the standards that the data follow, one in a line.');
name('form Data dictionary', 'Data dictionary');
name('form Address of a document that describes the columns.', 'Address of a document that describes the columns.');

// What forms say of fields, by the comments of their columns.
name('Seen by outsiders, when it is published; false hides it', 'Visitors see it once it is published.');
name('Seen by outsiders, when file and dataset are published; false hides it',
	'Visitors see it once it and its dataset are published.');
name('Has priority', 'It has priority.');
name('Is a data guide', 'It is a guide to the data, not data.');
name('To be shown as updated', 'It is shown as updated.');
name('File name of the image', 'File name of the image');
name('Colour, six hexadecimal digits', 'Colour, six hexadecimal digits');
name('URL of the image, its logo', 'Address of the image, its logo');
name('URL of the image', 'URL of the image');
name('To filter by; hides nothing', 'To filter by; hides nothing');
name('Category that this subcategory belongs to', 'Category that this subcategory belongs to');
name('Form of the chart', 'Form of the chart');
name('Labels and values; made from the file where dataSeries names its columns',
	'Labels and values; made from the file where dataSeries names its columns');
name('qualitative counts the rows of a label, quantitative sums its values',
	'qualitative counts the rows of a label, quantitative sums its values');
name('Address of the chart, http: or https:', 'Address of the chart, http: or https:');
name('Address of an embedded chart, http: or https:', 'Address of an embedded chart, http: or https:');
name('HTML of an embedded chart', 'HTML of an embedded chart');
name('When it was published', 'When it was published');
name('When it was unpublished', 'When it was unpublished');
name('When it was rejected', 'When it was rejected');
name('When its review was cancelled', 'When its review was cancelled');
name('When its review began', 'When its review began');
name('State of the record', 'State of the record');
name('File that the chart shows; required unless a link is given',
	'File that the chart shows; required unless a link is given');
name('What it sets', 'What it sets');
name('Type of the value', 'Type of the value');
name('Section of the settings', 'Section of the settings');
name('Name of the setting', 'Name of the setting');
name('Value, of the type that is said', 'Value, of the type that is said');
name('Help text', 'Help text');
name('Whether several values are given, with commas between them',
	'Whether several values are given, with commas between them');
name('Whether it can be edited', 'Whether it can be edited');
name('Whether a value must be given', 'Whether a value must be given');
name('Resource that a value of type model refers to, by its model or path',
	'Resource that a value of type model refers to, by its model or path');
name('For superadmins only', 'For superadmins only');
name('Group that the setting belongs to', 'Group that the setting belongs to');
name('Subject', 'Subject');
name('What is wanted', 'What is wanted');
name('Address to answer to', 'Address to answer to');
name('Dataset that it is about', 'Dataset that it is about');
name('Whether it asks or reports', 'Whether it asks or reports a fault');
name('What is asked or reported, in plain text', 'What is asked or reported, in plain text');
name('Name of who asks; never public', 'Name of who asks; it is never public.');
name('Address to answer to; never public', 'Address to answer to; it is never public.');
name('Reply, in plain text; null: it is open', 'Reply, in plain text; without one it is open.');
name('Whether visitors see text and reply', 'Visitors see text and reply.');
name('Featured', 'Featured');
name('Further values of the publisher\'s own; translations has texts in other languages, which search finds',
	'Further values of the publisher\'s own; translations has texts in other languages, which search finds');
name('Responsible user', 'Responsible user');
name('Organization that publishes it, and that rights go by; of a new one that of its creator',
	'Organization that publishes it, and that rights go by; of a new one that of its creator');
name('Stored name, unique in its dataset', 'Stored name, unique in its dataset');
name('Address of the bytes, http: or https:', 'Address of the bytes, http: or https:');
name('When the data were gathered', 'When the data were gathered');
name('How the contents are to be read: object of encoding, delimiter, decimal, thousands, header, headerRows, skip, dates, missing, merged, crs; what it does not say is found',
	'How the contents are to be read: object of encoding, delimiter, decimal, thousands, header, headerRows, skip, dates, missing, merged, crs; what it does not say is found');
name('Type of the file', 'Type of the file');
name('Organization providing the data', 'Organization providing the data');
name('Dataset that the file belongs to', 'Dataset that the file belongs to');
name('How often the file is updated', 'How often the file is updated');
name('SOAP service that updates the file', 'SOAP service that updates the file');
name('REST service that updates the file', 'REST service that updates the file');
name('Name, the usual extension', 'Name, the usual extension');
name('Whether its contents can be read through the API', 'Whether its contents can be read through the API');
name('Heading, and text of the link', 'Heading, and text of the link');
name('What it says, in Markdown', 'What it says, in Markdown');
name('Place of the link at the foot of each page; null: no link', 'Number that orders the links at the foot of each page; without it there is no link.');
name('Seen by outsiders', 'Visitors see it.');
name('Further values; translations has name and text in other languages',
	'Further values; translations has name and text in other languages.');
name('Path word of the resource, which has optionals; of several forms the newest counts', 'Path word of the resource, which has optionals; of several forms the newest counts');
name('JSON Schema of optionals, with a property for each value that the page asks for',
	'JSON Schema of optionals, with a property for each value that the page asks for');
name('Address of the map, http: or https:', 'Address of the map, http: or https:');
name('Address of an embedded map, http: or https:', 'Address of an embedded map, http: or https:');
name('HTML of an embedded map', 'HTML of an embedded map');
name('Column of the latitude, degrees', 'Column of the latitude, degrees');
name('Column of the longitude, degrees', 'Column of the longitude, degrees');
name('Points, lines and areas as GeoJSON; made from the file where latitudeKey and longitudeKey name its columns',
	'Points, lines and areas as GeoJSON; made from the file where latitudeKey and longitudeKey name its columns');
name('Classes of the values of colorKey, and how many rows each has',
	'Classes of the values of colorKey, and how many rows each has');
name('Column of the values that colour the map', 'Column of the values that colour the map');
name('Column of the keys of outlines of another file', 'Column of the keys of outlines of another file');
name('File with the outlines of the keys', 'File with the outlines of the keys');
name('Column of that file with the keys', 'Column of that file with the keys');
name('Least longitude and latitude and the greatest, degrees, of the rows that it shows',
	'Least longitude and latitude and the greatest, degrees, of the rows that it shows');
name('Whether the link leads to KML', 'Whether the link leads to KML');
name('Background; required unless a link is given', 'Background; required unless a link is given');
name('File that the map shows; required unless a link is given',
	'File that the map shows; required unless a link is given');
name('Postal address', 'Postal address');
name('Organization that this one belongs to', 'Organization that this one belongs to');
name('Dotted path of the rows in the answer', 'Dotted path of the rows in the answer');
name('Dotted path of the column names in the answer', 'Dotted path of the column names in the answer');
name('Token; write-only', 'Token; write-only');
name('Key that signs the token; write-only', 'Key that signs the token; write-only');
name('Algorithm that signs the token', 'Algorithm that signs the token');
name('User name of basic authentication', 'User name of basic authentication');
name('Password of basic authentication; write-only', 'Password of basic authentication; write-only');
name('Address of the service, http: or https:', 'Address of the service, http: or https:');
name('Send the parameters as headers', 'Send the parameters as headers');
name('Parameters of the call', 'Parameters of the call');
name('File that the service updates', 'File that the service updates');
name('Role that it is granted to; null for whoever asks, without a user too',
	'Role that it is granted to; null for whoever asks, without a user too');
name('Path word of the resource; * for any but those that have to be named, such as users and rules',
	'Path word of the resource; * for any but those that have to be named, such as users and rules');
name('create, update, delete, restore, deactivate, review, cancel, reject, publish or unpublish; * for any of these; transfer or erase of users; read for what is closed of logs, statistics, users, datasetrequests or questions',
	'create, update, delete, restore, deactivate, review, cancel, reject, publish or unpublish; * for any of these; transfer or erase of users; read for what is closed of logs, statistics, users, datasetrequests or questions');
name('Only for records that the user created or owns, for itself among the users, for logs of what the user did, and for questions about the user\'s datasets',
	'Only for records that the user created or owns, for itself among the users, for logs of what the user did, and for questions about the user\'s datasets');
name('Only for records of the user\'s organization: by their key to one, of questions by that of their dataset, else by that of who created them',
	'Only for records of the user\'s organization: by their key to one, of questions by that of their dataset, else by that of who created them');
name('Operation that is called', 'Operation that is called');
name('Namespace of the operation', 'Namespace of the operation');
name('Frequency of the scheduled job, a cron pattern of 5, 6 or 7 fields, in UTC',
	'Frequency of the scheduled job, a cron pattern of 5, 6 or 7 fields, in UTC');
name('Name to log in with', 'Name to log in with');
name('Password of 8 to 256 characters; write-only', 'Password of 8 to 256 characters; write-only');
name('E-mail address', 'E-mail address');
name('First name', 'First name');
name('Last name', 'Last name');
name('URL of a picture', 'URL of a picture');
name('May log in', 'May log in');
name('Role', 'Role');
name('Organization that the user belongs to', 'Organization that the user belongs to');
name('Address that messages are posted to, http: or https:', 'Address that messages are posted to, http: or https:');
name('Key that signs the messages, 24 to 100 characters, in base64 with padding behind whsec_; write-only',
	'Key that signs the messages, 24 to 100 characters, in base64 with padding behind whsec_; write-only');
name('What it is for', 'What it is for');
name('Messages are sent; events that happen meanwhile are sent later. Three days of failures set it to false',
	'Messages are sent; events that happen meanwhile are sent later. Three days of failures set it to false');
name('Collection', 'Collection');
name('Address', 'Address');
name('Name', 'Name');
name('Description', 'Description');
name('Description, in Markdown', 'Description, in Markdown');
name('Notes', 'Notes');

// The types of columns.
name('column boolean', 'Boolean');
name('column date', 'Date');
name('column datetime', 'Date and time');
name('column decimal', 'Decimal');
name('column integer', 'Integer');
name('column month', 'Month');
name('column quarter', 'Quarter');
name('column text', 'Text');

// The states that a catalogue begins with.
name('Draft', 'Draft');
name('Published', 'Published');
name('Under Review', 'Under Review');
name('Unpublished', 'Unpublished');

// The checks of catalogue.quality().
name('quality columnsDescribed', 'The columns of its files are described');
name('quality contact', 'There is somebody to ask');
name('quality description', 'It has a description of 50 characters');
name('quality frequencyKept', 'Its files are as new as they promise');
name('quality license', 'It has a licence');
name('quality machineReadable', 'It has rows that programs can read');

// What the form of a source of harvests says of its fields.
name('What it is called here; without a name its address',
	'What it is called here; without a name its address');
name('Nothing is changed: the report tells what would be done',
	'Nothing is changed: the report tells what would be done');
name('New datasets and files are published at once', 'New datasets and files are published at once');
name('What becomes of records that the source has no longer',
	'What becomes of records that the source has no longer');
name('For entries that have none', 'For entries that have none');
name('How often it is imported again', 'How often it is imported again');

// What becomes of records that a source has no longer.
name('keep', 'Keep');
name('kept', 'Kept');
name('unpublished', 'Unpublished');
name('deleted', 'Deleted');
name('not imported', 'Not imported');

// What a public portal needs, and whether it is there.
name('setup title', 'The catalogue has a title');
name('setup contact', 'People know where to ask');
name('setup legal', 'There is a legal notice');
name('setup backup', 'There is a backup');
name('setup mail', 'Messages of visitors are sent');
name('setup tls', 'The address is secure (https)');
name('setup ready', 'yes');
name('setup missing', 'no');
name('setup unknown', 'not known');
name('site', 'Site');
name('visualizations', 'Visualizations');
name('integrations', 'Integrations');

// Settings that have no record before they are given a value.
name('What the catalogue is called', 'What the catalogue is called');
name('What the catalogue is about', 'What the catalogue is about');
name('Language tag of the catalogue, such as es', 'Language tag of the catalogue, such as es');
name('Licence of the catalogue itself', 'Licence of the catalogue itself');
name('Who may be asked', 'Who may be asked');
name('Where people may ask', 'Where people may ask');
name('Profile of /catalog and /data.json: dcat-ap-3, dcat-ap-2, dcat-us-1.1 or dcat-us-3',
	'Profile of /catalog and /data.json: dcat-ap-3, dcat-ap-2, dcat-us-1.1 or dcat-us-3');
name('Address of the legal notice', 'Address of the legal notice');
name('Colour of links, six hexadecimal digits', 'Colour of links, six hexadecimal digits');

// Settings that a catalogue begins with.
name('Records on a page of the admin application', 'Records on a page of the admin application');
name('Records on a page of the portal', 'Records on a page of the portal');
name('Status of a new record', 'Status of a new record');
name('Organization of a new file', 'Organization of a new file');
name('Names of optional values, separated by comma', 'Names of optional values, separated by comma');
name('Actions that the dashboard shows', 'Actions that the dashboard shows');
name('Address of the portal', 'Address of the portal');
name('Most points of a map', 'Most points of a map');
name('Largest zoom of a new map', 'Largest zoom of a new map');
name('Smallest zoom of a new map', 'Smallest zoom of a new map');
name('Largest zoom', 'Largest zoom');
name('Smallest zoom', 'Smallest zoom');
name('Social networks', 'Social networks');
name('Google Analytics', 'Google Analytics');
name('Disqus', 'Disqus');
name('reCAPTCHA', 'reCAPTCHA');
name('Address of the Facebook page', 'Address of the Facebook page');
name('Address of the Twitter account', 'Address of the Twitter account');
name('Address of the Instagram account', 'Address of the Instagram account');
name('Count visits', 'Count visits');
name('Tracking identifier', 'Tracking identifier');
name('Show comments', 'Show comments');
name('Short name of the site', 'Short name of the site');
name('Ask for a proof', 'Ask for a proof');
name('Site key', 'Site key');
name('Secret key', 'Secret key');

// Which records a rule is for.
name('anyone', 'Whoever asks');
name('records all', 'all records');
name('records own', 'own records');
name('records organization', 'records of the own organization');
name('records own organization', 'own records of the own organization');
name('scope', 'Which records');

// Applications and their keys.
name('apikey', 'API key');
name('bare', 'Without #');
name('css', 'With #, as in style sheets');
name('embedded', 'Whole records');
name('expires', 'Ends');
name('grace', 'Seconds of grace');
name('ids', 'Ids');
name('issuesTokens', 'Makes tokens');
name('key expired', 'Expired');
name('key good', 'Good');
name('key revoked', 'Revoked');
name('material', 'Secret or public key');
name('minimal', 'Nothing but the address');
name('origins', 'Origins');
name('publicPaths', 'Open paths');
name('rate', 'Requests a minute');
name('relations', 'Related records');
name('representation', 'The whole record');
name('return', 'Answers to changes');
name('tokenLifetime', 'Seconds that tokens are good');
name('verbs', 'Methods');

// What the forms of applications and keys say of their fields.
name('What answers to changes have, if a request does not say it',
	'What answers to changes have, if a request does not say it');
name('How related records are given, if a request does not say it',
	'How related records are given, if a request does not say it');
name('How colours are given, if a request does not say it', 'How colours are given, if a request does not say it');
name('An instant such as 2027-01-31T12:00:00Z; without one it does not end by time',
	'An instant such as 2027-01-31T12:00:00Z; without one it does not end by time');
name('For how many seconds its tokens are good', 'For how many seconds its tokens are good');
name('Origins whose pages may read answers', 'Origins whose pages may read answers');
name('Paths that are open while the service is private', 'Paths that are open while the service is private');
name('Only for an application that is deployed with one', 'Only for an application that is deployed with one');
name('An API key, or the algorithm of the tokens that a gateway signs',
	'An API key, or the algorithm of the tokens that a gateway signs');
name('What the claim iss of its tokens says', 'What the claim iss of its tokens says');
name('The secret of HS256, or the public key in PEM of the others',
	'The secret of HS256, or the public key in PEM of the others');
name('The service itself makes tokens with it', 'The service itself makes tokens with it');
name('What it is for, such as datasets and files; without any it is for all',
	'What it is for, such as datasets and files; without any it is for all');
name('Methods such as GET and POST; without any it is for all',
	'Methods such as GET and POST; without any it is for all');
name('Whose records may be changed with it', 'Whose records may be changed with it');
name('Requests of a minute, by all servers together', 'Requests of a minute, by all servers together');
name('For how many seconds the former key is good beside the new one',
	'For how many seconds the former key is good beside the new one');
