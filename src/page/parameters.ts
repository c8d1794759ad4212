import { DateTime } from 'luxon';
import { UsageError } from '../errors.ts';

/** Thrown if a value in a page's URL cannot be read. */
export class ParameterError extends UsageError {}

/**
 * The parameters of a page's URL. An absent or empty parameter is null, or '' if it is text.
 *
 * @throws ParameterError if a value cannot be read.
 */
export class Parameters {
  readonly #given: URLSearchParams;

  constructor(given: URLSearchParams) {
    this.#given = given;
  }

  text(name: string): string {
    return (this.#given.get(name) ?? '').trim().slice(0, MAX_CHARACTERS);
  }

  integer(name: string): number | null {
    const isValid = (text: string) => /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
    return this.#read(name, 'a whole number', (text) => (isValid(text) ? Number(text) : null));
  }

  oneOf<V extends string>(name: string, values: readonly V[]): V | null {
    return this.#read(name, values.join(', '), (text) => values.find((one) => one === text) ?? null);
  }

  /** Reads a date or a time as epoch milliseconds. It is UTC unless it has a zone. */
  time(name: string): number | null {
    return this.#read(name, 'a date such as 2026-01-31', (text) => {
      const time = DateTime.fromISO(text, { zone: 'utc' });
      return time.isValid ? time.toMillis() : null;
    });
  }

  #read<V>(name: string, expected: string, read: (text: string) => V | null): V | null {
    const text = this.text(name);
    if (text === '') return null;
    const value = read(text);
    if (value !== null) return value;
    throw new ParameterError(`This page cannot read ${name}=${text}. Expected: ${expected}.`);
  }
}

const MAX_CHARACTERS = 200;
