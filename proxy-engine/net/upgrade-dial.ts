import type { ExchangeError } from '../model/error-code.ts';
import type { ConnectionRecord } from '../capture/tap.ts';
import { failure } from '../pipeline/failures.ts';
import type { Http1Origin } from '../pipeline/http1-origin.ts';
import type { Http2Origin } from '../pipeline/http2-origin.ts';
import type { OriginProtocol, OriginRoute, OriginWaiter } from '../pipeline/origins.ts';

/** How connections are made for one route. Each returns a way to give up. */
export interface UpgradeMeans {
  readonly route: OriginRoute;
  /** Connections of HTTP/2 that stand already. */
  readonly shared: readonly Http2Origin[];
  readonly dialAlone: (waiter: OriginWaiter) => () => void;
  readonly dialToShare: (waiter: OriginWaiter) => () => void;
}

/**
 * Finds a connection on which an origin can be asked to switch protocols: one of HTTP/1.1 for itself, or a stream of HTTP/2
 * where the origin takes extended CONNECT (RFC 8441). What is wished for is tried first, the other where that is refused.
 */
export class UpgradeDial implements OriginWaiter {
  readonly #waiter: OriginWaiter;
  readonly #means: UpgradeMeans;
  #cancel: () => void = () => undefined;
  #isOver = false;
  /** What came of trying HTTP/1.1. */
  #refusal: { readonly error: ExchangeError; readonly connection: ConnectionRecord | null } | null = null;

  private constructor(waiter: OriginWaiter, means: UpgradeMeans) {
    this.#waiter = waiter;
    this.#means = means;
  }

  /** Returns a way to give up. */
  static begin(wish: OriginProtocol, waiter: OriginWaiter, means: UpgradeMeans): () => void {
    const dial = new UpgradeDial(waiter, means);
    if (wish === 'h2') dial.#tryHttp2();
    else dial.#dialHttp1();
    return () => {
      dial.#isOver = true;
      dial.#cancel();
    };
  }

  onResolved(): void {
    if (!this.#isOver) this.#waiter.onResolved();
  }

  onTcpConnected(): void {
    if (!this.#isOver) this.#waiter.onTcpConnected();
  }

  onRedialled(cancel: () => void): void {
    this.#cancel = cancel;
  }

  onOrigin(origin: Http1Origin): void {
    const { translation } = origin;
    if (translation === null) {
      this.#succeed(origin);
      return;
    }
    this.#cancel = () => {
      origin.discard(false);
    };
    translation.onceUpgradesKnown((takesUpgrades) => {
      if (this.#isOver) return;
      if (takesUpgrades) {
        this.#succeed(origin);
        return;
      }
      origin.discard(false);
      this.#giveUpHttp2();
    });
  }

  onOriginFailed(error: ExchangeError, connection: ConnectionRecord | null): void {
    if (this.#isOver) return;
    if (error.code === 'tls.origin-handshake' && this.#refusal === null) {
      // It may be one that speaks HTTP/2 alone.
      this.#refusal = { error, connection };
      this.#tryHttp2();
    } else this.#fail(error, connection);
  }

  #tryHttp2(): void {
    const undecided = this.#means.shared.find(({ canOpen, takesUpgrades }) => canOpen && takesUpgrades !== false);
    if (undecided !== undefined) this.onOrigin(undecided.openStream());
    else if (this.#means.shared.some(({ takesUpgrades }) => takesUpgrades === false)) this.#giveUpHttp2();
    else this.#cancel = this.#means.dialToShare(this);
  }

  #dialHttp1(): void {
    this.#cancel = this.#means.dialAlone(this);
  }

  #giveUpHttp2(): void {
    const { route } = this.#means;
    if (this.#refusal !== null) this.#fail(this.#refusal.error, this.#refusal.connection);
    else if (!route.priorKnowledge) this.#dialHttp1();
    else {
      const message = `${route.host} is spoken to by HTTP/2 alone and does not take extended CONNECT (RFC 8441), so that it cannot be asked to switch protocols.`;
      this.#fail(failure('http2.no-extended-connect', message), null);
    }
  }

  #succeed(origin: Http1Origin): void {
    this.#isOver = true;
    this.#waiter.onOrigin(origin);
  }

  #fail(error: ExchangeError, connection: ConnectionRecord | null): void {
    this.#isOver = true;
    this.#waiter.onOriginFailed(error, connection);
  }
}
