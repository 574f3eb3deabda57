import { execFileSync } from "node:child_process"
import { copyFileSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import path from "node:path"
import type { SourceFile } from "../structure/product-sources.ts"

/** Returns the files of a checkout that git tracks or would track, as far as they are in the work tree. */
const listFiles = (root: string): readonly string[] => {
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
  const listed = execFileSync("git", options, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })
  return listed.split("\0").filter((file) => file !== "" && existsSync(path.join(root, file)))
}

const copyFile = (from: string, to: string): void =>
  lstatSync(from).isFile() ? copyFileSync(from, to) : cpSync(from, to, { recursive: true, verbatimSymlinks: true })

/** Copies a checkout into an empty folder, with the installed packages linked. */
export const copyCheckout = (root: string, folder: string): void => {
  const files = listFiles(root)
  for (const parent of new Set(files.map((file) => path.dirname(file))))
    mkdirSync(path.join(folder, parent), { recursive: true })
  for (const file of files) copyFile(path.join(root, file), path.join(folder, file))
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"))
  cpSync(path.join(root, "web/dist"), path.join(folder, "web/dist"), { recursive: true })
}

/** Reads the files of a checkout that contain TypeScript. */
export const readSources = (root: string): readonly SourceFile[] =>
  listFiles(root)
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }))
