import type { EventEmitter } from "node:events"
import { type ExitCode, exitCodeOfSignal, type InterruptSignal } from "./exit-code.ts"

/** The error with which work rejects that a signal interrupted. */
export class Interrupted extends Error {
  constructor(signal: InterruptSignal) {
    super(`interrupted by ${signal}`)
    this.name = "Interrupted"
  }
}

/** The first SIGHUP, SIGINT or SIGTERM requests an orderly end; a second SIGINT or SIGTERM ends the process at once. */
export interface Interrupts {
  /** Fires on the first signal, with an `Interrupted`. */
  readonly signal: AbortSignal
  received(): InterruptSignal | undefined
  /**
   * Ignores SIGINT and SIGQUIT until shortly after the returned function is called: Ctrl-C is for another program, but the terminal sends it to this one
   * as well.
   */
  suspend(): () => void
  dispose(): void
}

export interface InterruptOptions {
  readonly exit: (code: ExitCode) => void
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /**
   * A process group gets one Ctrl-C twice: from the terminal, and from the launcher or npm, which forward it. A signal within this time of the first one, of
   * an ignored one or of the end of a suspension is such an echo.
   */
  readonly echoMs: number
  /** False: the process outlives the terminal. Default true. */
  readonly hangsUp?: boolean
}

const interruptSignals: readonly InterruptSignal[] = ["SIGHUP", "SIGINT", "SIGTERM"]

const ignore = (): void => undefined

export const listenForInterrupts = (source: EventEmitter, options: InterruptOptions): Interrupts => {
  const controller = new AbortController()
  let first: { readonly name: InterruptSignal; readonly atMs: number } | undefined
  let isSuspended = false
  let ignoredAtMs = Number.NEGATIVE_INFINITY
  const isIgnored = (name: InterruptSignal): boolean => {
    if (name !== "SIGINT") return false
    if (isSuspended) ignoredAtMs = options.now()
    return isSuspended || options.now() - ignoredAtMs < options.echoMs
  }
  const listeners = interruptSignals.map((name) => {
    const listener = () => {
      if (isIgnored(name)) return
      if (name === "SIGHUP" && options.hangsUp === false) return
      if (first === undefined) {
        first = { name, atMs: options.now() }
        controller.abort(new Interrupted(name))
      } else if (name !== "SIGHUP" && options.now() - first.atMs >= options.echoMs) {
        options.exit(exitCodeOfSignal(name))
      }
    }
    source.on(name, listener)
    return [name, listener] as const
  })
  return {
    signal: controller.signal,
    received: () => first?.name,
    suspend: () => {
      isSuspended = true
      source.on("SIGQUIT", ignore)
      return () => {
        isSuspended = false
        // The signal that ended the other program can arrive here a moment later.
        ignoredAtMs = options.now()
        source.off("SIGQUIT", ignore)
      }
    },
    dispose: () => listeners.forEach(([name, listener]) => source.off(name, listener)),
  }
}

/** Returns the result of the promise, or rejects with `Interrupted` if a signal comes first. The promise itself is not cancelled. */
export const orInterrupted = <T>({ signal, received }: Interrupts, promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined)
  return new Promise<T>((resolve, reject) => {
    const interrupt = () => reject(new Interrupted(received() ?? "SIGTERM"))
    if (signal.aborted) return interrupt()
    signal.addEventListener("abort", interrupt, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", interrupt))
  })
}

/** Resolves on the first signal. Keeps the process alive until then. */
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
