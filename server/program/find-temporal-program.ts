import { programCache } from "./program-cache.ts"
import { isExecutable, isRecentEnough, oldestServerVersion, programOnPath, serverVersionOf } from "./program-on-path.ts"
import type { ProgramSearch, TemporalProgram } from "./program-search.ts"

/** Returns the installed `temporal` program: from PATH, else from the cache; undefined if there is none. */
export const findTemporalProgram = async (search: ProgramSearch): Promise<TemporalProgram | undefined> => {
  const onPath = programOnPath("temporal", search.env)
  if (onPath !== undefined) {
    const version = await serverVersionOf(onPath, search.env)
    if (version !== undefined && isRecentEnough(version)) return { path: onPath, source: "path" }
    const what = version === undefined ? "does not report its version" : `has server ${version}`
    search.onProgress?.(`${onPath} ${what}; ${oldestServerVersion} or later is required; looking for another one`)
  }
  const program = programCache(search.env)?.program
  return program !== undefined && isExecutable(program) ? { path: program, source: "cache" } : undefined
}
