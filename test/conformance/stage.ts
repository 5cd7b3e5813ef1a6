import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest';
import { startEngine } from '../support/engine-kit.ts';
import type { EngineUnderTest, EngineUnderTestOptions, Row } from '../support/engine-kit.ts';
import { ORIGIN_CA } from '../support/origin-certificates.ts';
import { Wire, WireServer } from '../support/wire.ts';
import { writeEvidence } from './evidence.ts';
import type { Evidence } from './evidence.ts';

const PATIENCE_MS = 20_000;

/** One request and its answer as a test plays them. `ORIGIN` stands for the origin's host and port everywhere. */
export interface Play {
  /** The listener that the client speaks to: `reverse` by default. */
  readonly via?: 'proxy' | 'reverse';
  readonly request: string;
  /** Text that ends the request at the origin; the empty line of its head by default. */
  readonly requestEnd?: string;
  readonly response: string;
  /** The origin ends its side after the response. */
  readonly originCloses?: boolean;
  /** Text that ends the response at the client, or `close` to wait until Weir ends the connection. */
  readonly responseEnd: string;
}

export interface Played {
  readonly atOrigin: string;
  readonly atClient: string;
  readonly row: Row;
  /** The error's code, then the anomalies. */
  readonly recorded: readonly string[];
  readonly server: Wire;
}

/** An engine between a client and an origin that a test plays by hand, new for every test. */
export class Stage {
  weir: EngineUnderTest;
  origin: WireServer;
  readonly #evidence: Evidence[];

  constructor(weir: EngineUnderTest, origin: WireServer, evidence: Evidence[]) {
    this.weir = weir;
    this.origin = origin;
    this.#evidence = evidence;
  }

  /** Host and port of the origin. */
  get at(): string {
    return `127.0.0.1:${String(this.origin.port)}`;
  }

  /** Writes the origin's address where a text says `ORIGIN`. */
  fill(text: string): string {
    return text.replaceAll('ORIGIN', this.at);
  }

  /** The other way round, so that expectations and tables hold no port. */
  blank(text: string): string {
    return text.replaceAll(this.at, 'ORIGIN');
  }

  /** Connects to a listener. */
  connect(via: 'proxy' | 'reverse' = 'reverse'): Promise<Wire> {
    return Wire.connect(this.weir.ports[via === 'proxy' ? 0 : 1] ?? 0);
  }

  /** Opens a tunnel to the origin. */
  async tunnel(authority = this.at): Promise<Wire> {
    const client = await this.connect('proxy');
    client.send(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
    expect(await client.head()).toMatch(/^HTTP\/1\.1 200 /);
    return client;
  }

  /** Plays a request and its answer and notes what was seen. Nothing may come on either side beyond what it returns. */
  async play(play: Play): Promise<Played> {
    const client = await this.connect(play.via);
    client.send(this.fill(play.request));
    const server = await this.origin.next();
    const request = await server.until(play.requestEnd ?? '\r\n\r\n');
    server.send(this.fill(play.response));
    if (play.originCloses === true) server.end();
    let answer = '';
    if (play.responseEnd !== 'close') {
      answer = await client.until(play.responseEnd);
      client.end();
    }
    answer += (await client.rest()).text;
    const rows = await this.weir.rows.ended(1);
    const [row] = rows;
    if (row === undefined) throw new Error('no row');
    const played = {
      atOrigin: this.blank(request + server.pending),
      atClient: this.blank(answer),
      row,
      recorded: codes(row),
      server,
    };
    this.note({ ...played, fromClient: play.request, fromOrigin: play.response });
    return played;
  }

  /** Plays a request that Weir must refuse by itself: the connection ends and the origin hears nothing. */
  async refuse(request: string, via: 'proxy' | 'reverse' = 'reverse'): Promise<string> {
    const before = this.weir.rows.all.length;
    const client = await this.connect(via);
    client.send(this.fill(request));
    const { text } = await client.rest();
    const rows = await this.weir.rows.ended(before + 1);
    expect(this.origin.accepted).toBe(0);
    const recorded = rows.slice(before).flatMap(codes);
    this.note({ fromClient: request, atOrigin: null, fromOrigin: null, atClient: text, recorded });
    return `${text.slice('HTTP/1.1 '.length, 'HTTP/1.1 400'.length)} ${recorded.join(' ')}`;
  }

  /** Adds a line to the table of this run. */
  note(seen: Omit<Evidence, 'test'>): void {
    const { fromClient, atOrigin, fromOrigin, atClient, recorded } = seen;
    const test = (expect.getState().currentTestName ?? '').replace(/^.* > /, '');
    const blank = (text: string | null): string | null => (text === null ? null : this.blank(text));
    this.#evidence.push({
      test,
      fromClient: blank(fromClient),
      atOrigin: blank(atOrigin),
      fromOrigin: blank(fromOrigin),
      atClient: blank(atClient),
      recorded,
    });
  }
}

/** Codes of a row's error and anomalies. */
export function codes(row: Row): string[] {
  const { error = null, anomalies = [] } = row.end ?? {};
  return [...(error === null ? [] : [error.code]), ...anomalies];
}

/**
 * Sets a stage up for each test of the calling file and leaves its evidence under `name`.
 * @param options for the engine; its listeners are a proxy and a reverse one in front of the origin
 */
export function useStage(name: string, options: EngineUnderTestOptions = {}): { readonly current: Stage } {
  // Bytes that never come are a failure soon enough.
  vi.setConfig({ testTimeout: PATIENCE_MS });
  const evidence: Evidence[] = [];
  const holder: { stage: Stage | null } = { stage: null };
  const stage = (): Stage => {
    if (holder.stage === null) throw new Error('The stage stands only while a test runs.');
    return holder.stage;
  };
  beforeEach(async () => {
    const origin = await WireServer.listen();
    const weir = await startEngine({
      ...options,
      settings: { originCertificateAuthorities: [ORIGIN_CA], ...options.settings },
      modes: [
        { kind: 'proxy' },
        { kind: 'reverse', scheme: 'http', host: '127.0.0.1', port: origin.port, basePath: '' },
      ],
    });
    holder.stage = new Stage(weir, origin, evidence);
  });
  afterEach(async () => {
    await stage().weir.stop();
    await stage().origin.close();
    holder.stage = null;
  });
  afterAll(() => {
    writeEvidence(name, evidence);
  });
  return {
    get current() {
      return stage();
    },
  };
}
