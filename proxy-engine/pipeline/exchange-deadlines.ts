import type { PipelineContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import { deadlineAfter } from './lifetimes.ts';

/** The deadlines of one exchange after another: total, first byte, idle; the earliest is `next`. */
export class ExchangeDeadlines {
  /** Coarse milliseconds. */
  next = Infinity;
  readonly #context: PipelineContext;
  #total = Infinity;
  /** The earlier of the first-byte and the total deadline. */
  #exchange = Infinity;

  constructor(context: PipelineContext) {
    this.#context = context;
  }

  /** An exchange begins. */
  begin(): void {
    const { total, firstByte } = this.#context.settings.timeouts;
    const now = this.#context.clock.coarse;
    this.#total = deadlineAfter(now, total);
    this.#exchange = Math.min(this.#total, deadlineAfter(now, firstByte));
    this.touch();
  }

  /** Bytes moved. */
  touch(): void {
    const idle = deadlineAfter(this.#context.clock.coarse, this.#context.settings.timeouts.idle);
    this.next = idle < this.#exchange ? idle : this.#exchange;
  }

  /** From here on only the idle and the total time count. */
  onAnswered(): void {
    this.#exchange = this.#total;
  }

  /** Tells the exchange which of them is over. */
  expire(exchange: Exchange): void {
    const { timeouts } = this.#context.settings;
    const now = this.#context.clock.coarse;
    if (now >= this.#total) exchange.onTimeout('timeout.total', timeouts.total, 'total');
    else if (now >= this.#exchange) exchange.onTimeout('timeout.first-byte', timeouts.firstByte, 'firstByte');
    else exchange.onTimeout('timeout.idle', timeouts.idle, 'idle');
  }
}
