import type { EventEmitter } from "node:events"

interface Output extends EventEmitter {
  write(text: string): unknown
}

export interface OutputErrors {
  /** Whether a part of the results could not be written. */
  isIncomplete(): boolean
}

/**
 * Keeps what cannot be written from ending the process: its tasks and servers continue. A reader of the results that has closed its end (`| head`) has seen
 * enough; any other error is reported. Errors on stderr cannot be reported anywhere.
 */
export const catchOutputErrors = ({
  stdout,
  stderr,
}: {
  readonly stdout: Output
  readonly stderr: Output
}): OutputErrors => {
  let isIncomplete = false
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || isIncomplete) return
    isIncomplete = true
    stderr.write(
      `adjutant: the output is incomplete: standard output cannot be written (${error.code ?? error.message})\n`,
    )
  })
  stderr.on("error", () => undefined)
  return { isIncomplete: () => isIncomplete }
}
