import {
  createEngine,
  DEFAULT_LIMITS,
  DEFAULT_TIMEOUTS,
  type Engine,
  type EngineObserver,
  type EngineSettings,
} from '../../proxy-engine/index.ts';
import { readFrames, type PackedFrame } from '../../proxy-engine/capture/packed-frames.ts';
import { readBatch, type BatchVisitor, type CapturedBodies } from '../../proxy-engine/capture/read-batch.ts';
import type { BeginRecord, ConnectionRecord, EndRecord, ResponseRecord } from '../../proxy-engine/capture/tap.ts';
import type { ListenerMode } from '../../proxy-engine/model/listener-mode.ts';
import { createCertificateAuthority } from '../../proxy-engine/pki/certificate-authority.ts';

/** One exchange as the tap told it. */
export interface Row {
  readonly begin: BeginRecord;
  readonly client: ConnectionRecord | undefined;
  origin: ConnectionRecord | undefined;
  /** The request's head as forwarded, where it was known only after the beginning. */
  sentHead: Buffer | null;
  reused: boolean;
  /** 0 for none. */
  originStream: number;
  readonly informational: string[];
  response: ResponseRecord | null;
  readonly datagrams: { readonly side: 'request' | 'response'; readonly bytes: Buffer }[];
  readonly parts: { readonly request: Buffer[]; readonly response: Buffer[] };
  /** Payload of the request and of the response. */
  readonly request: Buffer;
  readonly responseBody: Buffer;
  trailers: { request: string; response: string };
  framing: { request: string; response: string };
  end: EndRecord | null;
  captured: CapturedBodies | null;
}

/** Collects what an engine records. */
export class Rows implements BatchVisitor {
  readonly all: Row[] = [];
  readonly #byId = new Map<number, Row>();
  readonly #connections = new Map<number, ConnectionRecord>();
  readonly #waiting = new Set<() => void>();
  /** Connections in the order of their records. */
  readonly connections: ConnectionRecord[] = [];

  connection(record: ConnectionRecord): void {
    this.#connections.set(record.id, record);
    this.connections.push(record);
  }

  /** Frames of HTTP/2 connections, by connection. */
  readonly frameLog = new Map<number, PackedFrame[]>();

  frames(connection: number, packed: Buffer): void {
    if (!this.#connections.has(connection)) throw new Error('Frames of a connection that was not told.');
    const log = this.frameLog.get(connection) ?? [];
    this.frameLog.set(connection, log);
    for (const frame of readFrames(Buffer.from(packed))) log.push(frame);
  }

  begin(record: BeginRecord): void {
    const row: Row = {
      begin: {
        ...record,
        head: Buffer.from(record.head),
        sentHead: record.sentHead === null ? null : Buffer.from(record.sentHead),
      },
      client: this.#connections.get(record.clientConnection),
      origin: undefined,
      sentHead: null,
      reused: false,
      originStream: 0,
      informational: [],
      response: null,
      datagrams: [],
      parts: { request: [], response: [] },
      get request() {
        return Buffer.concat(this.parts.request);
      },
      get responseBody() {
        return Buffer.concat(this.parts.response);
      },
      trailers: { request: '', response: '' },
      framing: { request: '', response: '' },
      end: null,
      captured: null,
    };
    this.all.push(row);
    this.#byId.set(record.id, row);
    this.#wake();
  }

  origin(id: number, connection: number, _address: string, _protocol: string, reused: boolean): void {
    const row = this.#row(id);
    row.origin = this.#connections.get(connection);
    row.reused = reused;
  }

  originStream(id: number, stream: number): void {
    this.#row(id).originStream = stream;
  }

  sentRequestHead(id: number, head: Buffer): void {
    this.#row(id).sentHead = Buffer.from(head);
  }

  informational(id: number, head: Buffer): void {
    this.#row(id).informational.push(head.toString('latin1'));
  }

  response(id: number, record: ResponseRecord): void {
    const sentHead = record.sentHead === null ? null : Buffer.from(record.sentHead);
    this.#row(id).response = { status: record.status, head: Buffer.from(record.head), sentHead };
    this.#wake();
  }

  payload(id: number, side: 'request' | 'response', bytes: Buffer): void {
    this.#row(id).parts[side].push(Buffer.from(bytes));
  }

  datagram(id: number, side: 'request' | 'response', bytes: Buffer): void {
    this.#row(id).datagrams.push({ side, bytes: Buffer.from(bytes) });
  }

  gap(): void {
    throw new Error('The store of these tests never lags.');
  }

  framing(id: number, side: 'request' | 'response', bytes: Buffer): void {
    this.#row(id).framing[side] += bytes.toString('latin1');
  }

  trailers(id: number, side: 'request' | 'response', bytes: Buffer): void {
    this.#row(id).trailers[side] += bytes.toString('latin1');
  }

  end(id: number, record: EndRecord, captured: CapturedBodies): void {
    this.#row(id).end = { ...record };
    this.#row(id).captured = captured;
    this.#wake();
  }

  /** The rows once that many of them have ended. */
  async ended(count: number): Promise<readonly Row[]> {
    await this.#until(() => this.all.filter((row) => row.end !== null).length >= count);
    return this.all;
  }

  /** The one row, once it has ended. */
  async only(): Promise<Row & { readonly end: EndRecord }> {
    const [row, ...others] = await this.ended(1);
    const end = row?.end ?? null;
    if (row === undefined || end === null || others.length > 0) {
      throw new Error(`One row was expected, there are ${String(this.all.length)}.`);
    }
    return Object.assign(row, { end });
  }

  #row(id: number): Row {
    const row = this.#byId.get(id);
    if (row === undefined) throw new Error(`Exchange ${String(id)} never began.`);
    return row;
  }

