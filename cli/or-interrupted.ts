import type { Interrupts } from "./interrupts.ts"

/** The promise's result, unless a signal comes first: then rejects with the interrupt's reason. The promise itself goes on. */
export const orInterrupted = <T>({ signal }: Interrupts, promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined)
  return new Promise<T>((resolve, reject) => {
    const interrupt = () => reject(signal.reason)
    if (signal.aborted) return interrupt()
    signal.addEventListener("abort", interrupt, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", interrupt))
  })
}
