/**
 * A load generator, closed loop or fixed rate, a process of its own. Argument: one JSON object, see `GeneratorPlan`. Prints the lines of
 * `GeneratorLine`; what is under way when the window ends is waited for, but not counted.
 */
import type { GeneratorPlan, Workload } from '../workload.ts';
import { driveTcp, driveUdp, driveWebSocket } from './echo-generators.ts';
import { driveHttp1 } from './http1-generator.ts';
import { driveHttp2 } from './http2-generator.ts';
import { Meter, say } from './meter.ts';
import { closedLoop, FixedRate, type Pace } from './pace.ts';

/** What is under way at the end gets this long, ms. */
const DRAIN_MS = 3_000;

type Driver = (plan: GeneratorPlan, meter: Meter, pace: Pace) => Promise<Promise<void>[]>;
const DRIVERS: Readonly<Record<Workload['protocol'], Driver>> = {
  http1: driveHttp1,
  http2: driveHttp2,
  websocket: driveWebSocket,
  tcp: driveTcp,
  udp: driveUdp,
};

const plan = JSON.parse(process.argv[2] ?? '{}') as GeneratorPlan;
const meter = new Meter();
const pace = plan.rate === null ? closedLoop(meter) : new FixedRate(plan.rate);
const driven = await DRIVERS[plan.workload.protocol](plan, meter, pace);
await meter.run(plan.warmUpMs, plan.measureMs);
pace.stop();
await Promise.race([Promise.all(driven), new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())]);
say({ type: 'result', ...meter.result() });
process.stdout.write('', () => process.exit(0));