  #until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isTrue()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }
}

/** An engine under test with what it records. */
export interface EngineUnderTest {
  readonly engine: Engine;
  /** Ports of the listeners, in the order in which they were asked for. */
  readonly ports: readonly number[];
  /** The first port. */
  readonly port: number;
  readonly rows: Rows;
  /** PEM of the authority that signs the leaves. */
  readonly ca: string;
  configure(settings: Partial<EngineSettings>): void;
  stop(): Promise<void>;
}

export interface EngineUnderTestOptions {
  readonly modes?: readonly ListenerMode[];
  readonly settings?: Partial<EngineSettings>;
  readonly host?: string;
  readonly capture?: boolean;
  readonly keyLogFile?: string;
  /** Name of the instance; engines that talk with each other need different ones. */
  readonly instance?: string;
  readonly ownAddresses?: readonly string[];
  readonly observer?: EngineObserver;
  /** What the store does with a batch that it has read; gives its credit back at once unless said. */
  readonly onBatch?: (bytes: number, engine: Engine, batch: ArrayBuffer) => void;
}

const authority = createCertificateAuthority('ecdsa', Date.now());

export const TEST_SETTINGS: EngineSettings = {
  timeouts: DEFAULT_TIMEOUTS,
  limits: DEFAULT_LIMITS,
  passthroughHosts: [],
  trustedHosts: [],
  insecure: false,
  originCertificateAuthorities: [],
  internalPages: {},
  hostOverrides: {},
  forwardedFields: false,
  tolerateBareLineFeed: false,
  stripOuterSpace: true,
  clientHalfClose: false,
  upstreamProxy: '',
  upstreamRules: [],
  noProxy: [],
  proxyAuthentication: null,
  approvedClients: [],
  clientCertificates: [],
  legacyHosts: [],
  autoPassthrough: false,
  stripHttp3Offers: false,
  recordFrames: true,
};

/** Starts an engine with a proxy listener, or with listeners of `modes`, on ports that the system chooses. */
export async function startEngine(options: EngineUnderTestOptions = {}): Promise<EngineUnderTest> {
  const rows = new Rows();
  const settings = { ...TEST_SETTINGS, ...options.settings };
  const host = options.host ?? '127.0.0.1';
  const engine = createEngine(
    {
      listeners: (options.modes ?? [{ kind: 'proxy' }]).map((mode) => ({ mode, host, port: 0 })),
      certificates: { caCertificate: authority.certificate, caKey: authority.key, leafKey: 'ecdsa', own: null },
      settings,
      ownAddresses: options.ownAddresses ?? [],
      instance: options.instance ?? 'test',
      firstExchangeId: 1,
      firstConnectionId: 1,
      idStep: 1,
      capture: options.capture ?? true,
      keyLogFile: options.keyLogFile ?? null,
      sharedPorts: false,
    },
    {
      post: (batch) => {
        const bytes = batch.byteLength;
        readBatch(batch, rows);
        if (options.onBatch === undefined) engine.returnCaptureCredit(bytes);
        else options.onBatch(bytes, engine, batch);
      },
    },
    options.observer,
  );
  const ports = (await engine.listen()).map(({ port }) => port);
  return {
    engine,
    ports,
    port: ports[0] ?? 0,
    rows,
    ca: authority.certificate,
    configure: (changes) => {
      engine.configure({ ...settings, ...changes });
    },
    stop: () => engine.stop(0),
  };
}

/** Timeouts with some changed. */
export function timeouts(changes: Partial<EngineSettings['timeouts']>): EngineSettings['timeouts'] {
  return { ...DEFAULT_TIMEOUTS, ...changes };
}
