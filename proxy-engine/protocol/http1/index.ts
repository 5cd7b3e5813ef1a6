export { reasonPhrase, writeAnswer } from './answer.ts';
export type { Answer } from './answer.ts';
export type { RequestHeadChanges, ResponseHeadChanges } from './changes.ts';
export { createRequestDecoder, createResponseDecoder } from './decoder.ts';
export { writeRequestHead, writeResponseHead } from './head-writer.ts';
export type * from './message.ts';
export { formatAuthority, parseAuthority, requestTarget } from './target.ts';
export type { Authority, RequestTarget, TargetForm } from './target.ts';
