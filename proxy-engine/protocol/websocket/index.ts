export { readExtensions, type NegotiatedExtensions } from './extensions.ts';
export { beginsWebSocket } from './handshake.ts';
export { FrameBoundaries } from './frame-boundaries.ts';
export {
  MessageReader,
  type ControlFrame,
  type MessageEnd,
  type MessageSink,
  type MessageStart,
} from './message-reader.ts';
