import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { PendingToolCall } from "../../../contracts/approval/pause.ts"
import { isRecord } from "../../../domain/text/is-record.ts"
import { visible } from "../../../domain/text/visible.ts"
import { isNotStarted, type Person } from "../../terminal/person.ts"

type Arguments = PendingToolCall["arguments"]

/** The result of an edit: new arguments, or why there are none. */
export type Edited = { readonly arguments: Arguments } | { readonly problem: string }

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Opens the arguments of a call as JSON in the person's editor. */
export const editArguments = async (person: Person, editor: string, call: PendingToolCall): Promise<Edited> => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "adjutant-edit-"))
  const file = path.join(folder, "arguments.json")
  try {
    await writeFile(file, `${visible(JSON.stringify(call.arguments, null, 2))}\n`, { mode: 0o600, flag: "wx" })
    const code = await person.run({ command: editor, args: [file] })
    if (code !== 0) {
      const problem = isNotStarted(code) ? "cannot be started" : "failed"
      return { problem: `the editor \`${editor}\` ${problem}; set VISUAL or EDITOR to another one` }
    }
    const edited = parsed(await readFile(file, "utf8"))
    if (!isRecord(edited)) return { problem: "the file is not a JSON object with the arguments" }
    return isDeepStrictEqual(edited, call.arguments)
      ? { problem: "the arguments are unchanged" }
      : { arguments: { ...edited } }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
