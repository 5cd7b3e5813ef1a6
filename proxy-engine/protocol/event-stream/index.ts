export { EventReader, type StreamEvent } from './event-reader.ts';
