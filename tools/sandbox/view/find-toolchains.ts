import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Environment } from "../../../domain/environment.ts"
import { isInside } from "../../../domain/workspace/is-inside.ts"
import { versionManagers } from "./version-managers.ts"

/** A folder or file with toolchains. */
export interface Toolchain {
  /** The version manager, or `PATH`. */
  readonly name: string
  /** Absolute, and free of links. */
  readonly path: string
}

export interface Toolchains {
  readonly found: readonly Toolchain[]
  /** Variables by which programs find the folders, since their home directory is another one. */
  readonly env: Readonly<Record<string, string>>
}

/** Most programs of one folder of PATH whose links are followed. */
const maxPrograms = 2_000

const realPathOf = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const isThere = (path: string): boolean => realPathOf(path) !== undefined

/** Whether the folder above a `bin` is an installation, which works only as a whole: a virtual environment, Node, conda, a JDK, Go. */
const isInstallation = (prefix: string): boolean =>
  ["pyvenv.cfg", "conda-meta", "lib/node_modules", "include/node", "lib/modules", "pkg/tool", "lib/rustlib"].some(
    (name) => isThere(join(prefix, name)),
  ) ||
  (isThere(join(prefix, "lib")) && isThere(join(prefix, "include")))

/** Folders of a home directory that many programs share. They are never shown as a whole. */
const shared = ["", ".local", ".config", ".cache", ".local/share", ".local/state", ".local/lib"]

/** Returns what has to be visible so that a program works: its installation, or only itself. */
const aroundProgram = (program: string, home: string): string => {
  const prefix = dirname(dirname(program))
  const isShared = shared.some((name) => join(home, name) === prefix) || !isInside(home, prefix)
  return basename(dirname(program)) === "bin" && !isShared && isInstallation(prefix) ? prefix : program
}

const programsIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).slice(0, maxPrograms)
  } catch {
    return []
  }
}

/** Returns where the links of a folder of PATH lead to in the home directory. */
const linkedFrom = (folder: string, home: string): readonly string[] =>
  programsIn(folder).flatMap((name) => {
    const path = join(folder, name)
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return []
    const real = realPathOf(path)
    return real === undefined || !isInside(home, real) || isInside(folder, real) ? [] : [aroundProgram(real, home)]
  })

const onPath = (home: string, path: string): readonly Toolchain[] =>
  path.split(":").flatMap((entry) => {
    const real = entry.startsWith("/") ? realPathOf(entry) : undefined
    if (real === undefined || real === home || !isInside(home, real)) return []
    if (statSync(real, { throwIfNoEntry: false })?.isDirectory() !== true) return []
    const prefix = aroundProgram(join(real, "program"), home)
    const folder = prefix === join(real, "program") ? real : prefix
    return [folder, ...linkedFrom(real, home)].map((each) => ({ name: "PATH", path: each }))
  })

const ofManagers = (home: string, env: Environment): Toolchains => {
  const variables: Record<string, string> = {}
  const found = versionManagers.flatMap(({ name, variable, folders, parts }) => {
    const named = variable === undefined ? undefined : env[variable]
    const roots = [...(named?.startsWith("/") === true ? [named] : []), ...folders.map((folder) => join(home, folder))]
    return roots.flatMap((root) => {
      const real = realPathOf(root)
      // A folder outside of the home directory, such as one in /usr/local, is a matter of `security.sandbox.read`.
      if (real === undefined || real === home || !isInside(home, real)) return []
      const visible = (parts ?? [""]).flatMap((part) => realPathOf(join(real, part)) ?? [])
      if (visible.length > 0 && variable !== undefined) variables[variable] ??= real
      return visible.filter((path) => isInside(home, path) && path !== home).map((path) => ({ name, path }))
    })
  })
  return { found, env: variables }
}

/** Leaves out what is inside another one. */
const outermost = (all: readonly Toolchain[]): readonly Toolchain[] =>
  all.filter(
    ({ path }, index) => !all.some((other, at) => isInside(other.path, path) && (other.path !== path || at < index)),
  )

/** Finds the toolchains below a home directory: those that PATH names, and those of the usual version managers. */
export const findToolchains = (home: string, env: Environment): Toolchains => {
  const managed = ofManagers(home, env)
  return { ...managed, found: outermost([...managed.found, ...onPath(home, env["PATH"] ?? "")]) }
}
