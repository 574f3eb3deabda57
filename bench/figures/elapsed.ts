/** Returns the milliseconds that the work takes. */
export const elapsedMs = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
