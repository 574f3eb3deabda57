import { readdir, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stateFolder } from "../../config/data-dir/state-folder.ts"

/** Returns the projects in the temporary folder whose data directories were created in the developer's home since a time. */
const strayProjects = async (sinceMs: number): Promise<readonly string[]> => {
  const folder = stateFolder({ HOME: process.env["HOME"] }) ?? ""
  const strays: string[] = []
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name, "project.json")
    const record = await readFile(file, "utf8").catch(() => "")
    if (record.includes(`"${tmpdir()}/`) && (await stat(file)).birthtimeMs >= sinceMs) strays.push(record)
  }
  return strays
}

/** The data directories of projects that name none are in a folder of the run, which `vitest.config.ts` names: never in the developer's home. */
export default () => {
  const startedMs = Date.now()
  return async (): Promise<void> => {
    const own = process.env["XDG_STATE_HOME"] ?? ""
    await rm(own, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    const strays = await strayProjects(startedMs)
    if (strays.length > 0) throw new Error(`tests wrote to the developer's own state: ${strays.join("")}`)
  }
}
