/** What is sent for one request, whole: made without side effects, delivered (or spoilt by a fault) afterwards. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonAnswer(body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, headers: { 'content-type': JSON_TYPE, ...headers }, body };
}
