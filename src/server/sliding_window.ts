/** Admissions within the last `lengthMs`, at most `limit`: true at every instant, not by the clock's minutes. */
export interface SlidingWindow {
  /** Admissions that are still inside the window. */
  used(nowMs: number): number;
  /** When the next admission becomes possible; `nowMs` itself where it is possible now. */
  freeAtMs(nowMs: number): number;
  admit(nowMs: number): void;
}

/** Remembers the admissions in a ring of `limit` places, which grows as it is used. */
export function slidingWindow(limit: number, lengthMs: number): SlidingWindow {
  let ring = new Float64Array(Math.min(limit, 64));
  let first = 0;
  let count = 0;

  const drop = (nowMs: number) => {
    // An admission at t fills the window until t + length, that instant excluded.
    while (count > 0 && (ring[first] ?? 0) + lengthMs <= nowMs) {
      first = (first + 1) % ring.length;
      count--;
    }
  };
  const grow = () => {
    const larger = new Float64Array(Math.min(limit, ring.length * 2));
    for (let i = 0; i < count; i++) larger[i] = ring[(first + i) % ring.length] ?? 0;
    ring = larger;
    first = 0;
  };

  return {
    used(nowMs) {
      drop(nowMs);
      return count;
    },
    freeAtMs(nowMs) {
      drop(nowMs);
      return count < limit ? nowMs : (ring[first] ?? nowMs) + lengthMs;
    },
    admit(nowMs) {
      if (count === ring.length) grow();
      ring[(first + count) % ring.length] = nowMs;
      count++;
    },
  };
}
