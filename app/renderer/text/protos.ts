import { formatCount } from './format.ts';

function counted(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Words about descriptions of Protocol Buffers. */
export const PROTO_TEXT = {
  title: 'Protobuf schemas',
  hint: 'With the .proto files of a service, its gRPC messages and protobuf bodies show names of fields instead of numbers. Files stay on this computer.',
  none: 'There is none yet. Messages are taken apart by the wire format alone.',
  label: 'Schema files',
  file: 'Add files',
  fileHint:
    '.proto with the files that it imports, or a set of descriptors (.desc, .protoset, .binpb) as protoc and buf write it. Those of google/protobuf are there.',
  choose: 'Choose files…',
  adding: (name: string): string => `Reading ${name}`,
  added: (names: readonly string[]): string => {
    const [first = ''] = names;
    return names.length === 1 ? `${first} added` : `${formatCount(names.length)} schema files added`;
  },
  counts: (messages: number, services: number): string =>
    services === 0
      ? counted(messages, 'message', 'messages')
      : `${counted(messages, 'message', 'messages')}, ${counted(services, 'service', 'services')}`,
  missing: (paths: readonly string[]): string =>
    `Imports ${paths.join(', ')}, which ${paths.length === 1 ? 'is' : 'are'} not here: add ${paths.length === 1 ? 'it' : 'them'} to see all names.`,
  unresolved: (types: readonly string[]): string => {
    const shown = types.slice(0, 4).join(', ');
    const more = types.length > 4 ? ` and ${formatCount(types.length - 4)} more` : '';
    return `No file defines ${shown}${more}.`;
  },
  conflict: (type: string, file: string): string => `${type} is defined otherwise in ${file}, which counts.`,
  moreConflicts: (count: number): string => `${formatCount(count)} more types are defined otherwise elsewhere.`,
  remove: 'Remove',
  removeName: (name: string): string => `Remove ${name}`,
  removed: (name: string): string => `${name} removed`,
  undo: 'Undo',
  tooLong: (name: string, limit: string): string =>
    `${name} is longer than ${limit}, which is the most that is taken of one file.`,
  empty: (name: string): string => `${name} is empty.`,
  decodeAs: 'Decode as',
  automatic: 'Automatic',
  automaticType: (name: string): string => `${name} (automatic)`,
  wireFormat: 'Wire format',
  mismatch: (type: string, problem: string): string => `Shown by the wire format: it is no ${type}, since ${problem}.`,
  copy: 'Copy as JSON',
  copied: 'Message copied as JSON',
  statusDetails: 'Status details',
} as const;
