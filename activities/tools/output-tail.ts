import { type Redact, redactedTail } from "../../domain/text/redact.ts"
import type { OutputWatcher, ToolContext } from "../../tools/tool.ts"

const showEveryMs = 1_000
const shownCharacters = 1_000
/** Far more than is shown: a secret of which only the end is kept is not recognized. */
const keptBytes = 32 * shownCharacters

/** Shows the last output of a command while it runs, without secrets. The end of each burst is shown, too. */
export const createOutputTail = (show: NonNullable<ToolContext["progress"]>, redact: Redact): OutputWatcher => {
  let bytes = 0
  let tail = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  return {
    add(chunk: Buffer) {
      if (isStopped) return
      bytes += chunk.length
      tail = Buffer.concat([tail, chunk]).subarray(-keptBytes)
      timer ??= setTimeout(() => {
        timer = undefined
        show({ progress: bytes, message: redactedTail(tail.toString("utf8"), shownCharacters, redact) })
      }, showEveryMs)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
