/** Does the work end, with or without an error, within this time? The work itself continues. */
export async function endsWithin(delayMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), delayMs);
  });
  const ended = work.then(
    () => true,
    () => true,
  );
  const isInTime = await Promise.race([ended, late]);
  clearTimeout(timer);
  return isInTime;
}
