import { createInterface } from "node:readline/promises"
import type { Interrupts } from "../host/interrupts.ts"
import { orInterrupted } from "../host/interrupts.ts"

interface Terminal {
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
}

/** Returns how to ask the person at the terminal; undefined unless stdin and stderr are terminals. Anything but `y` or `yes` is a no. */
export const confirmAtTerminal = (
  { stdin, stderr }: Terminal,
  interrupts: Interrupts,
): ((question: string) => Promise<boolean>) | undefined => {
  if (!stdin.isTTY || !stderr.isTTY) return undefined
  return async (question) => {
    // The terminal edits the line itself, so that Ctrl-C stays a signal.
    const lines = createInterface({ input: stdin, output: stderr, terminal: false })
    try {
      const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")))
      const answer = await orInterrupted(interrupts, Promise.race([lines.question(question), ended]))
      return /^\s*y(es)?\s*$/i.test(answer)
    } finally {
      lines.close()
    }
  }
}
