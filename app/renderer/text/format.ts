const WHOLE = new Intl.NumberFormat('en');
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const MOMENT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** `1,284` */
export function formatCount(count: number): string {
  return WHOLE.format(count);
}

/** A count in little room: `340`, `1.2k`, `18k`, `1.3M`. */
export function formatShortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  const [value, unit] = count < 999_500 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M'];
  return `${value.toFixed(value < 9.95 ? 1 : 0)}${unit}`;
}

/** `912 B`, `18.4 KB`, `312 KB`; a KB is 1,000 bytes, as in filters. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit] ?? ''}`;
}

/** Memory in whole megabytes: `86 MB`. */
export function formatMemory(bytes: number): string {
  return `${formatCount(Math.round(bytes / 1_000_000))} MB`;
}

/**
 * `0.4 ms`, `42 ms`, `1.42 s`, `31.4 s`, `2 min 5 s`.
 * @param microseconds not negative
 */
export function formatDuration(microseconds: number): string {
  const milliseconds = microseconds / 1_000;
  if (milliseconds < 9.95) return milliseconds === 0 ? '0 ms' : `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 999.5) return `${milliseconds.toFixed(0)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(Math.round(seconds) % 60)} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/**
 * How long a request has been waiting, short: `0.4 s`, `12 s`, `3 min`.
 * @param microseconds not negative
 */
export function formatElapsed(microseconds: number): string {
  const seconds = microseconds / 1_000_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${seconds.toFixed(0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 100) return `${String(minutes)} min`;
  const hours = Math.floor(minutes / 60);
  // Past a day the figure says nothing any more: sample traffic, for one, began on a fixed day.
  return hours < 24 ? `${String(hours)} h` : '> 1 day';
}

/**
 * Time of day with milliseconds, `14:03:22.118`.
 * @param microseconds since the Unix epoch
 */
export function formatClock(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1_000);
  return `${CLOCK.format(milliseconds)}.${String(milliseconds % 1_000).padStart(3, '0')}`;
}

/**
 * `3 Mar 2026`
 * @param when microseconds since the Unix epoch, or ISO 8601
 */
export function formatDay(when: number | string): string {
  return DAY.format(typeof when === 'number' ? when / 1_000 : new Date(when));
}

/**
 * `3 Mar 2026, 09:41`
 * @param when ISO 8601
 */
export function formatMoment(when: string): string {
  return MOMENT.format(new Date(when));
}

/** A rate per second: `0`, `0.5`, `212`. */
export function formatRate(rate: number): string {
  return rate > 0 && rate < 9.95 ? rate.toFixed(1) : formatCount(Math.round(rate));
}
