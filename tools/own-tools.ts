import { applyPatchName, builtinToolNames, webFetchName } from "../domain/tools/tool-names.ts"
import { skill } from "./skill.ts"
import type { Tool } from "./tool.ts"
import { bash } from "./bash.ts"
import { edit, multiEdit } from "./files/edit.ts"
import { glob } from "./search/glob.ts"
import { grep } from "./search/grep.ts"
import { applyPatch } from "./patch/patch-tool.ts"
import { ls } from "./search/ls.ts"
import { read } from "./files/read.ts"
import { todoWrite } from "./todo-write.ts"
import { webFetch } from "./web/web-fetch.ts"
import { write } from "./files/write.ts"

const byName: Readonly<Record<(typeof builtinToolNames)[number], Tool>> = {
  LS: ls,
  Glob: glob,
  Grep: grep,
  Read: read,
  Write: write,
  Edit: edit,
  MultiEdit: multiEdit,
  [applyPatchName]: applyPatch,
  Bash: bash,
  [webFetchName]: webFetch,
  TodoWrite: todoWrite,
}

/** The tools that agents can have, in the order in which models see them. */
export const builtInTools: readonly Tool[] = builtinToolNames.map((name) => byName[name])

/** Returns the built-in tool with this name; names are case-sensitive. */
export const findTool = (name: string): Tool | undefined => builtInTools.find((tool) => tool.name === name)

/** The tools of this program: those of every run, and the one that only runs with skills have. */
export const ownTools: readonly Tool[] = [...builtInTools, skill]
