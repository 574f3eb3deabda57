import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { z } from "zod"

const bundler = path.resolve(import.meta.dirname, "../worker/workflow-bundle.ts")

const bundlerSchema = z.object({
  buildWorkflowBundle: z.custom<() => Promise<string>>((value) => typeof value === "function"),
})

/**
 * Writes the workflow code for workers of the published package to `<folder>/workflow-bundle.cjs`, and returns that path. The bundle contains exactly
 * the code that was built, so a worker starts without bundling.
 */
export const buildWorkflowBundleFile = async (folder: string): Promise<string> => {
  if (!existsSync(bundler)) throw new Error(`${bundler} is missing: the package cannot be built without its workflows`)
  const { buildWorkflowBundle } = bundlerSchema.parse(await import(pathToFileURL(bundler).href))
  const file = path.join(folder, "workflow-bundle.cjs")
  await mkdir(folder, { recursive: true })
  await writeFile(file, await buildWorkflowBundle())
  return file
}
