/** What the current test file has to give back at its end: servers, folders, databases. */
export const givingBack: (() => Promise<unknown>)[] = [];

/** All of it, even if something fails. */
export async function giveBack(): Promise<void> {
  const outcomes = await Promise.allSettled(givingBack.splice(0).map((one) => one()));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}
