import type { PresentSystemProxy, ProxyPlace } from '#contract';
import type { ProxyEntry, ProxySnapshot, SystemProxyPlatform, WantedProxy } from './system-proxy.ts';
import { isSamePlace, SystemProxyError } from './system-proxy.ts';

/** What is on the disk while the system proxy is on. */
export interface SystemProxyRecord {
  /** Names this turn-on; a watchdog of an earlier one leaves it alone. */
  readonly id: string;
  /** Name of the platform whose settings these are. */
  readonly platform: string;
  readonly prior: ProxySnapshot;
  readonly ours: ProxySnapshot;
  readonly bypass: readonly string[];
}

/** Keeps the record on the disk, for its owner alone. */
export interface SystemProxyJournal {
  /** Null when there is none, or none that can be used. */
  read(): SystemProxyRecord | null;
  /** On the disk when it returns. @throws the file system's error */
  write(record: SystemProxyRecord): void;
  /** Removes the record with this id; another one stays. */
  remove(id: string): void;
}

/** A setting and what it becomes. */
export interface ProxyChange {
  readonly from: ProxyEntry;
  readonly to: ProxyEntry;
}

export interface TurnOnRequest {
  readonly platform: SystemProxyPlatform;
  readonly journal: SystemProxyJournal;
  readonly wanted: WantedProxy;
  /** Every place at which a proxy of ours listens. */
  readonly ownPlaces: readonly ProxyPlace[];
  readonly id: string;
  /** Awaited when the record is on the disk and before the first change: what restores it must be there by then. */
  readonly beforeChange: () => Promise<void>;
}

/** What turning off does: settings to write, and settings that somebody else changed, which stay. */
export interface RestorePlan {
  readonly changes: readonly ProxyChange[];
  readonly kept: readonly ProxyChange[];
}

/** True when a snapshot sends web traffic to one of `places`. */
export function pointsAt(present: PresentSystemProxy, places: readonly ProxyPlace[]): boolean {
  return [present.http, present.https].some((used) => used !== null && places.some((own) => isSamePlace(own, used)));
}

/** What differs, in the order of `to`. */
export function changesBetween(from: ProxySnapshot, to: ProxySnapshot): ProxyChange[] {
  return to.flatMap((entry) => {
    const present = from.find(({ key }) => key === entry.key);
    return present === undefined || present.value === entry.value ? [] : [{ from: present, to: entry }];
  });
}

/**
 * What is put back when the system proxy is turned on now: never a state that points at us.
 * @param present as read
 */
export function priorState(
  platform: SystemProxyPlatform,
  present: ProxySnapshot,
  ownPlaces: readonly ProxyPlace[],
): ProxySnapshot {
  return pointsAt(platform.describe(present), ownPlaces) ? platform.planOff(present) : present;
}

/**
 * Turns the system proxy on, or on again with other wishes. When a setting cannot be written, those before it are put
 * back.
 *
 * @throws SystemProxyError; the message says whether anything is left changed
 */
export async function turnOn(request: TurnOnRequest): Promise<SystemProxyRecord> {
  const { platform, journal, wanted, ownPlaces, id, beforeChange } = request;
  const present = await platform.read();
  if (present.length === 0) {
    throw new SystemProxyError('unsupported', `${platform.name} has no network service that is switched on.`);
  }
  const earlier = journal.read();
  const prior = earlier?.platform === platform.name ? earlier.prior : priorState(platform, present, ownPlaces);
  const ours = platform.plan(present, wanted);
  const record = { id, platform: platform.name, prior, ours, bypass: wanted.bypass };
  journal.write(record);
  await beforeChange();
  const changes = changesBetween(present, ours).map(({ to }) => to);
  const [failure] = await platform.write(switchesLast(changes), 'stop');
  const reason =
    failure === undefined
      ? await provedBy(platform, wanted)
      : `“${failure.entry.label}” was refused: ${failure.reason}`;
  if (reason === null) return record;
  throw await takenBack(request, record, reason);
}

