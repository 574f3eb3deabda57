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

/** What cannot be a working directory, though a directory below it can. */
const reserved: readonly string[] = ["/", "/usr", "/usr/local", "/opt", "/run", "/var", "/var/lib", "/home"]

/** What cannot be one with all that is below. */
const reservedTrees = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc", "/sys", "/dev", "/boot"]

/** True for `/`, `/usr`, `/etc` and the like, which cannot be made writable without giving the machine away. */
export const isSystemDirectory = (path: string): boolean =>
  reserved.includes(path) ||
  reservedTrees.some((tree) => isInside(tree, path)) ||
  ["bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share"].some((name) => isInside(`/usr/${name}`, path))

/** Options that show the system read-only: links stay links, so that `/bin` and `/usr/bin` remain one. */
export const systemMounts = (): readonly string[] =>
  systemDirectories.flatMap((path) => {
    if (!existsSync(path)) return []
    return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path]
  })

/** Where the running Node is, so that scripts find it: its whole installation, or the program alone where that sits in no installation. */
export const nodePath = (execPath: string): string => {
  const real = realpathSync(execPath)
  const prefix = dirname(dirname(real))
  const isInstallation = existsSync(`${prefix}/include/node`) || existsSync(`${prefix}/lib/node_modules/npm`)
  return isInstallation && prefix.split("/").length > 2 ? prefix : real
}

/** The name server's configuration, often a link into a directory that is not shown. */
export const resolverPath = (): string | undefined => {
  const path = "/etc/resolv.conf"
  return existsSync(path) ? realpathSync(path) : undefined
}
