import { styleText } from "node:util"
import type { Environment } from "../../domain/environment.ts"
import type { TextSink } from "./process-io.ts"

type Painter = (text: string) => string

/** Colours of a text. Each leaves the text as it is where colours are not wanted. */
export interface Paint {
  readonly bold: Painter
  readonly dim: Painter
  readonly red: Painter
  readonly green: Painter
  readonly yellow: Painter
  readonly cyan: Painter
}

const unchanged: Painter = (text) => text

export const noPaint: Paint = {
  bold: unchanged,
  dim: unchanged,
  red: unchanged,
  green: unchanged,
  yellow: unchanged,
  cyan: unchanged,
}

const styled =
  (style: Parameters<typeof styleText>[0]): Painter =>
  (text) =>
    text === "" ? "" : styleText(style, text, { validateStream: false })

const colours: Paint = {
  bold: styled("bold"),
  dim: styled("dim"),
  red: styled("red"),
  green: styled("green"),
  yellow: styled("yellow"),
  cyan: styled("cyan"),
}

/** Returns whether a stream is a terminal that understands control sequences. */
export const isTerminal = (sink: TextSink, env: Environment): boolean => sink.isTTY === true && env["TERM"] !== "dumb"

/** Returns the colours for a stream: none unless it is a terminal, and none if `NO_COLOR` is set to anything. */
export const paintFor = (sink: TextSink, env: Environment): Paint =>
  isTerminal(sink, env) && (env["NO_COLOR"] ?? "") === "" ? colours : noPaint
