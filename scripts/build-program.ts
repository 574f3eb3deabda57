import { mkdir, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { type Plugin, rolldown } from "rolldown"
import { licencesOf } from "./page/licences.ts"

/**
 * Packages that become part of the program's files: JavaScript in many small modules, which take longer to load than to run. Every other package stays a
 * dependency, since it has native code, finds files of its own, or belongs to the engine's library.
 */
const inlinedPackages = ["commander", "kysely", "yaml", "zod"]

const isExternal = (specifier: string): boolean =>
  !/^[./]/.test(specifier) && !inlinedPackages.some((name) => specifier === name || specifier.startsWith(`${name}/`))

/** Everything that `adjutant run` loads while a service runs, in one file: a file takes longer to find and to link than to read. */
const programGroup = (folder: string) => {
  const starts = ["main.js", "commands/run/run.js", "host/open-service-host.js"].map((file) => path.join(folder, file))
  return { name: "program", test: (id: string) => starts.includes(id) }
}

/** Lets modules find the files next to them, although the program has their code in another folder. */
const keepOwnPlaces = (dist: string, folder: string): Plugin => ({
  name: "keep-own-places",
  transform(code, id) {
    if (!id.startsWith(dist + path.sep) || !/\bimport\.meta\.(url|dirname|filename)\b/.test(code)) return null
    const place = JSON.stringify(path.relative(folder, id).split(path.sep).join("/"))
    const header = [
      'import { dirname as parentOf } from "node:path"',
      'import { fileURLToPath as pathOf } from "node:url"',
      `const ownUrl = new URL(${place}, import.meta.url).href`,
      "const ownPath = pathOf(ownUrl)",
      "",
    ].join("\n")
    const own = code
      .replaceAll(/\bimport\.meta\.url\b/g, "ownUrl")
      .replaceAll(/\bimport\.meta\.dirname\b/g, "parentOf(ownPath)")
      .replaceAll(/\bimport\.meta\.filename\b/g, "ownPath")
    return { code: header + own }
  },
})

/**
 * Replaces the modules of `<dist>/cli` by the same program in fewer files, because each module that is loaded delays the start. What only another command
 * than `run` loads stays in files of its own. Returns the number of files.
 */
export const buildProgram = async (root: string, dist: string): Promise<number> => {
  const folder = path.join(dist, "cli")
  const bundle = await rolldown({
    input: path.join(folder, "main.js"),
    platform: "node",
    external: isExternal,
    plugins: [keepOwnPlaces(dist, folder)],
  })
  const { output } = await bundle.generate({
    format: "esm",
    chunkFileNames: "[name]-[hash].js",
    // A module of the group runs when it is imported, and not because it is in the same file as another one.
    strictExecutionOrder: true,
    codeSplitting: { groups: [programGroup(folder)] },
  })
  await bundle.close()
  await rm(folder, { recursive: true })
  await mkdir(folder)
  for (const file of output)
    await writeFile(path.join(folder, file.fileName), file.type === "chunk" ? file.code : file.source)
  await writeFile(
    path.join(folder, "LICENSES.txt"),
    await licencesOf(inlinedPackages.map((name) => path.join(root, "node_modules", name))),
  )
  return output.length
}
