import { execFile } from "node:child_process"
import { cp, mkdir, readFile, symlink } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"

/** Returns the files of a checkout that git tracks or would track, as they are in the work tree. */
const listFiles = async (root: string): Promise<readonly string[]> => {
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
  const { stdout } = await promisify(execFile)("git", options, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  return stdout.split("\0").filter((file) => file !== "")
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

/** Copies a checkout into an empty folder, with the installed packages linked. A file that is deleted in the work tree is left out. */
export const copyCheckout = async (root: string, folder: string): Promise<void> => {
  const files = await listFiles(root)
  for (const parent of new Set(files.map((file) => path.dirname(file))))
    await mkdir(path.join(folder, parent), { recursive: true })
  for (const file of files) {
    try {
      await cp(path.join(root, file), path.join(folder, file), { verbatimSymlinks: true })
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"))
  await cp(path.join(root, "web/dist"), path.join(folder, "web/dist"), { recursive: true })
}

/** Reads the texts of the files of a checkout that contain TypeScript. */
export const readSources = async (root: string): Promise<readonly { file: string; text: string }[]> => {
  const files = (await listFiles(root)).filter((file) => /\.tsx?$/.test(file))
  const sources = files.map(async (file) => {
    try {
      return [{ file, text: await readFile(path.join(root, file), "utf8") }]
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  })
  return (await Promise.all(sources)).flat()
}
