// npm run trust faults -- [--rounds 20] [--seed 1] [--companies 1000] [--share 0.2] [--trouble none|deceptions|dialects]
//
// Runs rounds with random faults. Prints one line per round, with the seed that repeats it.
import { parseArgs } from 'node:util';
import { faultRound } from './round.ts';
import type { TroubleKind } from './trouble.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    companies: { type: 'string', default: '1000' },
    share: { type: 'string', default: '0.2' },
    trouble: { type: 'string', default: 'none' },
  },
});
const total = { arrivals: 0, faults: 0, received: 0, recordCalls: 0, records: 0, violations: 0 };
for (let round = 0; round < Number(values.rounds); round++) {
  const seed = Number(values.seed) + round;
  try {
    const result = await faultRound({
      seed,
      companies: Number(values.companies),
      faultShare: Number(values.share),
      ...(values.trouble === 'none' ? {} : { trouble: values.trouble as TroubleKind }),
    });
    total.arrivals += result.arrivals;
    total.faults += result.faults;
    total.received += result.received;
    total.recordCalls += result.recordCalls;
    total.records += result.records;
    total.violations += result.violations.length;
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } catch (error) {
    total.violations += 1;
    const crash = error instanceof Error ? error.stack : String(error);
    process.stdout.write(`${JSON.stringify({ seed, crash })}\n`);
  }
}
const callsPerRecord = Number((total.recordCalls / total.records).toFixed(3));
process.stdout.write(`${JSON.stringify({ ...total, calls_per_record: callsPerRecord })}\n`);
process.exitCode = total.violations === 0 ? 0 : 1;
