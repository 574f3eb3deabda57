import { cp, readFile, rm } from "node:fs/promises"
import path from "node:path"
import { glob } from "tinyglobby"
import { z } from "zod"
import { buildProgram } from "./build-program.ts"
import { buildWorkflowBundleFile } from "./build-workflow-bundle.ts"
import { runCommand } from "./checks/run-command.ts"
import { bundlePage } from "./page/bundle-page.ts"

const root = path.resolve(import.meta.dirname, "..")
const dist = path.join(root, "dist")

const readSourceFolders = async () => {
  const config = JSON.parse(await readFile(path.join(root, "tsconfig.build.json"), "utf8"))
  const { include } = z.object({ include: z.array(z.string()) }).parse(config)
  return include.map((pattern) => pattern.replace(/\/\*\*\/\*\.ts$/, ""))
}

/** Copies the files that the sources read at run time: SQL, templates, pages, sample scripts. */
const copyAssets = async () => {
  const patterns = (await readSourceFolders()).map((folder) => `${folder}/**/*`)
  const assets = await glob(patterns, { cwd: root, ignore: ["**/*.ts", "**/README.md"] })
  await Promise.all(assets.map((asset) => cp(path.join(root, asset), path.join(dist, asset))))
  return assets.length
}

await rm(dist, { recursive: true, force: true })
const exitCode = await runCommand(["tsc", "-p", path.join(root, "tsconfig.build.json")])
if (exitCode === 0) {
  const copied = await copyAssets()
  const bundle = await buildWorkflowBundleFile(dist)
  const files = await buildProgram(root, dist)
  await bundlePage(root)
  process.stdout.write(
    `built dist/ with ${copied} assets, ${path.relative(root, bundle)}, the program in ${files} files, and web/dist\n`,
  )
} else {
  process.exitCode = exitCode
}
