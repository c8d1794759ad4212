// npm run trust faults -- [--rounds 20] [--seed 1] [--companies 1000] [--share 0.2] [--trouble none|deceptions|dialects]
//
// Runs rounds with random faults. Prints one line per round, with the seed that repeats it.
import { argumentsOf } from '../../support/script.ts';
import { faultRound } from './round.ts';
import type { TroubleKind } from './trouble.ts';

const values = argumentsOf({ rounds: 20, seed: 1, companies: 1000, share: 0.2, trouble: 'none' });
const total = { arrivals: 0, faults: 0, received: 0, recordCalls: 0, records: 0, violations: 0 };
for (let round = 0; round < values.rounds; round++) {
  const seed = values.seed + round;
  try {
    const result = await faultRound({
      seed,
      companies: values.companies,
      faultShare: values.share,
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
