import { type CallerOptions, callUntil, openCaller } from './caller.ts';

/** Runs one of the processes that share the account. */
const { untilMs, ...options } = JSON.parse(process.argv[2] ?? '') as CallerOptions & { untilMs: number };
const caller = openCaller(options);
const good = await callUntil(caller, untilMs);
caller.close();
process.send?.({ good });
