export interface SetUpTime {
  readonly name: string
  readonly ms: number
}

/** Global set-up and the reporter run in one process, but each vitest project loads modules of its own. */
const times: SetUpTime[] = ((globalThis as Record<symbol, SetUpTime[] | undefined>)[
  Symbol.for("adjutant.test.setups")
] ??= [])

/** Notes how long a global set-up of the tests took. */
export const timeSetUp = async <T>(name: string, setUp: () => Promise<T>): Promise<T> => {
  const startMs = performance.now()
  try {
    return await setUp()
  } finally {
    times.push({ name, ms: performance.now() - startMs })
  }
}

/** Returns the global set-ups of this run, in the order in which they ended. */
export const setUpTimes = (): readonly SetUpTime[] => times
