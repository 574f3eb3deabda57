import type { TextSink } from "../terminal/process-io.ts"

/** Prints numbered steps with indented details. */
export interface Narrator {
  step(text: string): void
  detail(text: string): void
  /** A sink whose text is indented as well. */
  readonly details: TextSink
}

const indent = "     "

export const createNarrator = (sink: TextSink): Narrator => {
  let steps = 0
  let atLineStart = true
  const write = (text: string): void => {
    for (const piece of text.split(/(?<=\n)/)) {
      sink.write(atLineStart && piece !== "\n" ? indent + piece : piece)
      atLineStart = piece.endsWith("\n")
    }
  }
  return {
    step: (text) => {
      steps += 1
      sink.write(`${atLineStart ? "" : "\n"}\n${String(steps).padStart(2)}. ${text}\n`)
      atLineStart = true
    },
    detail: (text) => write(`${atLineStart ? "" : "\n"}${text}\n`),
    details: { write },
  }
}
