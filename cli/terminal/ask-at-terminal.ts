import { createInterface } from "node:readline/promises"
import { type Interrupts, orInterrupted } from "./interrupts.ts"
import { discardTyped, hasEnded } from "./terminal-input.ts"

export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
}

/**
 * Asks the person at the terminal a question and returns the line that is typed; undefined if the input ends or has ended. Rejects with `Interrupted` on a signal.
 * The terminal edits the line itself, so that Ctrl-C stays a signal.
 */
export const askAtTerminal = async (
  { stdin, stderr }: TerminalStreams,
  interrupts: Interrupts,
  question: string,
): Promise<string | undefined> => {
  if (hasEnded(stdin)) return undefined
  const lines = createInterface({ input: stdin, output: stderr, terminal: false })
  try {
    const ended = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)))
    return await orInterrupted(interrupts, Promise.race([lines.question(question), ended]))
  } finally {
    lines.close()
  }
}

/** Returns how to ask the person at the terminal; undefined unless stdin and stderr are terminals. Anything but `y` or `yes` is a no. */
export const confirmAtTerminal = (
  terminal: TerminalStreams,
  interrupts: Interrupts,
): ((question: string) => Promise<boolean>) | undefined => {
  if (!terminal.stdin.isTTY || !terminal.stderr.isTTY) return undefined
  return async (question) => {
    await discardTyped(terminal.stdin)
    const answer = await askAtTerminal(terminal, interrupts, question)
    return /^\s*y(es)?\s*$/i.test(answer ?? "")
  }
}
