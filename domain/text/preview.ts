import { startOf } from "./foreign/well-formed.ts"

/** Returns the first 256 characters of an answer or a result, for events and the engine's history. */
export const previewOf = (text: string): string => startOf(text, 256)

/** Returns the first 200 characters of a call's arguments, for the engine's UI. */
export const callPreview = (args: string): string => startOf(args, 200)
