import { lsInputSchema } from "../../contracts/tool-input.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { confinePath, hiddenDirectories } from "../files/confined-path.ts"
import { directoryTree } from "./directory-tree.ts"
import { defineTool } from "../tool.ts"
import { answeringFailures } from "../tool-failure.ts"

const maxEntries = 500

export const ls = defineTool({
  name: "LS",
  description: `Lists a directory as a tree, directories first. Nothing is opened; links are shown and not followed.
- At most ${maxEntries} entries: near levels come first, and what was left out is marked. Give path to look deeper.
- .git and node_modules are shown and not opened, unless you name one as path.
- ignore takes glob patterns, as "dist" or "**/*.snap".
To find files by name use Glob; by content, Grep.`,
  input: lsInputSchema,
  idempotent: true,
  readOnly: true,
  quick: true,
  execute: answeringFailures(async (input, context) => {
    const path = await confinePath(input.path ?? ".", context, "search")
    const tree = await directoryTree(path, {
      ignore: [...(input.ignore ?? []), dataDirName],
      hidden: hiddenDirectories(context),
      maxEntries,
      signal: context.signal,
    })
    const title = `${path.real}/`
    return { content: tree === "" ? `${title} is empty.` : `${title}\n${tree}` }
  }),
})
