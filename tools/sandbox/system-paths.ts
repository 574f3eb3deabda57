import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs"
import { dirname } from "node:path"
import { isInside } from "../../domain/workspace/is-inside.ts"

/** Directories of the system that programs need, shown read-only. */
export const systemDirectories = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/opt",
] as const

/** Directories that cannot be a working directory, although directories below them can. */
const reserved: readonly string[] = ["/", "/usr", "/usr/local", "/opt", "/run", "/var", "/var/lib", "/home"]

/** Directories that cannot be a working directory, including everything below them. */
const reservedTrees = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc", "/sys", "/dev", "/boot"]

/** Checks whether a path is a directory such as `/`, `/usr` or `/etc`, which would give control of the machine if it were writable. */
export const isSystemDirectory = (path: string): boolean =>
  reserved.includes(path) ||
  reservedTrees.some((tree) => isInside(tree, path)) ||
  ["bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share"].some((name) => isInside(`/usr/${name}`, path))

/** Returns options that show the system read-only. Links stay links, so that `/bin` and `/usr/bin` remain the same directory. */
export const systemMounts = (): readonly string[] =>
  systemDirectories.flatMap((path) => {
    if (!existsSync(path)) return []
    return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path]
  })

/** Returns the path of the running Node, so that scripts find it: its installation, or only the program if it is not part of one. */
export const nodePath = (execPath: string): string => {
  const real = realpathSync(execPath)
  const prefix = dirname(dirname(real))
  const isInstallation = existsSync(`${prefix}/include/node`) || existsSync(`${prefix}/lib/node_modules/npm`)
  return isInstallation && prefix.split("/").length > 2 ? prefix : real
}

/** Returns the real path of the name server's configuration, which is often a link into a directory that is not shown. */
export const resolverPath = (): string | undefined => {
  const path = "/etc/resolv.conf"
  return existsSync(path) ? realpathSync(path) : undefined
}
