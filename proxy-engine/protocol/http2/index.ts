export { Http2Connection } from './connection.ts';
export { CONNECTION_PREFACE, Http2Error } from './constants.ts';
export type { Http2Events, Http2Failure } from './events.ts';
export type { FrameWatcher } from './frame-watcher.ts';
export type { Http2Head } from './head.ts';
export type { HeaderToSend } from './hpack/encoder.ts';
export type { Http2Stream } from './stream.ts';
