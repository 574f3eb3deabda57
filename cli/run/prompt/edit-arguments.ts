import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { PendingToolCall } from "../../../contracts/approval/pause.ts"
import { editedTextsOf, withEditedTexts } from "../../../domain/preview/edited-text.ts"
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

interface EditedFile {
  readonly name: string
  readonly content: string
}

/** What the editor gets of a call, and how its files are read back, in the same order. */
interface EditedFiles {
  readonly files: readonly EditedFile[]
  read(contents: readonly string[]): Arguments | undefined
}

const asJson = (call: PendingToolCall): EditedFiles => ({
  files: [{ name: "arguments.json", content: `${visible(JSON.stringify(call.arguments, null, 2))}\n` }],
  read: ([content = ""]) => {
    const value = parsed(content)
    return isRecord(value) ? { ...value } : undefined
  },
})

/** Returns the file name for the editor, which colours the language of the file that the call is about. */
const fileNameOf = ({ name, arguments: { file_path: file } }: PendingToolCall, number: string): string => {
  if (name === "Bash") return "command.sh"
  const extension = typeof file === "string" ? path.extname(file) : ""
  return `text${number}${/^\.\w{1,20}$/.test(extension) ? extension : ".txt"}`
}

const filesOf = (call: PendingToolCall): EditedFiles => {
  const edited = editedTextsOf(call)
  if (edited.length === 0) return asJson(call)
  return {
    files: edited.map(({ text }, index) => ({
      name: fileNameOf(call, edited.length === 1 ? "" : `-${index + 1}`),
      content: text,
    })),
    read: (contents) => {
      const written = edited.map(({ path: place, text }, index) => ({ path: place, text: contents[index] ?? text }))
      return { ...withEditedTexts(call.arguments, written) }
    },
  }
}

/** Opens the texts of a call, each as a file, or else its arguments as JSON, in the person's editor. */
export const editArguments = async (person: Person, editor: string, call: PendingToolCall): Promise<Edited> => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "adjutant-edit-"))
  const { files, read } = filesOf(call)
  const paths = files.map(({ name }) => path.join(folder, name))
  try {
    for (const { name, content } of files)
      await writeFile(path.join(folder, name), content, { mode: 0o600, flag: "wx" })
    const code = await person.run({ command: editor, args: paths })
    if (code !== 0) {
      const problem = isNotStarted(code) ? "cannot be started" : "failed"
      return { problem: `the editor \`${editor}\` ${problem}; set VISUAL or EDITOR to another one` }
    }
    const edited = read(await Promise.all(paths.map((file) => readFile(file, "utf8"))))
    if (edited === undefined) return { problem: "the file is not a JSON object with the arguments" }
    return isDeepStrictEqual(edited, call.arguments)
      ? { problem: "the arguments are unchanged" }
      : { arguments: edited }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