/** Some desktops take every value and keep none, so the proof is in reading. */
async function provedBy(platform: SystemProxyPlatform, wanted: WantedProxy): Promise<string | null> {
  const present = platform.describe(await platform.read());
  return pointsAt(present, [wanted.proxy]) ? null : 'the settings read back as they were';
}

async function takenBack(
  { platform, journal }: TurnOnRequest,
  record: SystemProxyRecord,
  reason: string,
): Promise<SystemProxyError> {
  const what = `The proxy settings of ${platform.name} could not be changed: ${reason}.`;
  const left = await restore(platform, journal, record.id).then(
    () => 'Everything is as it was before.',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return new SystemProxyError('not-written', `${what} ${left}`);
}

/**
 * What turning off does with the settings as they are now. Our values go back to what they were. A value that is neither
 * ours nor the former one was set by somebody else and stays; if it says where traffic goes, the switch stays on for it.
 */
export function planRestore(record: SystemProxyRecord, present: ProxySnapshot): RestorePlan {
  const triples = record.prior.flatMap((prior) => {
    const ours = record.ours.find(({ key }) => key === prior.key);
    const now = present.find(({ key }) => key === prior.key);
    // A network service may be gone.
    return ours === undefined || now === undefined ? [] : [{ prior, ours, now }];
  });
  const isForeign = ({ prior, ours, now }: (typeof triples)[number]): boolean =>
    now.value !== ours.value && now.value !== prior.value;
  const otherTookOver = triples.some(
    (triple) => triple.now.role === 'endpoint' && triple.now.value !== '' && isForeign(triple),
  );
  const stays = (triple: (typeof triples)[number]): boolean =>
    isForeign(triple) || (otherTookOver && triple.now.role === 'switch' && triple.now.value !== triple.prior.value);
  const asChange = ({ prior, now }: (typeof triples)[number]): ProxyChange => ({ from: now, to: prior });
  return {
    kept: triples.filter(stays).map(asChange),
    changes: triples.filter((triple) => !stays(triple) && triple.now.value !== triple.prior.value).map(asChange),
  };
}

/**
 * Puts back what the record on the disk holds, and removes it. Without one, or with that of another turn-on, nothing
 * happens. Several processes may do this at the same time.
 *
 * @param id of the turn-on to undo; null for any
 * @throws SystemProxyError `not-written` when something could not be put back; the record stays for another try
 */
export async function restore(
  platform: SystemProxyPlatform,
  journal: SystemProxyJournal,
  id: string | null,
): Promise<RestorePlan | null> {
  const record = journal.read();
  if (record === null || (id !== null && record.id !== id)) return null;
  if (record.platform !== platform.name) {
    throw new SystemProxyError(
      'unsupported',
      `What is to be put back are the proxy settings of ${record.platform}, and this session runs ${platform.name}. Log in there and run \`weir system-proxy restore\`.`,
    );
  }
  const plan = planRestore(record, await platform.read());
  const entries = plan.changes.map(({ to }) => to);
  const failures = await platform.write(switchesLast(entries).reverse(), 'go-on');
  if (failures.length === 0) {
    journal.remove(record.id);
    return plan;
  }
  const list = failures.map(({ entry, reason }) => `“${entry.label}” to “${entry.value}” (${reason})`).join(', ');
  throw new SystemProxyError(
    'not-written',
    `These proxy settings of ${platform.name} could not be put back: ${list}. Set them by hand, or run \`weir system-proxy restore\`.`,
  );
}

/** On the way in everything is in place before it counts; the other way round, it stops counting first. */
function switchesLast(entries: readonly ProxyEntry[]): ProxyEntry[] {
  const isSwitch = ({ role }: ProxyEntry): boolean => role === 'switch';
  return [...entries.filter((entry) => !isSwitch(entry)), ...entries.filter(isSwitch)];
}
