import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { packageRoot } from "../../config/package-root.ts"

/** A separate directory under the system's temporary directory: no real session is affected. */
export interface DemoScratch {
  readonly folder: string
  /** A copy of this project's files, which the agent reads and in which it writes. */
  readonly project: string
  readonly configFile: string
  readonly dataDir: string
  readonly fileCount: number
  remove(): Promise<void>
}

/** In a checkout the sources are in the root, in an installed package in `dist`. */
const surveyed = ["README.md", "LICENSE", "package.json", "docs", "examples", "contracts", "domain", "workflows"]

export const createDemoScratch = async (): Promise<DemoScratch> => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "adjutant-demo-"))
  const project = path.join(folder, "project")
  await mkdir(project)
  for (const name of surveyed) await copyFirst([name, path.join("dist", name)], path.join(project, name))
  const configFile = path.join(folder, "adjutant.config.yaml")
  await writeFile(configFile, JSON.stringify(demoConfig(), null, 2), { mode: 0o600 })
  const entries = await readdir(project, { recursive: true, withFileTypes: true })
  return {
    folder,
    project,
    configFile,
    dataDir: path.join(folder, "data"),
    fileCount: entries.filter((entry) => entry.isFile()).length,
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  }
}

const copyFirst = async (candidates: readonly string[], to: string): Promise<void> => {
  for (const candidate of candidates) {
    const from = path.join(packageRoot(), candidate)
    if ((await stat(from).catch(() => undefined)) === undefined) continue
    return cp(from, to, { recursive: true, filter: (source) => path.basename(source) !== "node_modules" })
  }
}

/** Returns the configuration; JSON is YAML. The written conversation costs nothing. */
const demoConfig = () => ({
  models: { demo: { provider: "scripted", script: path.join(packageRoot(), "examples", "demo.yaml") } },
  prices: { scripted: { inputPerMTok: 0, outputPerMTok: 0 } },
  tools: { policy: { Write: "prompt" } },
})
