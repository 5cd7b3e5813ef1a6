export { offersHttp3, withoutHttp3 } from './alternative-services.ts';
export { reasonPhrase, writeAnswer } from './answer.ts';
export type { Answer } from './answer.ts';
export type { RequestHeadChanges, ResponseHeadChanges } from './changes.ts';
export { formatAuthority, parseAuthority } from './authority.ts';
export { createRequestDecoder, createResponseDecoder, REMEMBERED_BYTES } from './decoder.ts';
export { writeRequestHead, writeResponseHead } from './head-writer.ts';
export type * from './message.ts';
export type { RequestTarget } from './target.ts';
