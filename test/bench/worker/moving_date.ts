/** Lets the clock of this process stand at another date, and go on from there. Timers keep their real pace. */
export function moveDateTo(epochMs: number): void {
  const offsetMs = epochMs - realNow();
  const now = () => realNow() + offsetMs;
  globalThis.Date = class extends RealDate {
    constructor(...given: unknown[]) {
      // @ts-expect-error: every way to call Date is handed on as it is
      super(...(given.length === 0 ? [now()] : given));
    }
    static override now(): number {
      return now();
    }
  } as DateConstructor;
}

const RealDate = Date;
const realNow = Date.now.bind(Date);
