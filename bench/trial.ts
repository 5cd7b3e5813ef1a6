import { fileURLToPath } from 'node:url';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from './child.ts';
import type { Result } from './generators/connect-generator.ts';
import type { Peer, PeerSetting } from './peers/peer.ts';
import { readTreeUsage } from './process-tree.ts';

const GENERATOR = fileURLToPath(new URL('./generators/connect-generator.ts', import.meta.url));

/** What one product did in one trial. */
export interface Trial {
  readonly requestsPerSecond: number;
  readonly errors: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU of the product's process tree over the measured window, microseconds a request. */
  readonly cpuPerRequest: number;
  /** Resident memory at the window's end, bytes. */
  readonly residentBytes: number;
}

export interface Load {
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Through CONNECT and TLS of an explicit proxy, or plain requests to the product itself. */
  readonly explicitTls: boolean;
  /** Cores of the generator, `taskset` syntax, or null. */
  readonly cores: string | null;
}

/** Starts a product afresh, loads it, reads its CPU at both ends of the measured window, and ends it. */
export async function runTrial(peer: Peer, load: Load, setting: Omit<PeerSetting, 'folder'>): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'));
  const running = await peer.start({ ...setting, folder });
  try {
    const host = load.explicitTls ? `localhost:${setting.originTlsPort}` : `127.0.0.1:${running.port}`;
    return await loadPeer(running.port, running.child.pid, host, load);
  } finally {
    await running.child.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Loads whatever listens on `port`; `pid` is the tree whose CPU is charged. */
export async function loadPeer(port: number, pid: number, host: string, load: Load): Promise<Trial> {
  const plan = {
    connections: load.connections,
    warmUpMs: load.warmUpMs,
    measureMs: load.measureMs,
    port,
    connectTo: load.explicitTls ? host : null,
    tls: load.explicitTls,
    path: '/items/42?view=full',
    host,
  };
  const generator = startChild(process.execPath, [GENERATOR, JSON.stringify(plan)], load.cores);
  try {
    await generator.nextLine();
    const before = readTreeUsage(pid);
    await generator.nextLine();
    const after = readTreeUsage(pid);
    const result = JSON.parse(await generator.nextLine()) as Result;
    return {
      requestsPerSecond: result.requests / result.seconds,
      errors: result.errors,
      p50: result.p50,
      p99: result.p99,
      cpuPerRequest: (after.cpuMicroseconds - before.cpuMicroseconds) / Math.max(1, result.requests),
      residentBytes: after.residentBytes,
    };
  } finally {
    await generator.close();
  }
}

/** The middle value; of an even number the lower middle one. @throws on an empty list */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new Error('A median needs at least one value.');
  return middle;
}
