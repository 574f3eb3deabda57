import type { Interrupts } from "../host/interrupts.ts"
import { askAtTerminal, type TerminalStreams } from "../terminal/ask-at-terminal.ts"

/** Returns how to ask the person at the terminal; undefined unless stdin and stderr are terminals. Anything but `y` or `yes` is a no. */
export const confirmAtTerminal = (
  terminal: TerminalStreams,
  interrupts: Interrupts,
): ((question: string) => Promise<boolean>) | undefined => {
  if (!terminal.stdin.isTTY || !terminal.stderr.isTTY) return undefined
  return async (question) => {
    const answer = await askAtTerminal(terminal, interrupts, question)
    return /^\s*y(es)?\s*$/i.test(answer ?? "")
  }
}
