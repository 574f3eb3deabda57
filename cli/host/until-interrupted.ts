import type { Interrupts } from "./interrupts.ts"

/** Resolves on the first SIGINT or SIGTERM. Keeps the process alive until then. */
export const untilInterrupted = ({ signal }: Interrupts): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const alive = setInterval(() => undefined, 2 ** 30)
    signal.addEventListener(
      "abort",
      () => {
        clearInterval(alive)
        resolve()
      },
      { once: true },
    )
  })
