import { SETUP_TEXT } from '../../text/setup.ts';

/** Who traffic comes from, as far as an exchange tells: whom a card counts, and in which words. */
export interface TrafficSource {
  /** For the note: "3 exchanges from …". */
  readonly name: string;
  /** Finds its exchanges, in the filter language. */
  readonly filter: string;
}

const BROWSERS =
  '(app:chrom or app:edge or app:brave or app:opera or app:vivaldi or app:firefox or app:librewolf or app:safari or app:webkit)';
const HERE = '(client:127.* or client:"[::1]*")';
const NAMES = SETUP_TEXT.traffic.sources;

/** An exchange does not tell which window or command began it, so each source is as wide as what can be known. */
export const TRAFFIC_SOURCES = {
  browsers: { name: NAMES.browsers, filter: `${HERE} ${BROWSERS}` },
  programs: { name: NAMES.programs, filter: `${HERE} -host:weir.test -is:replay -${BROWSERS}` },
  /** Containers' networks left out. */
  devices: { name: NAMES.devices, filter: `-${HERE} -client:172.*` },
  containers: { name: NAMES.containers, filter: 'client:172.*' },
} as const satisfies Record<string, TrafficSource>;
