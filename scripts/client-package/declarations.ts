import { cp, mkdir, readFile } from "node:fs/promises"
import path from "node:path"

const imported = /\b(?:from|import)\s*\(?\s*"([^"]+)"/g

/**
 * Copies a declaration file with all that it imports. Returns the packages whose types they need.
 */
export const copyDeclarations = async (dist: string, entry: string, target: string): Promise<ReadonlySet<string>> => {
  const packages = new Set<string>()
  const copied = new Set<string>()
  const copy = async (file: string): Promise<void> => {
    if (copied.has(file)) return
    copied.add(file)
    const text = await readFile(path.join(dist, file), "utf8")
    await mkdir(path.join(target, path.dirname(file)), { recursive: true })
    await cp(path.join(dist, file), path.join(target, file))
    for (const [, specifier = ""] of text.matchAll(imported)) {
      if (specifier.startsWith(".")) await copy(path.join(path.dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")))
      else packages.add(specifier)
    }
  }
  await copy(entry)
  return packages
}
