import { spawnSync } from "node:child_process"
import { chmod, chown, copyFile, mkdir, readdir } from "node:fs/promises"
import path from "node:path"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { launcher } from "../cli/program.ts"

/** Users without an entry in the system's list. */
export const strangers = [54_321, 54_322] as const

/** Runs a command as a user. */
export const asUser = (user: number): readonly [string, ...string[]] => [
  "setpriv",
  `--reuid=${user}`,
  `--regid=${user}`,
  "--clear-groups",
]

export const asStranger = asUser(strangers[0])

/** Returns whether Adjutant starts behind these words. */
export const works = ([program = "", ...argv]: readonly string[]): boolean =>
  spawnSync(program, [...argv, process.execPath, launcher, "--version"]).status === 0

export const needsStranger = { name: "setpriv as root", isAvailable: works(asStranger) }

/** Copies the Temporal program to a folder, since another user cannot open the cache of this one. */
export const copyTemporal = async (folder: string): Promise<void> => {
  const { path: temporal } = await ensureTemporalProgram({ env: process.env })
  await mkdir(folder, { recursive: true })
  await copyFile(temporal, path.join(folder, "temporal"))
}

/** Makes a folder and everything in it a user's, and nobody else's. */
export const giveToStranger = async (folder: string, user: number = strangers[0]): Promise<void> => {
  const entries = await readdir(folder, { recursive: true })
  for (const each of [folder, ...entries.map((entry) => path.join(folder, entry))]) await chown(each, user, user)
  await chmod(folder, 0o700)
}
