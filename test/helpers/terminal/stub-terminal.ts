import { Readable } from "node:stream"
import type { TerminalStreams } from "../../../cli/terminal/ask-at-terminal.ts"

type Streams = TerminalStreams & { readonly stdout: NodeJS.WriteStream }

export interface StubTerminal {
  readonly streams: Streams
  /** Types lines ahead of what asks for them. */
  type(...lines: readonly string[]): void
  /** Ctrl-D. */
  end(): void
  /** Does something once, when a text is written to stderr that contains this one. Before anything that was planned later. */
  at(question: string, react: () => void): void
}

/** Creates a terminal without a program behind it. As of a real one, one line can be read per turn of the event loop. */
export const stubTerminal = (): StubTerminal => {
  const typed: (string | null)[] = []
  const planned: { readonly question: string; readonly react: () => void }[] = []
  let isWanted = false
  const feed = (): void => {
    if (!isWanted || typed.length === 0) return
    isWanted = false
    setImmediate(() => stdin.push(typed.shift() ?? null))
  }
  const stdin = new Readable({
    read: () => {
      isWanted = true
      feed()
    },
  })
  const type = (...lines: readonly (string | null)[]): void => {
    typed.push(...lines)
    feed()
  }
  const sink = {
    isTTY: true,
    write: (text: string) => {
      const [next] = planned
      if (next === undefined || !text.includes(next.question)) return
      planned.shift()
      next.react()
    },
  }
  // Only what the command line uses of the streams of a process.
  const streams = { stdin: Object.assign(stdin, { isTTY: true }), stdout: sink, stderr: sink } as unknown as Streams
  return {
    streams,
    type: (...lines) => type(...lines.map((line) => `${line}\n`)),
    end: () => type(null),
    at: (question, react) => void planned.push({ question, react }),
  }
}
