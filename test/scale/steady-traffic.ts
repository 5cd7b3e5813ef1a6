import { Agent, createServer, request, type Server } from 'node:http';
import { once } from 'node:events';

const CONNECTIONS = 16;
const TURN_MS = 20;

/** Real exchanges through the proxy at a steady rate, to an origin in this process. */
export class SteadyTraffic {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #origin: Server;
  readonly #timer: NodeJS.Timeout;
  #answered = 0;
  #sent = 0;

  private constructor(origin: Server, originPort: number, proxyPort: number, aSecond: number) {
    this.#origin = origin;
    const startedAt = performance.now();
    this.#timer = setInterval(() => {
      const due = ((performance.now() - startedAt) / 1_000) * aSecond;
      for (; this.#sent < due; this.#sent += 1) this.#ask(originPort, proxyPort);
    }, TURN_MS);
  }

  static async start(proxyPort: number, aSecond: number): Promise<SteadyTraffic> {
    const origin = createServer((incoming, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.statusCode = Number(/\d+$/.exec(incoming.url ?? '')?.[0] ?? 0) % 40 === 0 ? 503 : 200;
      response.end(`{"path":"${incoming.url ?? ''}"}`);
    });
    origin.listen(0, '127.0.0.1');
    await once(origin, 'listening');
    const address = origin.address();
    if (address === null || typeof address === 'string') throw new Error('The origin has no port.');
    return new SteadyTraffic(origin, address.port, proxyPort, aSecond);
  }

  /** Exchanges that ended. */
  get answered(): number {
    return this.#answered;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#agent.destroy();
    this.#origin.close();
    this.#origin.closeAllConnections();
  }

  #ask(originPort: number, proxyPort: number): void {
    const path = `http://127.0.0.1:${String(originPort)}/streamed/${String(this.#sent)}`;
    const outgoing = request({ host: '127.0.0.1', port: proxyPort, path, agent: this.#agent }, (response) => {
      response.resume();
      response.on('end', () => (this.#answered += 1));
    });
    // Those that are under way when the traffic stops.
    outgoing.on('error', () => undefined);
    outgoing.end();
  }
}
