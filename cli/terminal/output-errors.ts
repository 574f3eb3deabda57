import type { EventEmitter } from "node:events"

interface Output extends EventEmitter {
  write(text: string): unknown
}

export interface OutputErrors {
  /** Whether a part of the results could not be written. */
  isIncomplete(): boolean
}

/**
 * Catches errors of the output streams, which would end the process while its tasks and servers work. A closed pipe (`| head`) is ignored: the reader has
 * seen enough. Others are reported on stderr; errors of stderr itself are not.
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
