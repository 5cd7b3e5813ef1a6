import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';
import type { BenchEnvironment } from '#contract';

/** What a run is made on. On two cores and more the product has the first and everything else the others. */
export function environment(): BenchEnvironment {
  const cores = cpus();
  const isPinned = process.platform === 'linux' && cores.length >= 2;
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryBytes: totalmem(),
    system: `${type()} ${release()}`,
    runtime: `${process.versions['electron'] === undefined ? 'Node' : `Electron ${process.versions['electron']}, Node`} ${process.version}`,
    productCores: isPinned ? '0' : null,
    otherCores: isPinned ? (cores.length === 2 ? '1' : `1-${String(cores.length - 1)}`) : null,
  };
}

/** Commit of a source tree; null outside of one. */
export function commit(): string | null {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
