// The core's type check sees Buffer of Node and no more: no sockets, files, timers or process.
/// <reference path="../node_modules/@types/node/globals.typedarray.d.ts" />
/// <reference path="../node_modules/@types/node/buffer.buffer.d.ts" />
/// <reference path="../node_modules/@types/node/buffer.d.ts" />
