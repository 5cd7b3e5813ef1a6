import { EXTENSION, type ClientHello, type ClientHelloResult } from './client-hello.ts';
import { VectorReader } from './vector-reader.ts';

/** Lists that the extensions of one hello fill. */
interface ExtensionFacts {
  types: number[];
  sni: string | null;
  alpn: string[];
  versions: number[];
  groups: number[];
  pointFormats: number[];
  signatureAlgorithms: number[];
  keyShareGroups: number[];
  encryptedClientHello: boolean;
}

/**
 * Parses the body of one ClientHello message, without its four-byte header. The structure must be sound; an extension
 * whose inside is not is malformed as well, since a TLS server would end the handshake there.
 *
 * @see RFC 8446 §4.1.2
 */
export function parseClientHello(body: Buffer): ClientHelloResult {
  const reader = new VectorReader(body, 0, body.length);
  const legacyVersion = reader.uint16();
  const random = reader.bytes(32);
  const sessionId = reader.bytes(reader.uint8());
  const cipherSuites = reader.vector(reader.uint16()).uint16List();
  const compressionMethods = reader.vector(reader.uint8()).uint8List();
  const facts = noExtensions();
  // TLS 1.2 and below may leave the whole extensions block out.
  if (!reader.atEnd) readExtensions(reader.vector(reader.uint16()), facts);
  if (reader.failed || !reader.atEnd)
    return { kind: 'malformed', reason: 'the ClientHello does not fit its own lengths' };
  const { types, ...rest } = facts;
  const hello: ClientHello = {
    legacyVersion,
    random,
    sessionId,
    cipherSuites,
    compressionMethods,
    extensions: types,
    ...rest,
    byteLength: body.length + 4,
  };
  return { kind: 'hello', hello };
}

function noExtensions(): ExtensionFacts {
  return {
    types: [],
    sni: null,
    alpn: [],
    versions: [],
    groups: [],
    pointFormats: [],
    signatureAlgorithms: [],
    keyShareGroups: [],
    encryptedClientHello: false,
  };
}

function readExtensions(block: VectorReader, facts: ExtensionFacts): void {
  while (!block.atEnd) {
    const type = block.uint16();
    const content = block.vector(block.uint16());
    if (block.failed) return;
    facts.types.push(type);
    readExtension(type, content, facts);
    if (content.failed) block.fail();
  }
}

function readExtension(type: number, content: VectorReader, facts: ExtensionFacts): void {
  switch (type) {
    case EXTENSION.serverName:
      readServerName(content, facts);
      break;
    case EXTENSION.alpn: {
      const names = content.vector(content.uint16());
      while (!names.atEnd) facts.alpn.push(names.bytes(names.uint8()).toString('latin1'));
      if (names.failed) content.fail();
      break;
    }
    case EXTENSION.supportedVersions:
      facts.versions = content.vector(content.uint8()).uint16List();
      break;
    case EXTENSION.supportedGroups:
      facts.groups = content.vector(content.uint16()).uint16List();
      break;
    case EXTENSION.pointFormats:
      facts.pointFormats = content.vector(content.uint8()).uint8List();
      break;
    case EXTENSION.signatureAlgorithms:
      facts.signatureAlgorithms = content.vector(content.uint16()).uint16List();
      break;
    case EXTENSION.keyShare: {
      const shares = content.vector(content.uint16());
      while (!shares.atEnd) {
        facts.keyShareGroups.push(shares.uint16());
        shares.bytes(shares.uint16());
      }
      if (shares.failed) content.fail();
      break;
    }
    case EXTENSION.encryptedClientHello:
      facts.encryptedClientHello = true;
      break;
  }
}

/** RFC 6066 §3: a list of names of which only host_name (type 0) was ever defined; the first one counts. */
function readServerName(content: VectorReader, facts: ExtensionFacts): void {
  // Some clients send an empty extension; servers do so in their answer.
  if (content.atEnd) return;
  const names = content.vector(content.uint16());
  while (!names.atEnd) {
    const nameType = names.uint8();
    const name = names.bytes(names.uint16());
    if (nameType === 0 && name.length > 0 && facts.sni === null) facts.sni = name.toString('latin1');
  }
  if (names.failed) content.fail();
}
