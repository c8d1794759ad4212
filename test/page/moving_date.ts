/** Sets this process's clock to another date, from which it runs normally. Timers use real time. */
export function moveDateTo(epochMs: number): void {
  const offsetMs = epochMs - realNow();
  const now = () => realNow() + offsetMs;
  globalThis.Date = class extends RealDate {
    constructor(...given: unknown[]) {
      // @ts-expect-error: all arguments of Date are passed unchanged
      super(...(given.length === 0 ? [now()] : given));
    }
    static override now(): number {
      return now();
    }
  } as DateConstructor;
}

const RealDate = Date;
const realNow = Date.now.bind(Date);
