import type { Readable } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"

/** A terminal keeps at most 4096 bytes that nobody has read: that many lines, if they are empty. */
const mostLines = 4096

/** Returns whether stdin has ended: after Ctrl-D, or because it was read before. Readline would wait forever. */
export const hasEnded = (stdin: Readable): boolean => stdin.readableEnded || stdin.destroyed

/**
 * Discards the lines that were typed before now: they are no answer to a question that nobody has seen. Node cannot empty the terminal's buffer, so it
 * is read until it is empty; each turn of the event loop reads one line. A line without its end stays: the terminal does not pass it on yet.
 */
export const discardTyped = async (stdin: Readable): Promise<void> => {
  let isEmpty = false
  const drop = (): void => void (isEmpty = false)
  stdin.on("data", drop)
  stdin.resume()
  for (let lines = 0; !isEmpty && !hasEnded(stdin) && lines < mostLines; lines += 1) {
    isEmpty = true
    // What remains of the first turn may have no read in it.
    await nextTurn()
    await nextTurn()
  }
  stdin.off("data", drop)
  stdin.pause()
}
