// `npm run pack:client` writes adjutant-client-<version>.tgz: the client of a server over HTTP, without what only a worker needs. `-- <folder>` names where.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { rolldown } from "rolldown"
import { z } from "zod"
import { runCommand } from "./checks/run-command.ts"
import { copyDeclarations } from "./client-package/declarations.ts"

const root = path.resolve(import.meta.dirname, "..")
const entry = "client/remote/connect-server"

const manifestSchema = z.object({
  version: z.string(),
  license: z.string(),
  dependencies: z.record(z.string(), z.string()),
})

const require = async (command: readonly [string, ...string[]]): Promise<void> => {
  const code = await runCommand(command)
  if (code !== 0) throw new Error(`${command[0]} ended with exit code ${code}`)
}

/** Bundles the client's code into one file. Returns the packages that it needs. */
const bundle = async (dist: string, file: string): Promise<readonly string[]> => {
  const external = (specifier: string): boolean => !/^[./]/.test(specifier)
  const built = await rolldown({ input: path.join(dist, `${entry}.js`), platform: "node", external })
  const { output } = await built.write({ file, format: "esm", codeSplitting: false })
  await built.close()
  const imports = output.flatMap((chunk) => (chunk.type === "chunk" ? [...chunk.imports, ...chunk.dynamicImports] : []))
  return imports.filter((name) => !name.startsWith("node:"))
}

const folder = await mkdtemp(path.join(tmpdir(), "adjutant-client-"))
try {
  const [dist, target] = [path.join(folder, "dist"), path.join(folder, "package")]
  await mkdir(target)
  await require(["tsc", "-p", path.join(root, "tsconfig.build.json"), "--outDir", dist, "--incremental", "false"])
  const ofCode = await bundle(dist, path.join(target, "index.js"))
  const ofTypes = await copyDeclarations(dist, `${entry}.d.ts`, path.join(target, "types"))
  const manifest = manifestSchema.parse(JSON.parse(await readFile(path.join(root, "package.json"), "utf8")))
  const packages = [...new Set([...ofCode, ...ofTypes].map((name) => name.split("/")[0] ?? name))].toSorted()
  const unknown = packages.filter((name) => manifest.dependencies[name] === undefined)
  if (unknown.length > 0) throw new Error(`the client imports ${unknown.join(", ")}, which package.json does not name`)
  const { version, license, dependencies } = manifest
  const description = "Client of an Adjutant server: start, decide, wait, watch and list over HTTP."
  const client = {
    ...{ name: "adjutant-client", version, description, license, type: "module" },
    exports: { ".": { types: `./types/${entry}.d.ts`, default: "./index.js" } },
    dependencies: Object.fromEntries(packages.map((name) => [name, dependencies[name]])),
  }
  await writeFile(path.join(target, "package.json"), `${JSON.stringify(client, undefined, 2)}\n`)
  await cp(path.join(root, "LICENSE"), path.join(target, "LICENSE"))
  await require(["npm", "pack", target, "--pack-destination", path.resolve(process.argv[2] ?? root)])
} finally {
  await rm(folder, { recursive: true, force: true })
}
