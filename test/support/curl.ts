import { execFile } from 'node:child_process';

export interface CurlResult {
  /** Exit code; 0 when all went well. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real curl, without the proxies of this process's environment. */
export function runCurl(args: readonly string[]): Promise<CurlResult> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)));
  return new Promise((resolve, reject) => {
    execFile('curl', ['-sS', '--max-time', '15', ...args], { env: environment }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') {
        reject(new Error('This test needs curl. On Debian: apt-get install curl', { cause: error }));
      } else {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      }
    });
  });
}
