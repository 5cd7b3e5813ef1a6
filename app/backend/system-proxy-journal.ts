import { readFileSync, rmSync } from 'node:fs';
import * as v from 'valibot';
import type { SystemProxyJournal } from './platform/system-proxy/change-system-proxy.ts';
import { writePrivateFile } from './private-file.ts';

const text = v.pipe(v.string(), v.maxLength(65_536));
const snapshot = v.array(
  v.strictObject({ key: text, label: text, role: v.picklist(['switch', 'endpoint', 'detail']), value: text }),
);

const RECORD = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  platform: text,
  prior: snapshot,
  ours: snapshot,
  bypass: v.array(text),
});

/** The record of the system proxy as a file of mode 0600. @param path in the data folder */
export function openSystemProxyJournal(path: string): SystemProxyJournal {
  const journal: SystemProxyJournal = {
    read() {
      try {
        const result = v.safeParse(RECORD, JSON.parse(readFileSync(path, 'utf8')));
        return result.success ? result.output : null;
      } catch {
        return null;
      }
    },
    write(record) {
      writePrivateFile(path, `${JSON.stringify(record, null, 2)}\n`);
    },
    remove(id) {
      if (journal.read()?.id === id) rmSync(path, { force: true });
    },
  };
  return journal;
}
