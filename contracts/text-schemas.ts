import { z } from "zod"

/** A text of one line, without control characters. */
// eslint-disable-next-line no-control-regex
export const plainPattern = /^[^\u0000-\u001f\u007f]+$/

/** A text that says something to an agent: not only white space. */
export const saidSchema = z
  .string()
  .min(1, { abort: true })
  .refine((text) => text.trim() !== "", "must not be empty")

/** A text that a person or a program sends to an agent. */
export const textSchema = saidSchema.max(1_000_000)

/** A date, or a time with its zone. */
export const timeSchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()])
