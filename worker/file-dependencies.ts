import { realpath } from "node:fs/promises"
import type { AgentDependencies } from "../activities/index.ts"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import type { Redact } from "../domain/text/redact.ts"
import { visible } from "../domain/text/visible.ts"
import { checkChange, hiddenDirectories, pathInside, protectedChange } from "../tools/files/confined-path.ts"
import { createDirectoryCheck } from "../tools/files/directory-problem.ts"
import { previewChanges, watchFile } from "../tools/preview/preview-change.ts"
import { unifiedDiff } from "../tools/preview/unified-diff.ts"
import { type NamingConfig, namedFiles } from "../tools/protection/named-files.ts"
import { toolDirectory } from "../domain/workspace/tool-directory.ts"

type FileDependencies = Pick<
  AgentDependencies,
  | "directoryProblem"
  | "hiddenDirectories"
  | "namedFiles"
  | "checkChange"
  | "protectedChange"
  | "pathInside"
  | "previews"
>

/** Returns what activities ask about the files of a session's working directory. */
export const fileDependencies = ({
  dataDir,
  configPath = null,
  config,
  redact,
}: {
  readonly dataDir: string
  readonly configPath?: string | null
  readonly config?: NamingConfig | undefined
  readonly redact: Redact
}): FileDependencies => {
  const placeOf = async (snapshot: RunSnapshot) => ({
    cwd: toolDirectory(snapshot),
    dataDir: await realpath(dataDir),
    namedFiles: namedFiles(snapshot, configPath, config),
  })
  return {
    directoryProblem: createDirectoryCheck(dataDir),
    hiddenDirectories: async (cwd) => hiddenDirectories({ cwd, dataDir: await realpath(dataDir) }),
    namedFiles: (snapshot) => namedFiles(snapshot, configPath, config),
    checkChange: async (snapshot, path) => checkChange(path, await placeOf(snapshot)),
    protectedChange: async (snapshot, path) => protectedChange(path, await placeOf(snapshot)),
    pathInside: (snapshot, path) => pathInside(path, toolDirectory(snapshot)),
    previews: {
      change: async (snapshot, changes, place) =>
        previewChanges(changes, { ...(await placeOf(snapshot)), ...place, redact }),
      watch: async (snapshot, path) => watchFile(path, await placeOf(snapshot)),
      diff: async (name, before, after) => {
        const diff = await unifiedDiff(name, redact(before), redact(after))
        return diff === undefined ? undefined : visible(diff.text)
      },
    },
  }
}
