/**
 * Deletion needs proof. A 404 for a known company counts only when it looks like the 404 that an id gets
 * which never existed, and another known company answers after it in the same run: else a moved path or a
 * failing upstream would delete a country. An answer from before the 404 proves nothing, for a path can move
 * in the middle of a run.
 */
export interface Evidence {
  /** The shape of the 404 for an id that was never known; null: not learned yet. */
  readonly absentShape: string | null;
  /** When the latest call was sent in this run that a known company answered, ISO 8601; null: none did. */
  readonly answeredAt: string | null;
}

export interface Missing {
  readonly shape: string;
  /** When the call was sent that got the 404. */
  readonly missingAt: string;
}

export function isProven({ shape, missingAt }: Missing, { absentShape, answeredAt }: Evidence): boolean {
  // A company that answered after its own 404 is not missing any more: whoever answered is another one.
  return shape === absentShape && answeredAt !== null && answeredAt > missingAt;
}
