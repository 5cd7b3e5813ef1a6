import { readFileSync, renameSync } from 'node:fs';
import * as v from 'valibot';
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from '#engine';
import type { AppSettings } from '#contract';
import { ContractError } from '#contract';
import { SETTINGS_CHANGE } from '../contract/validators.ts';
import { writePrivateFile } from './private-file.ts';

const DEFAULTS: AppSettings = {
  passthroughHosts: [],
  trustedHosts: [],
  timeouts: { ...DEFAULT_TIMEOUTS },
  limits: { ...DEFAULT_LIMITS },
  forwardedFields: false,
  tolerateBareLineFeed: false,
  stripOuterSpace: true,
  clientHalfClose: false,
  retention: { days: 14, bytes: 5_000_000_000, exchanges: 0 },
  upstreamProxy: '',
  upstreamRules: [],
  noProxy: ['localhost', '127.0.0.0/8', '::1'],
  proxyAuthentication: null,
  approvedClients: [],
  legacyHosts: [],
  autoPassthrough: false,
  stripHttp3Offers: false,
  recordFrames: true,
};

/** A settings file that the user named is not usable. The message is for that user. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Reads a settings file that the user wrote: a JSON object with any of the settings' keys.
 *
 * @throws SettingsError when it cannot be read or is not that
 */
export function readSettingsFile(path: string): Partial<AppSettings> {
  try {
    return v.parse(SETTINGS_CHANGE, JSON.parse(readFileSync(path, 'utf8')), { abortEarly: true });
  } catch (error: unknown) {
    throw new SettingsError(`The settings file ${path} cannot be used: ${problemOf(error)}.`, { cause: error });
  }
}

/** The settings of one data folder: what was stored, under what one run overrides. */
export class SettingsKeeper {
  readonly #path: string;
  readonly #overrides: Partial<AppSettings>;
  #stored: Partial<AppSettings>;
  #lent: Partial<AppSettings> = {};

  /**
   * @param path of the stored settings
   * @param overrides of this run; they are never stored
   * @param report hears of a stored file that is damaged; it is put aside and the defaults apply
   */
  constructor(path: string, overrides: Partial<AppSettings>, report: (message: string) => void) {
    this.#path = path;
    this.#overrides = overrides;
    this.#stored = load(path, report);
  }

  get current(): AppSettings {
    return merge(merge(merge(DEFAULTS, this.#stored), this.#overrides), this.#lent);
  }

  /**
   * Puts settings over all others until they are taken back or the person changes them; they are never stored.
   *
   * @param settings null takes back what was lent
   * @returns whether anything is different now
   */
  lend(settings: Partial<AppSettings> | null): boolean {
    const had = Object.keys(this.#lent).length > 0;
    this.#lent = settings ?? {};
    return had || settings !== null;
  }

  /**
   * Applies a change and stores it. Lists are replaced; timeouts and limits change key by key.
   *
   * @throws ContractError `unavailable` when it cannot be stored; nothing has changed then
   */
  change(change: Partial<AppSettings>): AppSettings {
    const next = { ...this.#stored, ...change };
    if (change.timeouts !== undefined) next.timeouts = { ...this.#stored.timeouts, ...change.timeouts };
    if (change.limits !== undefined) next.limits = { ...this.#stored.limits, ...change.limits };
    try {
      writePrivateFile(this.#path, `${JSON.stringify(next, null, 2)}\n`);
    } catch (error: unknown) {
      throw new ContractError('unavailable', `The settings cannot be stored: ${problemOf(error)}.`);
    }
    this.#stored = next;
    // What a person decides counts.
    this.#lent = {};
    return this.current;
  }
}

function load(path: string, report: (message: string) => void): Partial<AppSettings> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return {};
  }
  try {
    return v.parse(SETTINGS_CHANGE, JSON.parse(text), { abortEarly: true });
  } catch (error: unknown) {
    const aside = `${path}.damaged`;
    renameSync(path, aside);
    report(`The stored settings were not usable (${problemOf(error)}). They are kept as ${aside}; the defaults apply.`);
    return {};
  }
}

function merge(base: AppSettings, change: Partial<AppSettings>): AppSettings {
  return {
    ...base,
    ...change,
    timeouts: { ...base.timeouts, ...change.timeouts },
    limits: { ...base.limits, ...change.limits },
  };
}

function problemOf(error: unknown): string {
  if (error instanceof v.ValiError) {
    const [issue] = error.issues;
    return `${v.getDotPath(issue) ?? 'settings'}: ${issue.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}
