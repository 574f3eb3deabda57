// Writes the pages of docs/reference from the schemas and tables of the sources: `node scripts/write-reference.ts`.
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { referencePages } from "./reference/reference-pages.ts"

const root = path.resolve(import.meta.dirname, "..")
for (const { file, text } of await referencePages()) {
  const target = path.join(root, file)
  await mkdir(path.dirname(target), { recursive: true })
  await writeFile(target, text)
  console.log(file)
}
