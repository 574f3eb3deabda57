import { spawn } from "node:child_process"
import { once } from "node:events"
import { cp, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../..")
const published = ["bin", "dist", "web", "package.json"]

/** The files of the package in a folder of their own, with the dependencies of the checkout. */
export interface InstalledProgram {
  readonly launcher: string
  remove(): Promise<void>
}

/** Builds the package, and lays it out as npm installs it. */
export const installProgram = async (): Promise<InstalledProgram> => {
  const build = spawn(process.execPath, [join(root, "scripts/build.ts")], { cwd: root, stdio: ["ignore", 2, 2] })
  const [code] = await once(build, "exit")
  if (code !== 0) throw new Error(`the build of the package ended with ${code}`)
  const folder = await mkdtemp(join(tmpdir(), "adjutant-bench-package-"))
  await Promise.all(published.map((name) => cp(join(root, name), join(folder, name), { recursive: true })))
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
  return {
    launcher: join(folder, "bin/adjutant.js"),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
