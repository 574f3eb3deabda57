import { lsInputSchema } from "../../contracts/tool-input.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { confinePath, hiddenDirectories } from "../files/confined-path.ts"
import { directoryTree } from "./directory-tree.ts"
import { runInThread } from "./run-in-thread.ts"
import { defineTool } from "../tool.ts"
import { answeringFailures } from "../tool-failure.ts"

const maxEntries = 500

export const ls = defineTool({
  name: "LS",
  description: `Lists a directory as a tree, directories first. Files are not opened; links are shown but not followed.
- Shows at most ${maxEntries} entries, upper levels first, and marks what was left out. Give path to list a deeper directory.
- The entries of .git and node_modules are not shown unless you name one as path.
- ignore is a list of glob patterns, for example "dist" or "**/*.snap".
To find files by name, use Glob; by content, use Grep.`,
  input: lsInputSchema,
  idempotent: true,
  readOnly: true,
  quick: true,
  execute: answeringFailures(async (input, context) => {
    const path = await confinePath(input.path ?? ".", context, "search")
    const patterns = input.ignore ?? []
    const options = { ignore: [...patterns, dataDirName], hidden: hiddenDirectories(context), maxEntries }
    const tree =
      patterns.length === 0
        ? await directoryTree(path, options, context.signal)
        : await runInThread({ kind: "tree", root: path, ...options }, context)
    const title = `${path.real}/`
    return { content: tree === "" ? `${title} is empty.` : `${title}\n${tree}` }
  }),
})
