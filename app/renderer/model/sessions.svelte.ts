import type { SessionId, SessionInfo } from '#contract';
import type { Backend } from './connection.svelte.ts';

/** The capture runs that are stored, and which of them is shown. */
export class Sessions {
  readonly #backend: Backend;
  #all = $state.raw<readonly SessionInfo[]>([]);
  #chosen = $state.raw<SessionInfo | null>(null);

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Newest first. */
  get all(): readonly SessionInfo[] {
    return this.#all;
  }

  /** The one that the user chose to look at; null to show the one that is being recorded. */
  get chosen(): SessionInfo | null {
    return this.#chosen;
  }

  choose(session: SessionInfo | null): void {
    this.#chosen = session;
  }

  /** @throws ContractError */
  async refresh(): Promise<void> {
    const { sessions } = await this.#backend.call('sessions.list', {});
    this.#all = sessions.toSorted((one, other) => other.startedAt - one.startedAt);
    const chosen = this.#chosen;
    if (chosen !== null) this.#chosen = sessions.find((session) => session.id === chosen.id) ?? null;
  }

  /** @throws ContractError */
  async rename(id: SessionId, name: string): Promise<void> {
    await this.#backend.call('sessions.rename', { id, name });
    await this.refresh();
  }

  /**
   * Moves everything of one session into another, and shows that one if the first was shown.
   * @throws ContractError
   */
  async merge(from: SessionId, into: SessionId): Promise<void> {
    const { session } = await this.#backend.call('sessions.merge', { from, into });
    if (this.#chosen?.id === from) this.#chosen = session;
    await this.refresh();
  }

  /**
   * Deletes a session and its traffic.
   * @throws ContractError
   */
  async remove(id: SessionId): Promise<void> {
    await this.#backend.call('sessions.remove', { id });
    if (this.#chosen?.id === id) this.#chosen = null;
    await this.refresh();
  }
}
