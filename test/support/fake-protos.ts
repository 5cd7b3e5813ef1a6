import type { ProtoCalls, ProtoFileInfo } from '../../app/contract/index.ts';
import { NO_SCHEMA } from '../../app/contract/index.ts';

type Handlers = {
  readonly [Name in keyof ProtoCalls]: (input: ProtoCalls[Name]['input']) => ProtoCalls[Name]['output'];
};

const NOTES = { missing: [], unresolved: [], conflicts: [] };

/** The calls for schemas over a list in memory, with two invented entries: one is whole and one is not. */
export function fakeProtoCalls(): Handlers {
  let files: readonly ProtoFileInfo[] = [
    {
      ...NOTES,
      name: 'mill/v1/mill.proto',
      bytes: 812,
      messages: 4,
      services: 1,
      missing: ['mill/v1/wheel.proto'],
      unresolved: ['mill.v1.Wheel'],
    },
    { ...NOTES, name: 'shop.binpb', bytes: 20_480, messages: 31, services: 3 },
  ];
  let removed: readonly ProtoFileInfo[] = [];
  return {
    'protos.list': () => ({ files }),
    'protos.add': ({ name, size }) => {
      files = [
        ...files.filter((file) => file.name !== name),
        { ...NOTES, name, bytes: size, messages: 2, services: 1 },
      ];
      return { files };
    },
    'protos.remove': ({ name }) => {
      removed = files.filter((file) => file.name === name);
      files = files.filter((file) => file.name !== name);
      return { files };
    },
    'protos.restore': ({ name }) => {
      files = [...files, ...removed.filter((file) => file.name === name)];
      return { files };
    },
    'protos.schema': () => ({ schema: NO_SCHEMA, revision: 1 }),
  };
}
