import { formatCount } from './format.ts';

export const FRAMES_TEXT = {
  list: 'Frames',
  filter: 'Filter frames',
  leg: 'Connection',
  legs: { client: 'Client', origin: 'Origin' },
  scope: 'Frames of',
  scopes: { stream: 'This stream', connection: 'Whole connection' },
  columns: { time: 'Time', frame: 'Frame', stream: 'Stream', length: 'Length', says: 'Flags and content' },
  direction: { sent: 'sent by Weir', received: 'received by Weir' },
  selected: (sequence: number): string => `Frame ${formatCount(sequence)}`,
  facts: {
    number: 'Number',
    direction: 'Direction',
    time: 'Time',
    type: 'Type',
    flags: 'Flags',
    stream: 'Stream',
    length: 'Length',
  },
  noFlags: 'none',
  ofConnection: '0 (the connection)',
  thisExchange: (stream: number): string => `${formatCount(stream)} (this exchange)`,
  octets: (count: number): string => `${formatCount(count)} B`,
  gap: (count: number): string =>
    `${formatCount(count)} ${count === 1 ? 'frame' : 'frames'} not recorded: recording was off, or the store could not keep up`,
  dropped: (count: number): string =>
    `${formatCount(count)} older ${count === 1 ? 'frame is' : 'frames are'} not kept: recording was off, or the connection had more than 10,000`,
  loading: 'Reading the frames',
  unreadable: 'The frames could not be read',
  tryAgain: 'Try again',
  none: 'No frames recorded',
  noneHint:
    'Frames are recorded while “Record frames of HTTP/2” is on in Settings, and deleted with the exchanges of their time.',
  openSettings: 'Open Settings',
  noMatch: 'No frame matches',
  noMatchHint: (text: string): string =>
    text === '' ? 'This stream has no frame that is kept.' : `None contains “${text}”.`,
  clearFilter: 'Show the whole connection',
  close: 'Close the frame',
} as const;
