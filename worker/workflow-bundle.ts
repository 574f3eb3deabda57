import { createHash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleWorkflowCode, type WorkflowBundleOption } from "@temporalio/worker"

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"
const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const layers = ["contracts", "domain", "workflows"]

/** Path of the module that both the bundle and the worker's own thread convert payloads with. */
export const payloadConverterPath = join(root, "workflows", `payload-converter.${extension}`)

const quiet = () => undefined
const silentLogger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet }

/** Bundles the workflows. Answers the code. */
export const buildWorkflowBundle = async (): Promise<string> => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, "workflows", `index.${extension}`),
    payloadConverterPath,
    logger: silentLogger,
  })
  return code
}

const cacheFolder = (env: NodeJS.ProcessEnv): string =>
  join(env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "adjutant", "workflow-bundles")

const sourceFiles = async (): Promise<readonly string[]> => {
  const lists = await Promise.all(
    layers.map(async (layer) => {
      const names = await readdir(join(root, layer), { recursive: true })
      return names.filter((name) => name.endsWith(`.${extension}`)).map((name) => join(root, layer, name))
    }),
  )
  return lists.flat().toSorted()
}

/** Hash of everything that the bundle is made of: our sources, and the engine's version. */
const contentHash = async (): Promise<string> => {
  const hash = createHash("sha256").update(await workerVersion())
  const files = await sourceFiles()
  const texts = await Promise.all(files.map((file) => readFile(file)))
  for (const [index, file] of files.entries()) hash.update(file.slice(root.length)).update(texts[index] ?? "")
  return hash.digest("hex").slice(0, 32)
}

const workerVersion = async (): Promise<string> => {
  const main = fileURLToPath(import.meta.resolve("@temporalio/worker"))
  return readFile(join(dirname(dirname(main)), "package.json"), "utf8")
}

const writeAtomically = async (file: string, code: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomBytes(4).toString("hex")}`
  try {
    await writeFile(draft, code)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

let loaded: Promise<WorkflowBundleOption> | undefined

const load = async (env: NodeJS.ProcessEnv): Promise<WorkflowBundleOption> => {
  const shipped = join(root, "workflow-bundle.cjs")
  if (extension === "js" && existsSync(shipped)) return { codePath: shipped }
  const cached = join(cacheFolder(env), `${await contentHash()}.js`)
  if (existsSync(cached)) return { codePath: cached }
  const code = await buildWorkflowBundle()
  try {
    await writeAtomically(cached, code)
  } catch {
    return { code }
  }
  return { codePath: cached }
}

/** The bundle that ships with the package, or the one built once from these sources and kept in the user's cache folder. */
export const workflowBundle = (env: NodeJS.ProcessEnv): Promise<WorkflowBundleOption> => {
  loaded ??= load(env)
  return loaded
}
