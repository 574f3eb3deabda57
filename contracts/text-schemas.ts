import { z } from "zod"

/** A text of one line, without control characters. */
// eslint-disable-next-line no-control-regex
export const plainPattern = /^[^\u0000-\u001f\u007f]+$/

/** A text from a person to an agent. */
export const textSchema = z.string().min(1).max(1_000_000)

/** A date, or a time with its zone. */
export const timeSchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()])
