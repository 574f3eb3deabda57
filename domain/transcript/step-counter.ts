/**
 * Returns a function that numbers the steps of a session over all its runs. It is given the run and the step of each answer, in the order of the
 * transcript: an answer that continues another one is of the same step.
 */
export const stepCounter = (): ((runId: string, step: number) => number) => {
  const numbers = new Map<string, number>()
  return (runId, step) => {
    const key = `${runId} ${step}`
    const number = numbers.get(key) ?? numbers.size + 1
    numbers.set(key, number)
    return number
  }
}
