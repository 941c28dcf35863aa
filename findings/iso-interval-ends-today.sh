#!/bin/sh
# ISO 8601: an interval whose end leaves out what it has in common with its start ends today.
#
# Source: ISO 8601-1:2019, time interval by start and end: the end may leave out higher components, which are then those
# of the start. 2020-11-13/15 ends on 15 November 2020, 2020-01-01T10:00/11:30 on the same day.
# Guess: a library either completes the end from the start or refuses the text.
# Seen with luxon 3.7.2: the end is read alone. 11:30 is a time of the day on which the program runs, and so is the 15
# of 2020-11-13/15, taken for an hour; 02-20 is two o'clock at an offset of 20 hours. The interval is valid, years too
# long, and a day longer each day. If the start is in the future, it is refused as ending before it begins.
# A period of two days, harvested today, covers all years since. Complete the end before it is parsed.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund luxon@3.7.2 > /dev/null
cat > read.mjs <<'JS'
import { Interval, Settings } from 'luxon';

const texts = [
	'2020-01-01T10:00/2020-01-01T11:30', '2020-01-01T10:00/PT1H30M', '2020-01-01T10:00/11:30', '2020-11-13/15',
	'2020-01-15/02-20', '20200101/0131', '2120-01-01T10:00/11:30',
];
const days = ['2024-02-29', '2026-06-15'];

// What is read on another day: luxon asks this clock for the time.
function on(day, text) {
	Settings.now = () => Date.parse(`${day}T09:00:00Z`);
	const interval = Interval.fromISO(text, { zone: 'utc' });

	return interval.isValid ? interval.end.toFormat('yyyy-MM-dd HH:mm') : interval.invalidReason;
}

for (const text of texts)
	console.log(`${text}: ${days.map(day => `on ${day} ends ${on(day, text)}`).join(', ')}`);
JS
TZ=UTC node read.mjs > seen
cat seen
cat > described <<'TEXT'
2020-01-01T10:00/2020-01-01T11:30: on 2024-02-29 ends 2020-01-01 11:30, on 2026-06-15 ends 2020-01-01 11:30
2020-01-01T10:00/PT1H30M: on 2024-02-29 ends 2020-01-01 11:30, on 2026-06-15 ends 2020-01-01 11:30
2020-01-01T10:00/11:30: on 2024-02-29 ends 2024-02-29 11:30, on 2026-06-15 ends 2026-06-15 11:30
2020-11-13/15: on 2024-02-29 ends 2024-02-29 15:00, on 2026-06-15 ends 2026-06-15 15:00
2020-01-15/02-20: on 2024-02-29 ends 2024-02-28 22:00, on 2026-06-15 ends 2026-06-14 22:00
20200101/0131: on 2024-02-29 ends end before start, on 2026-06-15 ends end before start
2120-01-01T10:00/11:30: on 2024-02-29 ends end before start, on 2026-06-15 ends end before start
TEXT
diff described seen
