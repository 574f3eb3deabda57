/** Some systems count the processor time of a thread in ticks of up to 16 ms. In microseconds. */
const clockTick = 16_000
const rounds = 5
const parts = 10

const microsecondsOf = (work: () => void): number => {
  const start = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(start)
  return user + system
}

/**
 * Returns how many times as long work takes for one input of a size as for ten inputs of a tenth of it: about 1 if the time is linear in the size, about 10 if
 * it is quadratic. Both alternate, only the processor time of this thread counts, and of all rounds the one in which the machine disturbed least: work that
 * is quadratic is so in every round.
 */
export const growthOf = <Input>(
  inputOf: (size: number) => Input,
  work: (input: Input) => void,
  size: number,
): number => {
  const [long, short] = [inputOf(size), inputOf(size / parts)]
  const workOnParts = (): void => {
    for (let part = 0; part < parts; part += 1) work(short)
  }
  // The first calls are slower: the code is compiled.
  workOnParts()
  const growths = Array.from({ length: rounds }, () => {
    const before = microsecondsOf(workOnParts)
    return (microsecondsOf(() => work(long)) - clockTick) / Math.max(1_000, before)
  })
  return Math.min(...growths)
}

/** More than noise makes of linear work, and less than quadratic work has. */
export const mostGrowth = 4
