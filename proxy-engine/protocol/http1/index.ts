export { reasonPhrase, writeAnswer } from './answer.ts';
export type { Answer } from './answer.ts';
export type { RequestHeadChanges, ResponseHeadChanges } from './changes.ts';
export { createRequestDecoder, createResponseDecoder } from './decoder.ts';
export { writeRequestHead, writeResponseHead } from './head-writer.ts';
export type * from './message.ts';
export { formatAuthority, parseAuthority } from './authority.ts';
export type { Authority } from './authority.ts';
export type { RequestTarget, TargetForm } from './target.ts';
