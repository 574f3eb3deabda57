import { Interrupted, type Interrupts } from "./interrupts.ts"

/** The promise's result, unless a signal comes first: then rejects with `Interrupted`. The promise itself is not cancelled. */
export const orInterrupted = <T>({ signal, received }: Interrupts, promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined)
  return new Promise<T>((resolve, reject) => {
    const interrupt = () => reject(new Interrupted(received() ?? "SIGTERM"))
    if (signal.aborted) return interrupt()
    signal.addEventListener("abort", interrupt, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", interrupt))
  })
}
