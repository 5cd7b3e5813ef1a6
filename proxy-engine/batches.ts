/*
 * The engine's second door, for the thread that stores what was captured. It needs the format of batches and the parsers of
 * message streams; with the whole engine behind it, that thread would take longer to start and hold code that it never runs.
 */

export { readBatch } from './capture/read-batch.ts';
export { readFrames, sequenceAt } from './capture/packed-frames.ts';
export type { PackedFrame } from './capture/packed-frames.ts';
export type { BatchVisitor, CapturedBodies } from './capture/read-batch.ts';
export type { BeginRecord, ConnectionRecord, EndRecord, GapRecord, ResponseRecord } from './capture/tap.ts';
export { beginsWebSocket, MessageReader, readExtensions } from './protocol/websocket/index.ts';
export type {
  ControlFrame,
  MessageEnd,
  MessageSink,
  MessageStart,
  NegotiatedExtensions,
} from './protocol/websocket/index.ts';
export { EventReader } from './protocol/event-stream/index.ts';
export type { StreamEvent } from './protocol/event-stream/index.ts';
export { Base64Pieces, GrpcReader } from './protocol/grpc/index.ts';
export type { GrpcDialect, GrpcSink, GrpcStart } from './protocol/grpc/index.ts';
