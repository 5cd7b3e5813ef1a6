import { randomUUID } from 'node:crypto';
import type {
  PresentSystemProxy,
  ProxyPlace,
  SystemProxyChange,
  SystemProxyRestored,
  SystemProxyStatus,
} from '#contract';
import { ContractError } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import type { ProxyChange, RestorePlan } from '../platform/system-proxy/change-system-proxy.ts';
import {
  changesBetween,
  planRestore,
  pointsAt,
  priorState,
  restore,
  turnOn,
} from '../platform/system-proxy/change-system-proxy.ts';
import { DEFAULT_BYPASS, placeText, SystemProxyError } from '../platform/system-proxy/system-proxy.ts';
import type { ProxySnapshot, SystemProxyPlatform } from '../platform/system-proxy/system-proxy.ts';
import { proxyAddress } from '../proxy-address.ts';
import type { SystemProxyGuard } from '../system-proxy-guard.ts';
import { startSystemProxyGuard } from '../system-proxy-guard.ts';
import { openSystemProxyJournal } from '../system-proxy-journal.ts';
import type { CallHandlers } from '../transport/server.ts';

export interface SystemProxyService {
  readonly calls: Pick<CallHandlers, 'systemProxy.status' | 'systemProxy.on' | 'systemProxy.off'>;
  /** Puts back what an earlier process of this data folder left behind. Never throws. */
  recover(): Promise<void>;
  /** Turns it off. Never throws; what cannot be put back is reported. */
  close(): Promise<void>;
}

/**
 * The system's proxy settings behind the contract. Changes run one after the other.
 * @param platform as `chooseSystemProxy` chose; a text says why there is none
 */
export function createSystemProxyService(
  core: BackendCore,
  platform: SystemProxyPlatform | string,
): SystemProxyService {
  const journalFile = core.folder.systemProxyFile;
  const journal = openSystemProxyJournal(journalFile);
  let guard: SystemProxyGuard | null = null;
  let exchangesBefore = 0;
  let queue: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  }

  async function turnOff(): Promise<RestorePlan | null> {
    if (typeof platform === 'string') return null;
    const plan = await restore(platform, journal, null);
    guard?.dismiss();
    guard = null;
    core.status.systemProxyChanged(false);
    if (core.settings.lend(null)) core.engine.configure(core.engineSettings(core.settings.current));
    return plan;
  }

  async function statusOf(bypass: readonly string[] | undefined): Promise<SystemProxyStatus> {
    const record = journal.read();
    const wished = bypass ?? record?.bypass ?? DEFAULT_BYPASS;
    if (typeof platform === 'string') return { ...NOTHING, unsupported: platform, bypass: wished };
    const present = await platform.read();
    const places = ownPlaces(core);
    const described = platform.describe(present);
    const proxy = proxyAddress(core.engine.listeners);
    const plan = record === null ? null : planRestore(record, present);
    const wanted = proxy === null ? present : platform.plan(present, { proxy, bypass: wished });
    const exchanges = record === null ? null : (await core.engine.stats()).exchanges - exchangesBefore;
    return {
      platform: platform.name,
      unsupported: null,
      on: record !== null,
      reached: pointsAt(described, places),
      present: described,
      changes: (plan?.changes ?? changesBetween(present, wanted)).map(inWords),
      foreign: (plan?.kept ?? []).map(inWords),
      bypass: wished,
      otherProxy: otherProxyOf(platform, record?.prior ?? priorState(platform, present, places), places),
      exchanges,
    };
  }

  return {
    calls: {
      'systemProxy.status': ({ bypass }) => explained(() => statusOf(bypass)),
      'systemProxy.on': ({ bypass, chain }) =>
        explained(() =>
          inTurn(async () => {
            if (typeof platform === 'string') throw new SystemProxyError('unsupported', platform);
            const proxy = proxyAddress(core.engine.listeners);
            if (proxy === null) {
              throw new ContractError('unavailable', 'No listener of this Weir is a proxy. Add one with --mode proxy.');
            }
            const before = await statusOf(bypass);
            const id = randomUUID();
            const earlierGuard = guard;
            const { exchanges } = await core.engine.stats();
            const done = await turnOn({
              platform,
              journal,
              wanted: { proxy, bypass: before.bypass },
              ownPlaces: ownPlaces(core),
              id,
              beforeChange: async () => {
                guard = await startSystemProxyGuard(journalFile, id);
                earlierGuard?.dismiss();
              },
            }).catch((error: unknown) => {
              if (journal.read() === null) guard?.dismiss();
              throw error;
            });
            if (!before.on) exchangesBefore = exchanges;
            if (chain && before.otherProxy !== null) {
              core.settings.lend({ upstreamProxy: before.otherProxy });
              core.engine.configure(core.engineSettings(core.settings.current));
            }
            core.status.systemProxyChanged(true);
            return statusOf(done.bypass);
          }),
        ),
      'systemProxy.off': () =>
        explained(() =>
          inTurn(async (): Promise<SystemProxyRestored> => {
            const plan = await turnOff();
            return { restored: (plan?.changes ?? []).map(inWords), kept: (plan?.kept ?? []).map(inWords) };
          }),
        ),
    },
    async recover() {
      const record = journal.read();
      if (record === null) return;
      await inTurn(turnOff).then(
        (plan) => {
          core.report(recoveredText(plan));
        },
        (error: unknown) => {
          core.report(messageOf(error));
        },
      );
    },
    async close() {
      if (journal.read() === null) return;
      await inTurn(turnOff).catch((error: unknown) => {
        core.report(messageOf(error));
      });
    },
  };
}

const NOTHING: SystemProxyStatus = {
  platform: null,
  unsupported: null,
  on: false,
  reached: false,
  present: null,
  changes: [],
  foreign: [],
  bypass: [],
  otherProxy: null,
  exchanges: null,
};

/** Where proxies of ours are reached, by every listener that is one. */
function ownPlaces({ engine }: BackendCore): ProxyPlace[] {
  return engine.listeners.filter(({ mode }) => mode === 'proxy').map(({ address, port }) => ({ host: address, port }));
}

function otherProxyOf(
  platform: SystemProxyPlatform,
  prior: ProxySnapshot,
  places: readonly ProxyPlace[],
): string | null {
  const present: PresentSystemProxy = platform.describe(prior);
  if (pointsAt(present, places)) return null;
  const web = present.https ?? present.http;
  if (web !== null) return `http://${placeText(web)}`;
  return present.socks === null ? null : `socks5://${placeText(present.socks)}`;
}

function inWords({ from, to }: ProxyChange): SystemProxyChange {
  return { setting: to.label, from: from.value, to: to.value };
}

function recoveredText(plan: RestorePlan | null): string {
  const kept = plan?.kept ?? [];
  const what = 'An earlier Weir ended without turning the system proxy off. The settings from before are back.';
  if (kept.length === 0) return what;
  return `${what} Changed by somebody else meanwhile and left alone: ${kept.map(({ from }) => from.label).join(', ')}.`;
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error: unknown) {
    if (error instanceof SystemProxyError) throw new ContractError('unavailable', error.message);
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
