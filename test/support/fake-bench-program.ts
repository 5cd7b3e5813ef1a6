import { once } from 'node:events';
import { SAMPLE_PRODUCTS, SAMPLE_PROFILES, sampleProgress, sampleResult } from './sample-bench.ts';
import type { SampleOrder } from './sample-bench.ts';

/*
 * A program that speaks as bench/bench-program.ts does and measures nothing: `--list`, or an order in JSON. A quick run
 * ends by itself; one with trials of ten seconds or more stays at its third profile until it is ended. Orders whose run
 * cannot go well name what is to go wrong as their first product: `fail`, `late`, `chatter`, `silence`, `stubborn`.
 */

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const [argument] = process.argv.slice(2);
if (argument === '--list') {
  say({ profiles: SAMPLE_PROFILES, products: SAMPLE_PRODUCTS });
} else {
  const order = JSON.parse(argument ?? '') as SampleOrder;
  await run(order, order.products?.[0] ?? '');
}

async function run(order: SampleOrder, trouble: string): Promise<void> {
  if (trouble === 'fail') {
    process.stderr.write('nginx did not start: its port is taken. End the other nginx and run again.\n');
    process.exit(1);
  }
  if (trouble === 'chatter') process.stdout.write('hello\n');
  if (trouble === 'silence') return;
  // Listened for before anything is said, so that whoever hears us can end us.
  const ended = once(process, 'SIGTERM');
  if (trouble === 'stubborn') process.on('SIGTERM', () => undefined);
  process.stdin.resume();
  const gone = once(process.stdin, 'end');
  const hold = order.seconds >= 10 ? Math.min(2, order.profiles.length - 1) : order.profiles.length;
  for (let at = 0; at < order.profiles.length; at += 1) {
    say({ type: 'progress', progress: sampleProgress(order, at) });
    if (at === hold) break;
    const finished = { ...order, profiles: order.profiles.slice(0, at + 1) };
    say({ type: 'partial', result: sampleResult(finished) });
    if (trouble === 'late') {
      process.stderr.write('The generator ended early.\n');
      process.exit(1);
    }
  }
  if (hold === order.profiles.length) {
    say({ type: 'result', result: sampleResult(order) });
    process.exit(0);
  }
  if (trouble === 'stubborn') await new Promise(() => setInterval(() => undefined, 60_000));
  await Promise.race([ended, gone]);
  const done = { ...order, profiles: order.profiles.slice(0, hold) };
  say({ type: 'result', result: { ...sampleResult(done), cancelled: true } });
  process.exit(0);
}
