import { z } from "zod"
import { createTally } from "../figures/tally.ts"
import type { Tool } from "../../tools/tool.ts"

/** The result of each call: 2 KB of text. */
export const pageBytes = 2048
const page = "The quick brown fox jumps over the lazy dog. ".repeat(46).slice(0, pageBytes)

const input = z.strictObject({ key: z.string() })

const lookup: Tool = {
  name: "Lookup",
  description: "Looks up a page.",
  input,
  idempotent: true,
  readOnly: true,
  quick: true,
  execute: async () => ({ content: page }),
}

/** The same tool, not marked as quick, so that each call is a separate activity. */
const fetchPage: Tool = { ...lookup, name: "FetchPage", quick: false }

/** Counts the calls of `Act` in this process. */
export const acts = createTally()

const act: Tool = {
  name: "Act",
  description: "Changes something.",
  input,
  idempotent: false,
  readOnly: false,
  async execute() {
    acts.add()
    return { content: "changed" }
  },
}

export const benchTools: readonly Tool[] = [lookup, fetchPage, act]
