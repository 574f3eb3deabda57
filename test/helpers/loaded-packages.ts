import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"

/** Prints the packages that a process has loaded when it ends, and whether it has loaded `fetch`. */
const preload = `
import { registerHooks } from "node:module"
import { writeSync } from "node:fs"
const packages = new Set()
registerHooks({ load(url, context, next) {
  const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1]
  if (name !== undefined) packages.add(name)
  return next(url, context)
} })
process.on("exit", () => {
  if (process.moduleLoadList.some((name) => name.includes("deps/undici"))) packages.add("fetch")
  writeSync(2, "packages " + [...packages].toSorted().join(" ") + "\\n")
})
`

const program = path.resolve(import.meta.dirname, "../../cli/main.ts")

/** Runs a command of the sources in a folder. Returns what it printed, and the names of the packages that it loaded, in order. */
export const runForPackages = async (
  folder: string,
  command: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<{ readonly stdout: string; readonly packages: readonly string[] }> => {
  const file = path.join(folder, "preload.mjs")
  await writeFile(file, preload)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--import", file, program, ...command], {
    cwd: folder,
    env,
  })
  return { stdout, packages: /^packages (.*)$/m.exec(stderr)?.[1]?.split(" ") ?? [] }
}
