import { DAY_MS } from '../durations.ts';

/** Formats numbers for the terminal and the page. */

export function count(value: number): string {
  return value === Infinity ? 'unlimited' : String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a number with its noun: `1 call`, `2 calls`, `1,234 calls`. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** Formats a share from 0 to 1. A share below 1 is never shown as 100%, nor a share above 0 as 0%. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) return '< 0.1 %';
  const shown = Math.floor(value * 10) / 10;
  return `${Number.isInteger(shown) ? shown : shown.toFixed(1)} %`;
}

/** Formats a duration: `42 s`, `3 min 20 s`, `2 h 5 min`, `3 days 4 h`. */
export function duration(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 1) return `${Math.max(0, Math.round(durationMs))} ms`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(`${minutes} min`, seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return joined(`${hours} h`, minutes % 60, 'min');
  return joined(`${Math.floor(hours / 24)} days`, hours % 24, 'h');
}

/** Formats a time in a time zone (default: this machine's): `21 Nov 2026, 14:05 CET`. */
export function localTime(time: number | string, timeZone?: string): string {
  return new Date(time).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    ...(timeZone === undefined ? {} : { timeZone }),
  });
}

/**
 * Formats an estimated time. An estimate is accurate to a day if it is more than two days ahead, and is then shown as a
 * date: `21 Mar 2027`.
 */
export function estimatedTime(atMs: number, nowMs: number, timeZone?: string): string {
  const text = localTime(atMs, timeZone);
  return atMs - nowMs > 2 * DAY_MS ? text.replace(/,.*/, '') : text;
}

function joined(large: string, small: number, unit: string): string {
  return small === 0 ? large : `${large} ${small} ${unit}`;
}

/** Formats a size in decimal units: `813 bytes`, `4.2 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4);
  const value = bytes / 1000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${['', 'kB', 'MB', 'GB', 'TB'][power]}`;
}
