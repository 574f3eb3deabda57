import { readdir, readFile } from "node:fs/promises"
import path from "node:path"

/** Returns the folders of the packages to which modules belong. */
export const packagesOf = (moduleIds: readonly string[]): readonly string[] => {
  const folders = moduleIds.flatMap((id) => {
    const found = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id)?.[1]
    return found === undefined ? [] : [found]
  })
  return [...new Set(folders)].toSorted()
}

const nameOf = (folder: string): string => folder.split(/[\\/]node_modules[\\/]/).at(-1) ?? folder

const licenceOf = async (folder: string): Promise<string> => {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name))
  if (file === undefined)
    throw new Error(`${folder} has no licence file: without its licence, the package must not be inlined`)
  return readFile(path.join(folder, file), "utf8")
}

/** Returns the licences of packages as one text. */
export const licencesOf = async (folders: readonly string[]): Promise<string> => {
  const texts = folders.map(async (folder) => `${nameOf(folder)}\n\n${await licenceOf(folder)}`)
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`)
}
