import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startChild } from '../child.ts';
import type { Peer } from './peer.ts';

/** Folder whose `node_modules` holds the npm peers; they are never a dependency of the product. */
const PEERS_FOLDER = process.env['WEIR_BENCH_PEERS'] ?? '';
const ENTRY = join(PEERS_FOLDER, 'node_modules', 'mockttp', 'dist', 'main.js');

const PROGRAM = `
import mockttp from ${JSON.stringify(pathToFileURL(ENTRY).href)};
const https = await mockttp.generateCACertificate();
const server = mockttp.getLocal({ https, recordTraffic: false, http2: false });
await server.start();
await server.forUnmatchedRequest().thenPassThrough({ ignoreHostHttpsErrors: true });
process.stdout.write(JSON.stringify({ port: server.port }) + '\\n');
`;

/** mockttp (the engine of HTTP Toolkit) as an explicit proxy that passes everything through, recording switched off. */
export const mockttpExplicit: Peer = {
  name: 'mockttp',
  missing: () =>
    PEERS_FOLDER !== '' && existsSync(ENTRY) ? null : 'mockttp is not installed (WEIR_BENCH_PEERS names its folder)',
  start: async (setting) => {
    const file = join(setting.folder, 'mockttp.mjs');
    writeFileSync(file, PROGRAM);
    const child = startChild(process.execPath, [file], setting.cores);
    const { port } = JSON.parse(await child.nextLine()) as { port: number };
    return { child, port };
  },
};
