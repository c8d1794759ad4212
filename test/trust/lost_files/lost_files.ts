// npm run trust lost_files -- [--ways deleted] [--times between,during,killed] [--processes 1,2] [--windows total,per_day]
// Deletes, empties and replaces the ledger and the warehouse between and during runs by one or two processes, then
// repairs the mirror as an operator would. The calls that reach the upstream must never exceed the allowance.
import { argumentsOf } from '../../support/script.ts';
import { type LossOrder, lose } from './loss.ts';
import { WAYS, type Way } from './ways.ts';

const values = argumentsOf({
  ways: '',
  times: ['between', 'during', 'killed'],
  processes: [1, 2],
  windows: ['total'],
});
const chosen = (Object.keys(WAYS) as Way[]).filter((way) => way.includes(values.ways));
const total = { ways: chosen.length, losses: 0, most_arrivals: 0, broken: 0 };
for (const way of chosen)
  for (const time of values.times as LossOrder['time'][])
    for (const processes of values.processes as LossOrder['processes'][])
      for (const window of values.windows as LossOrder['window'][]) {
        const loss = await lose({ way, time, processes, window });
        total.losses += 1;
        total.most_arrivals = Math.max(total.most_arrivals, loss.arrivals);
        total.broken += loss.broken.length;
        process.stdout.write(`${JSON.stringify(loss)}\n`);
      }
process.stdout.write(`${JSON.stringify(total)}\n`);
process.exitCode = total.broken === 0 ? 0 : 1;
