import type { Readable } from "node:stream"

/** Returns whether nothing more can be typed: after Ctrl-D, or when everything has been read for another purpose. Readline would wait for ever. */
export const hasEnded = (stdin: Readable): boolean => stdin.readableEnded || stdin.destroyed
