import { ContractError, parseFilter } from '../../app/contract/index.ts';
import type {
  AppInfo,
  AppSettings,
  AppStatus,
  CallName,
  Calls,
  ContractClient,
  ExchangeQuery,
  ExchangeSummary,
  SessionInfo,
  StoreSpace,
  StreamHandle,
  StreamListener,
  StreamName,
  Streams,
} from '../../app/contract/index.ts';
import { FAKE_START, fakeExchange, passes } from './fake-exchanges.ts';
import { fakeAuthorityCalls } from './fake-authority.ts';
import { fakeClientCertificateCalls } from './fake-client-certificates.ts';
import { FAKE_PREVIEW } from './fake-export.ts';
import { fakeProtoCalls } from './fake-protos.ts';
import { fakeSetupCalls } from './fake-setup.ts';
import { FakeBench } from './fake-bench.ts';

/** From this many rows on, sorting is left out: what is tested there is the window, not the order. */
const MOST_SORTED = 100_000;

const MEGABYTE = 1_000_000;

const FAKE_SPACE: StoreSpace = {
  rowBytes: 184 * MEGABYTE,
  bodyBytes: 1_320 * MEGABYTE,
  searchBytes: 96 * MEGABYTE,
  freeBytes: 12 * MEGABYTE,
  exchanges: 48_210,
  deleted: 0,
};

type Handlers = { readonly [Name in CallName]: (input: Calls[Name]['input']) => Calls[Name]['output'] };

