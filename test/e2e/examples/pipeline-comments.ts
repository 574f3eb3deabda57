import { readFile } from "node:fs/promises"
import path from "node:path"
import { parse } from "yaml"
import { root } from "./pipeline.ts"

export const exampleOf = async (name: string): Promise<unknown> =>
  parse(await readFile(path.join(root, "examples/ci", name), "utf8"), { merge: true })

export const commented = (body: string, association = "MEMBER", more: object = {}) => ({
  github: {
    event_name: "issue_comment",
    run_id: "4712",
    event: { issue: { number: 7 }, comment: { body, author_association: association } },
  },
  secrets: {},
  vars: {},
  ...more,
})

/** Returns the comment with this command that the job asks for. */
export const commandIn = (text: string | undefined, command = "approve"): string =>
  new RegExp(`^ {4}(/${command} \\S+)`, "m").exec(text ?? "")?.[1] ?? "none"

export const call = (name: string, args: object) => ({ reply: { tool_calls: [{ name, arguments: args }] } })

export const finish = (result: string) => call("finish", { result })

export const asking = {
  when: { user: "^ask" },
  turns: [{ reply: { text: "Which version?" } }, finish(String.raw`{{user:([\s\S]*)}}`)],
}
