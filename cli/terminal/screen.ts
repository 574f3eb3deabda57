import type { Paint } from "./paint.ts"
import type { ProcessIo, TextSink } from "./process-io.ts"

/** The last line on stderr: an answer that grows, and below it a status. Whole lines that others write come before them. */
export interface Screen {
  /** Whether stdout and stderr are the same terminal, pipe or file. */
  readonly isShared: boolean
  /** Whether the last part left its line open, and nobody has written since. */
  isLineOpen(): boolean
  /** Writes a part of a line, which the next part continues. What others write comes on lines of its own. */
  writePart(text: string): void
  /** Ends the line that a part left open. */
  endLine(): void
  /** Shows a line that the next one replaces, below everything else; undefined removes it. Only for terminals. */
  setStatus(line: string | undefined): void
}

export interface SharedStreams {
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly screen: Screen
}

/** What a command reads and writes. Results go to `stdout`, everything else to `stderr`. */
export interface CliIo extends SharedStreams {
  readonly stdin: ProcessIo["stdin"]
  /** The colours of each stream. */
  readonly paint: { readonly stdout: Paint; readonly stderr: Paint }
}

const eraseLine = "\r\u001b[K"

/** Creates the streams of a command: a line that others write neither continues an open line nor destroys the status. */
export const shareScreen = ({ stdout, stderr, isOnePlace = false }: Omit<ProcessIo, "stdin">): SharedStreams => {
  let isOpen = false
  let status: string | undefined
  let isStatusShown = false
  const hideStatus = (): void => {
    if (isStatusShown) stderr.write(eraseLine)
    isStatusShown = false
  }
  const showStatus = (): void => {
    if (status === undefined || isOpen) return
    stderr.write(status)
    isStatusShown = true
  }
  const endLine = (): void => {
    if (isOpen) stderr.write("\n")
    isOpen = false
  }
  const sharedSink = (sink: TextSink): TextSink => ({
    get isTTY() {
      return sink.isTTY === true
    },
    get columns() {
      return sink.columns
    },
    get rows() {
      return sink.rows
    },
    write: (text) => {
      hideStatus()
      endLine()
      const written = sink.write(text)
      if (text.endsWith("\n")) showStatus()
      return written
    },
  })
  const screen: Screen = {
    isShared: isOnePlace,
    isLineOpen: () => isOpen,
    writePart: (text) => {
      if (text === "") return
      hideStatus()
      stderr.write(text)
      isOpen = !text.endsWith("\n")
      showStatus()
    },
    endLine: () => {
      endLine()
      if (!isStatusShown) showStatus()
    },
    setStatus: (line) => {
      status = line
      hideStatus()
      showStatus()
    },
  }
  return { stdout: isOnePlace ? sharedSink(stdout) : stdout, stderr: sharedSink(stderr), screen }
}