/** The contract in memory, with invented exchanges: for models and pages without a backend. Runs in Node and in pages. */
export class FakeBackend implements ContractClient {
  /** Calls that were made, newest last. */
  readonly calls: { readonly name: CallName; readonly input: unknown }[] = [];
  /** Streams that were opened, newest last. */
  readonly opened: { readonly name: StreamName; readonly input: unknown }[] = [];
  status: AppStatus;
  info: AppInfo;
  settings: AppSettings = {
    passthroughHosts: ['pinned.example'],
    trustedHosts: [],
    forwardedFields: false,
    tolerateBareLineFeed: true,
    stripOuterSpace: true,
    clientHalfClose: false,
    retention: { days: 14, bytes: 5_000_000_000, exchanges: 0 },
    upstreamProxy: '',
    upstreamRules: [],
    noProxy: ['localhost'],
    proxyAuthentication: null,
    approvedClients: [],
    legacyHosts: [],
    autoPassthrough: false,
    stripHttp3Offers: false,
    recordFrames: true,
    timeouts: {
      requestHead: 60_000,
      resolve: 10_000,
      connect: 10_000,
      tls: 10_000,
      firstByte: 0,
      idle: 600_000,
      total: 0,
    },
    limits: { requestLineBytes: 65_536, headBytes: 262_144, fields: 1_000, recordedBodyBytes: Number.MAX_SAFE_INTEGER },
  };
  browsers: Calls['browsers.list']['output'] = {
    found: [{ name: 'Chromium', path: '/usr/bin/chromium' }],
    searched: ['/usr/bin/chromium', '/usr/bin/google-chrome'],
  };
  readonly bench = new FakeBench((state) => {
    this.#emit('bench.progress', [state]);
  });
  /** Holds answers back until it is called; null answers at once. */
  gate: Promise<void> | null = null;
  closed = false;
  #generated: number;
  readonly #spans = new Map<number, { readonly first: number; readonly end: number | null }>([
    [1, { first: 0, end: null }],
  ]);
  readonly #changed = new Map<number, ExchangeSummary>();
  #sessions: SessionInfo[];
  readonly #streams = new Set<{
    readonly name: StreamName;
    readonly input: unknown;
    items(items: readonly never[]): unknown;
    gap(): void;
  }>();
  readonly #held = new Map<StreamName, unknown[]>();
  readonly #closeListeners = new Set<() => void>();
  readonly #results = new Map<string, readonly ExchangeSummary[]>();
  readonly #removed = new Set<number>();
  readonly #comments = new Map<number, string>();

  /** @param exchanges how many the current session holds at first */
  constructor(exchanges = 0) {
    this.#generated = exchanges;
    const session: SessionInfo = {
      id: 1,
      name: '3 Mar 2026, 09:30',
      startedAt: FAKE_START,
      endedAt: null,
      exchanges,
      sample: false,
    };
    const older: SessionInfo = {
      ...session,
      id: 900,
      name: '2 Mar 2026, 17:02',
      startedAt: FAKE_START - 6e10,
      endedAt: FAKE_START,
      exchanges: 0,
    };
    this.#sessions = [session, older];
    this.status = {
      recording: true,
      passedWhilePaused: 0,
      listeners: [{ mode: 'proxy', address: '127.0.0.1', port: 8686 }],
      session,
      rate: 0,
      memoryBytes: 86 * MEGABYTE,
      storeTrouble: null,
      lostBodies: 0,
      lostExchanges: 0,
      certificateAuthority: {
        subject: 'CN=Weir CA (test)',
        notBefore: '2026-03-01T00:00:00.000Z',
        notAfter: '2036-03-01T00:00:00.000Z',
        fingerprint: Array.from({ length: 32 }, (_, at) =>
          (at * 7 + 16).toString(16).toUpperCase().padStart(2, '0').slice(-2),
        ).join(':'),
        file: '/home/dev/.local/share/weir/ca/weir-ca.pem',
        daysLeft: 3_650,
      },
      restartedAt: null,
      searchLag: 0,
      systemProxy: false,
      waitingDevices: [],
      protos: 1,
    };
    this.info = {
      version: '0.1.0',
      platform: 'linux x64',
      dataFolder: '/home/dev/.local/share/weir',
      capabilities: { windowChrome: 'none', openBrowser: true, saveFile: false },
      terminalLine: 'weir run -- curl https://example.org',
    };
  }

  get exchanges(): number {
    return this.#generated;
  }

  async call<Name extends CallName>(
    name: Name,
    input: Calls[Name]['input'],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Calls[Name]['output']> {
    this.calls.push({ name, input });
    await this.gate;
    await Promise.resolve();
    if (this.closed) throw new ContractError('unavailable', 'The connection to the backend is gone.');
    if (options.signal?.aborted === true) throw new ContractError('cancelled', 'The call was cancelled.');
    return this.#handlers[name](input);
  }

  stream<Name extends StreamName>(
    name: Name,
    input: Streams[Name]['input'],
    listener: StreamListener<Streams[Name]['item']>,
  ): StreamHandle {
    const stream = {
      name,
      input,
      items: (items: readonly never[]) => listener.items(items),
      gap: () => {
        listener.gap();
      },
    };
    this.#streams.add(stream);
    this.opened.push({ name, input });
    if (name === 'app.status') this.#emit('app.status', [this.status]);
    if (name === 'export.preview') this.#emit('export.preview', [FAKE_PREVIEW]);
    if (name === 'bench.progress') this.#emit('bench.progress', [this.bench.state]);
    return { close: () => this.#streams.delete(stream) };
  }

  onClose(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  /** Breaks the connection; a later client needs a new instance or {@link reopen}. */
  close(): void {
    this.closed = true;
    this.#streams.clear();
    for (const listener of this.#closeListeners) listener();
    this.#closeListeners.clear();
  }

  reopen(): void {
    this.closed = false;
  }

  /** Begins `count` more exchanges in the current session. */
  begin(count: number, state: 'active' | 'complete' = 'complete'): void {
    const items: ExchangeSummary[] = [];
    for (let added = 0; added < count; added += 1) {
      const row = fakeExchange(this.#generated, this.status.session.id, state);
      if (state === 'active') this.#changed.set(row.id, row);
      this.#generated += 1;
      items.push(row);
    }
    this.#results.clear();
    this.#emit('exchanges.changed', items);
    this.setStatus({ session: { ...this.status.session, exchanges: this.#generated } });
  }

  /** Brings exchanges that had begun to their end. */
  finish(...ids: number[]): void {
    const items = ids.map((id) => fakeExchange(id - 1, this.status.session.id));
    for (const row of items) this.#changed.set(row.id, row);
    this.#results.clear();
    this.#emit('exchanges.changed', items);
  }

  gap(): void {
    for (const stream of this.#streams) stream.gap();
  }

  setStatus(change: Partial<AppStatus>): void {
    this.status = { ...this.status, ...change };
    this.#emit('app.status', [this.status]);
  }

  /** Holds back what a stream says until it is released, all of it in one message. */
  holdStream(name: StreamName): { release(): void } {
    this.#held.set(name, []);
    return {
      release: () => {
        const items = this.#held.get(name) ?? [];
        this.#held.delete(name);
        this.#emit(name, items as never[]);
      },
    };
  }

  #emit<Name extends StreamName>(name: Name, items: readonly Streams[Name]['item'][]): void {
    const held = this.#held.get(name);
    if (held !== undefined) {
      held.push(...items);
      return;
    }
    for (const stream of this.#streams) {
      if (stream.name === name) stream.items(items as readonly never[]);
    }
  }

  #row(n: number): ExchangeSummary {
    return this.#changed.get(n + 1) ?? fakeExchange(n, 1);
  }

  /** All rows of a query; null when it is everything in order of time, which is not spelled out. */
  #matching(
    query: Pick<ExchangeQuery, 'session' | 'filter' | 'sort' | 'descending' | 'upTo'>,
  ): readonly ExchangeSummary[] | null {
    if (
      query.filter === '' &&
      this.#removed.size === 0 &&
      ((query.sort === 'time' && !query.descending) || this.#generated >= MOST_SORTED)
    )
      return null;
    const key = JSON.stringify([query.session, query.filter, query.sort, query.descending, query.upTo ?? null]);
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const parsed = parseFilter(query.filter);
    if (!parsed.ok) throw new ContractError('bad-filter', parsed.error.message, parsed.error);
    const rows: ExchangeSummary[] = [];
    const { first, end } = this.#span(query);
    for (let n = first; n < end; n += 1) {
      const row = this.#row(n);
      if (!this.#removed.has(row.id) && passes(parsed.node, row)) rows.push(row);
    }
    const sign = query.descending ? -1 : 1;
    rows.sort(
      (one, other) => sign * (compare(sortKey(query.sort, one), sortKey(query.sort, other)) || one.id - other.id),
    );
    this.#results.set(key, rows);
    return rows;
  }

  /** Where the rows of a session stand among all that were invented. */
  #span({ session, upTo }: Pick<ExchangeQuery, 'session' | 'upTo'>): { readonly first: number; readonly end: number } {
    const span = this.#spans.get(session);
    if (span === undefined) return { first: 0, end: 0 };
    const end = session === this.status.session.id ? this.#generated : (span.end ?? this.#generated);
    return { first: span.first, end: Math.max(span.first, Math.min(end, upTo ?? end)) };
  }

  #size(query: Pick<ExchangeQuery, 'session' | 'upTo'>): number {
    const { first, end } = this.#span(query);
    return end - first;
  }

  #slice(query: ExchangeQuery, index: number, limit: number): ExchangeSummary[] {
    const rows = this.#matching(query);
    if (rows !== null) return rows.slice(index, index + limit);
    const { first, end } = this.#span(query);
    const from = first + index;
    return Array.from({ length: Math.max(0, Math.min(end, from + limit) - from) }, (_, at) => this.#row(from + at));
  }

  #change(ids: readonly number[], change: Partial<ExchangeSummary>): void {
    const rows = ids.map((id) => ({ ...this.#row(id - 1), ...change }));
    for (const row of rows) this.#changed.set(row.id, row);
    this.#results.clear();
    this.#emit('exchanges.changed', rows);
  }

  #session(id: number): SessionInfo {
    const session = this.#sessions.find((known) => known.id === id);
    if (session === undefined) throw new ContractError('not-found', 'There is no such session.');
    return session;
  }

  readonly #handlers: Handlers = {
    'app.info': () => this.info,
    'capture.setRecording': ({ on }) => {
      this.setStatus({ recording: on, passedWhilePaused: 0 });
      return {};
    },
    'sessions.list': () => ({ sessions: this.#sessions }),
    'sessions.clear': () => {
      const old = this.status.session.id;
      this.#spans.set(old, { first: this.#spans.get(old)?.first ?? 0, end: this.#generated });
      const session: SessionInfo = {
        ...this.#session(1),
        id: this.#sessions.length + 100,
        exchanges: 0,
        name: '3 Mar 2026, 09:41',
      };
      this.#spans.set(session.id, { first: this.#generated, end: null });
      this.#sessions = [session, ...this.#sessions];
      this.setStatus({ session });
      return { session };
    },
    'sessions.remove': ({ id }) => {
      if (id === this.status.session.id) throw new ContractError('conflict', 'The current session cannot be deleted.');
      this.#sessions = this.#sessions.filter((session) => session.id !== id);
      return {};
    },
    'sessions.rename': ({ id, name }) => {
      const session = { ...this.#session(id), name };
      this.#sessions = this.#sessions.map((known) => (known.id === id ? session : known));
      return { session };
    },
    'sessions.merge': ({ from, into }) => {
      this.#sessions = this.#sessions.filter(({ id }) => id !== from);
      return { session: this.#session(into) };
    },
    'exchanges.query': (input) => {
      const newest = input.descending && input.sort === 'time' && input.limit === 1 && input.filter === '';
      const { first, end } = this.#span(input);
      if (newest) return { rows: end === first ? [] : [this.#row(end - 1)], next: null };
      const from = Number(input.after ?? 0);
      const rows = this.#slice(input, from, input.limit);
      return { rows, next: rows.length < input.limit ? null : String(from + rows.length) };
    },
    'exchanges.queryAt': (input) => ({ rows: this.#slice(input, input.index, input.limit), next: null }),
    'exchanges.count': (input) => {
      const rows = this.#matching({ ...input, sort: 'time', descending: false });
      return { count: rows?.length ?? this.#size(input) };
    },
    'exchanges.indexOf': (input) => {
      const rows = this.#matching(input);
      const { first, end } = this.#span(input);
      const inSpan = input.id > first && input.id <= end;
      const index = rows === null ? (inSpan ? input.id - 1 - first : -1) : rows.findIndex(({ id }) => id === input.id);
      return { index: index < 0 ? null : index };
    },
    'exchanges.get': ({ id }) => {
      if (this.#removed.has(id) || id > Math.max(38, this.#generated))
        throw new ContractError('not-found', 'This exchange was deleted.');
      const summary = this.#row(id - 1);
      const message = {
        sent: null,
        trailers: [],
        storedBytes: 0,
        contentEncoding: [],
        mediaType: null,
        charset: null,
      } as const;
      return {
        summary,
        request: {
          ...message,
          startLine: `${summary.method} ${summary.path} HTTP/1.1`,
          headers: [
            ['Host', summary.host],
            ['User-Agent', 'curl/8.5.0'],
            ['Accept', '*/*'],
          ],
          bodyBytes: summary.requestBodyBytes,
        },
        response:
          summary.status === null
            ? null
            : {
                ...message,
                startLine: `HTTP/1.1 ${String(summary.status)} OK`,
                headers: [['Content-Type', summary.mediaType ?? 'text/plain']],
                bodyBytes: summary.responseBodyBytes,
                mediaType: summary.mediaType,
              },
        informational: [],
        timing: { dns: 2_000, connect: 5_000, tls: 12_000, sent: 14_000, firstByte: 58_000, end: summary.duration },
        clientConnection: null,
        originConnection: null,
        comment: this.#comments.get(id) ?? '',
      };
    },
    'exchanges.ids': (input) => ({ ids: this.#slice(input, input.index, input.limit).map(({ id }) => id) }),
    'exchanges.mark': ({ ids, ...marks }) => {
      this.#change(ids, marks);
      return {};
    },
    'exchanges.comment': ({ id, text }) => {
      this.#comments.set(id, text);
      this.#change([id], { commented: text !== '' });
      return {};
    },
    'exchanges.remove': ({ ids }) => {
      for (const id of ids) this.#removed.add(id);
      this.#results.clear();
      return { ids };
    },
    'replay.send': ({ of }) => ({ exchanges: [of ?? 1], status: 200, problem: null }),
    'conversation.send': () => ({}),
    'conversation.close': () => ({}),
    'import.begin': () => ({ import: 1 }),
    'import.write': () => ({ imported: 0, skipped: 0 }),
    'import.end': () => ({ session: null, imported: 0, skipped: 0, named: [], problem: null }),
    'import.cancel': () => ({}),
    'replay.list': () => ({ ids: [] }),
    'exchanges.restore': ({ ids }) => {
      for (const id of ids) this.#removed.delete(id);
      this.#results.clear();
      return { ids };
    },
    'export.begin': () => ({ export: 1, total: 1 }),
    'export.read': () => ({
      bytes: new TextEncoder().encode('{"log":{"entries":[]}}'),
      exchanges: 1,
      done: true,
    }),
    'export.cancel': () => ({}),
    'frames.page': () => ({ frames: [], next: null }),
    'messages.page': () => ({ rows: [], next: null }),
    'messages.find': () => ({ sequences: [], next: null }),
    'messages.read': () => ({ bytes: new Uint8Array(), totalBytes: 0, stopped: null }),
    'exchanges.llm': () => ({ facts: null }),
    'store.space': () => FAKE_SPACE,
    'store.compact': () => ({ ...FAKE_SPACE, freeBytes: 0 }),
    'exchanges.readBody': () => ({
      bytes: new TextEncoder().encode('{"id":"crt_8Q2ZK"}'),
      totalBytes: 18,
      stopped: null,
    }),
    'exchanges.readRaw': () => ({
      bytes: new TextEncoder().encode('GET / HTTP/1.1\r\n\r\n'),
      totalBytes: 18,
      stopped: null,
    }),
    'exchanges.exportCurl': ({ id }) => ({ text: `curl 'https://${this.#row(id - 1).host}${this.#row(id - 1).path}'` }),
    'programs.list': () => ({
      programs: [
        { name: 'firefox', exchanges: 212, errors: 3 },
        { name: 'curl', exchanges: 9, errors: 0 },
      ],
    }),
    'hosts.list': ({ session }) => {
      const hosts = new Map<string, { host: string; port: number; exchanges: number; errors: number }>();
      const { first, end } = this.#span({ session });
      for (let n = first; n < Math.min(end, first + 10_000); n += 1) {
        const { host, port, error } = this.#row(n);
        const entry = hosts.get(host) ?? { host, port, exchanges: 0, errors: 0 };
        hosts.set(host, { ...entry, exchanges: entry.exchanges + 1, errors: entry.errors + (error === null ? 0 : 1) });
      }
      return { hosts: [...hosts.values()] };
    },
    ...fakeSetupCalls(),
    ...fakeClientCertificateCalls(),
    ...fakeProtoCalls(),
    ...fakeAuthorityCalls(() => this.status.certificateAuthority),
    'ca.export': ({ format }) => ({ bytes: new TextEncoder().encode('certificate'), fileName: `weir-ca.${format}` }),
    'browsers.list': () => this.browsers,
    'browsers.open': () => {
      const [browser] = this.browsers.found;
      if (browser === undefined) throw new ContractError('no-browser', 'No browser was found.');
      return { name: browser.name, pid: 4_711 };
    },
    'sample.show': () => {
      const session: SessionInfo = { ...this.#session(1), id: 2, name: 'Sample traffic', exchanges: 38, sample: true };
      if (!this.#sessions.some(({ id }) => id === 2)) this.#sessions = [...this.#sessions, session];
      // The first 38 exchanges are the sample's too.
      this.#spans.set(2, { first: 0, end: 38 });
      return { session };
    },
    'sample.remove': () => {
      this.#sessions = this.#sessions.filter(({ sample }) => !sample);
      return {};
    },
    ...this.bench.calls,
    'settings.get': () => this.settings,
    'settings.set': (change) => {
      this.settings = {
        ...this.settings,
        ...change,
        timeouts: { ...this.settings.timeouts, ...change.timeouts },
        limits: { ...this.settings.limits, ...change.limits },
      };
      return this.settings;
    },
  };
}

function sortKey(sort: ExchangeQuery['sort'], row: ExchangeSummary): number | string {
  switch (sort) {
    case 'time':
      return row.startedAt;
    case 'status':
      return row.status ?? 0;
    case 'host':
      return row.host;
    case 'size':
      return row.responseBodyBytes;
    case 'duration':
      return row.duration ?? Infinity;
    case 'method':
      return row.method;
    case 'type':
      return row.mediaType ?? '';
  }
}

function compare(one: number | string, other: number | string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
