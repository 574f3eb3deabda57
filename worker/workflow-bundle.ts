import { createHash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleWorkflowCode, type WorkflowBundleOption } from "@temporalio/worker"
import { patchesIn, type WorkflowBuild } from "../domain/engine/workflow-build.ts"
import { encodesFailures } from "../domain/engine/engine-names.ts"
import { cacheFolder } from "../domain/workspace/cache-folder.ts"
import { packageVersion } from "./package-version.ts"
import { reportDuring, reportWait } from "../server/process/report-wait.ts"

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const layers = ["contracts", "domain", "workflows"]

/** Path of the module that converts payloads, in the bundle and in the worker's own thread. */
export const payloadConverterPath = join(root, "workflows", `payload-converter.${extension}`)

const quiet = () => undefined
const silentLogger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet }

const failureConverterPath = join(root, "workflows", `failure-converter.${extension}`)

/** Path of the module that converts errors of activities where payloads are encrypted. */
export const encodingFailureConverterPath = join(
  root,
  "server",
  "encryption",
  `encoding-failure-converter.${extension}`,
)

/** Bundles the workflows and returns the code. */
export const buildWorkflowBundle = async (): Promise<string> => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, "workflows", `index.${extension}`),
    payloadConverterPath,
    failureConverterPath,
    logger: silentLogger,
  })
  return code
}

const sourceFiles = async (): Promise<readonly string[]> => {
  const lists = await Promise.all(
    layers.map(async (layer) => {
      const names = await readdir(join(root, layer), { recursive: true })
      return names.filter((name) => name.endsWith(`.${extension}`)).map((name) => join(root, layer, name))
    }),
  )
  return lists.flat().toSorted()
}

/** Returns the hash of everything in the bundle: our sources, and the engine's version. */
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

/** The source of the bundle. */
export interface FoundBundle {
  readonly bundle: WorkflowBundleOption
  readonly source: "package" | "cache" | "built"
}

let loaded: Promise<FoundBundle> | undefined

const load = async (env: NodeJS.ProcessEnv, onProgress: (line: string) => void): Promise<FoundBundle> => {
  const shipped = join(root, "workflow-bundle.cjs")
  if (extension === "js" && existsSync(shipped)) return { bundle: { codePath: shipped }, source: "package" }
  const folder = cacheFolder(env, { homedir, existsSync })
  const cached = folder === undefined ? undefined : join(folder, "workflow-bundles", `${await contentHash()}.js`)
  if (cached !== undefined && existsSync(cached)) return { bundle: { codePath: cached }, source: "cache" }
  const report = reportWait(1_000, (elapsedMs) =>
    onProgress(`bundling the workflows once … ${Math.floor(elapsedMs / 1000)} s`),
  )
  const code = await reportDuring(report, buildWorkflowBundle())
  if (cached === undefined) return { bundle: { code }, source: "built" }
  try {
    await writeAtomically(cached, code)
  } catch {
    return { bundle: { code }, source: "built" }
  }
  return { bundle: { codePath: cached }, source: "built" }
}

/** Finds or builds the bundle: the one in the package, or one that is built from these sources and cached in the user's cache folder. */
export const findWorkflowBundle = (
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void = () => undefined,
): Promise<FoundBundle> => {
  loaded ??= load(env, onProgress).catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

export const workflowBundle = async (env: NodeJS.ProcessEnv): Promise<WorkflowBundleOption> =>
  (await findWorkflowBundle(env)).bundle

/**
 * Returns the bundle whose workflows put the texts of errors into payloads, where they are encrypted. It counts as the same build, because only the form of
 * what Temporal stores differs.
 */
export const withEncodedFailures = async (bundle: WorkflowBundleOption): Promise<WorkflowBundleOption> => {
  const code = "code" in bundle ? bundle.code : await readFile(bundle.codePath, "utf8")
  return { code: `globalThis.${encodesFailures} = true;${code}` }
}

const hashCharacters = 12

/**
 * Returns the build of the workflow code that a worker runs. Three events of each step contain its id, and operators reset by it. The SDK's own id has 85
 * characters.
 */
export const buildOf = async (bundle: WorkflowBundleOption): Promise<WorkflowBuild> => {
  const code = "code" in bundle ? bundle.code : await readFile(bundle.codePath)
  const hash = createHash("sha256").update(code).digest("hex").slice(0, hashCharacters)
  return { buildId: `adjutant-${hash}`, version: packageVersion(), patches: patchesIn(code.toString()) }
}
