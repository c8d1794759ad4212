/** Returns whether the work ends in time, with or without an error. Late work is not stopped. */
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
