import { bash } from "./bash.ts"
import { edit } from "./edit.ts"
import { glob } from "./glob.ts"
import { grep } from "./grep.ts"
import { ls } from "./ls.ts"
import { multiEdit } from "./multi-edit.ts"
import { read } from "./read.ts"
import { todoWrite } from "./todo-write.ts"
import type { Tool } from "./tool.ts"
import { write } from "./write.ts"

/** The tools that every agent may be given, in the order in which models see them. */
export const builtInTools: readonly Tool[] = [ls, glob, grep, read, write, edit, multiEdit, bash, todoWrite]

/** The built-in tool of that name; names are case-sensitive. */
export const findTool = (name: string): Tool | undefined => builtInTools.find((tool) => tool.name === name)
