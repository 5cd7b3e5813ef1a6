import type { MessageSide } from '../../../proxy-engine/model/exchange.ts';
import type { ProtoTypes } from './proto-types.ts';

/** Where bytes were seen. */
export interface ProtobufPlace {
  /** Target of the request; a query is no part of it. */
  readonly path: string;
  readonly side: MessageSide;
  /** With its parameters; null where there is none. */
  readonly contentType: string | null;
}

/** The parameters by which senders name the type of a body: Charles and Proxyman, Prometheus, and others. */
const TYPE_PARAMETERS = /;\s*(?:messagetype|proto|message|type)\s*=\s*"?\.?([\w.]+)"?/gi;
const DELIMITED = /;\s*(?:delimited\s*=\s*"?true"?|encoding\s*=\s*"?delimited"?)\s*(?:;|$)/i;

/**
 * The type of a message by what the exchange says: the content type names it, or the path names a method of a service, as
 * gRPC, gRPC-Web, Connect and Twirp have it.
 *
 * @returns a full name that the schema knows, or null
 */
export function protobufTypeOf(types: ProtoTypes, { path, side, contentType }: ProtobufPlace): string | null {
  for (const [, name = ''] of (contentType ?? '').matchAll(TYPE_PARAMETERS)) {
    if (types.type(name) !== undefined) return name;
  }
  const call = /(?:^|\/)([\w.]+\/\w+)$/.exec(path.replace(/[?#].*$/s, ''))?.[1];
  const method = call === undefined ? undefined : types.method(call);
  if (method === undefined) return null;
  const name = side === 'request' ? method.request : method.response;
  return types.type(name) === undefined ? null : name;
}

/** Whether a body is a row of messages, each behind its length. */
export function isDelimited(contentType: string | null): boolean {
  return contentType !== null && DELIMITED.test(contentType);
}
