import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { PendingToolCall } from "../../../contracts/approval/pause.ts"
import { editedTextOf, withEditedText } from "../../../domain/preview/edited-text.ts"
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

/** What the editor gets of a call, and how its file is read back. */
interface EditedFile {
  readonly name: string
  readonly content: string
  read(content: string): Arguments | undefined
}

const asJson = (call: PendingToolCall): EditedFile => ({
  name: "arguments.json",
  content: `${visible(JSON.stringify(call.arguments, null, 2))}\n`,
  read: (content) => {
    const value = parsed(content)
    return isRecord(value) ? { ...value } : undefined
  },
})

/** Returns the file name for the editor, which colours the language of the file that the call is about. */
const fileNameOf = ({ name, arguments: { file_path: file } }: PendingToolCall): string => {
  if (name === "Bash") return "command.sh"
  const extension = typeof file === "string" ? path.extname(file) : ""
  return `text${/^\.\w{1,20}$/.test(extension) ? extension : ".txt"}`
}

const fileOf = (call: PendingToolCall): EditedFile => {
  const edited = editedTextOf(call)
  if (edited === undefined) return asJson(call)
  return {
    name: fileNameOf(call),
    content: edited.text,
    read: (content) => ({ ...withEditedText(call.arguments, edited, content) }),
  }
}

/** Opens the text of a call, or else its arguments as JSON, in the person's editor. */
export const editArguments = async (person: Person, editor: string, call: PendingToolCall): Promise<Edited> => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "adjutant-edit-"))
  const { name, content, read } = fileOf(call)
  const file = path.join(folder, name)
  try {
    await writeFile(file, content, { mode: 0o600, flag: "wx" })
    const code = await person.run({ command: editor, args: [file] })
    if (code !== 0) {
      const problem = isNotStarted(code) ? "cannot be started" : "failed"
      return { problem: `the editor \`${editor}\` ${problem}; set VISUAL or EDITOR to another one` }
    }
    const edited = read(await readFile(file, "utf8"))
    if (edited === undefined) return { problem: "the file is not a JSON object with the arguments" }
    return isDeepStrictEqual(edited, call.arguments)
      ? { problem: "the arguments are unchanged" }
      : { arguments: edited }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
