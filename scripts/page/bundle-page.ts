import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import path from "node:path"
import { rolldown } from "rolldown"
import { glob } from "tinyglobby"
import { licencesOf, packagesOf } from "./licences.ts"

/** Returns the sheets of the page as one, in the order of their names. */
const styleOf = async (web: string): Promise<string> => {
  const sheets = (await glob("style/*.css", { cwd: web })).toSorted()
  return (await Promise.all(sheets.map((sheet) => readFile(path.join(web, sheet), "utf8")))).join("\n")
}

/** Puts a file into its place at once, so that a server that starts in the meantime reads the old one or the new one. */
const place = async (file: string, content: string | Buffer): Promise<void> => {
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, content)
  await rename(unfinished, file)
}

/**
 * Builds the web page from `web/` into `web/dist`: one script, one style sheet, and the licences of the packages in the script. Returns the script.
 */
export const bundlePage = async (root: string): Promise<string> => {
  const web = path.join(root, "web")
  const dist = path.join(web, "dist")
  const bundle = await rolldown({
    input: path.join(web, "main.tsx"),
    platform: "browser",
    tsconfig: path.join(web, "tsconfig.json"),
  })
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false })
  await bundle.close()
  const [script, ...others] = output
  if (others.length > 0)
    throw new Error(`the page became several files: ${output.map((file) => file.fileName).join(", ")}`)
  await mkdir(dist, { recursive: true })
  await place(path.join(dist, "app.js"), script.code)
  await place(path.join(dist, "style.css"), await styleOf(web))
  await place(path.join(dist, "LICENSES.txt"), await licencesOf(packagesOf(script.moduleIds)))
  for (const file of ["icon.svg", "index.html"])
    await place(path.join(dist, file), await readFile(path.join(web, file)))
  return script.code
}
