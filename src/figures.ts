/** Figures as a person reads them, in a terminal and on the page. */

const whole = new Intl.NumberFormat('en');

export function count(value: number): string {
  return value === Infinity ? 'unlimited' : whole.format(Math.round(value));
}

/** `1 call`, `2 calls`, `1,234 calls`. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** A share that is not whole is never shown as 100 %, nor one that is not nothing as 0 %. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) return '< 0.1 %';
  const shown = Math.floor(value * 10) / 10;
  return `${Number.isInteger(shown) ? shown : shown.toFixed(1)} %`;
}
