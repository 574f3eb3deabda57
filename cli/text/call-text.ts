import { callSummary } from "../../domain/preview/argument-preview.ts"
import { oneLine } from "../terminal/plain-text.ts"

/** Returns the name of a call and its main argument on one line: `Read README.md`. */
export const callHeadline = (name: string, args: Readonly<Record<string, unknown>> | null | undefined): string =>
  oneLine(callSummary({ name, arguments: args ?? {} }), 100)
