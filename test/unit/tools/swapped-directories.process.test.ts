import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { glob } from "../../../tools/search/glob.ts"
import { grep } from "../../../tools/search/grep.ts"
import { ls } from "../../../tools/search/ls.ts"
import { call, createWorkspace, type Workspace } from "./workspace.ts"

// A sandboxed command of the same session can do this while another call searches.
const swapForEver = `
  const { renameSync, symlinkSync, unlinkSync } = require("node:fs")
  const [cwd, outside] = process.argv.slice(1)
  process.chdir(cwd)
  console.log("ready")
  for (;;) {
    renameSync("dir", "aside")
    symlinkSync(outside, "dir")
    unlinkSync("dir")
    renameSync("aside", "dir")
  }`

const createSwapped = async (): Promise<Workspace> => {
  const workspace = createWorkspace()
  const outside = join(workspace.root, "outside")
  for (let index = 0; index < 20; index += 1) {
    workspace.put(`dir/sub${index}/inside.txt`, "needle inside\n")
    mkdirSync(join(outside, `sub${index}`), { recursive: true })
    writeFileSync(join(outside, `sub${index}`, "inside.txt"), "needle LEAK\n")
    writeFileSync(join(outside, `sub${index}`, "LEAK.txt"), "needle LEAK\n")
  }
  const swapper = spawn(process.execPath, ["-e", swapForEver, workspace.cwd, outside], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  const ended = once(swapper, "exit")
  onTestFinished(async () => {
    swapper.kill("SIGKILL")
    await ended
  })
  await once(swapper.stdout, "data")
  return workspace
}

test.each([
  ["Grep of contents", 60, grep, { pattern: "needle", output_mode: "content", head_limit: 1000 }],
  ["Grep of a directory", 60, grep, { pattern: "needle", path: "dir", output_mode: "content", head_limit: 1000 }],
  ["Grep of names", 60, grep, { pattern: "LEAK", head_limit: 1000 }],
  ["LS", 400, ls, {}],
  ["LS with patterns", 25, ls, { ignore: ["*.md"] }],
  ["Glob", 25, glob, { pattern: "**/*.txt" }],
])("%s follows no link that replaces a directory during the call", async (_, rounds, tool, input) => {
  const { context } = await createSwapped()
  const answers: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    // A directory that is not there at this moment is an error for the model, and no leak.
    answers.push((await call<unknown>(tool, input, context)).content)
  }
  const leaks = answers.filter((answer) => answer.includes("LEAK") && answer !== "No matches for LEAK.")
  expect(leaks).toEqual([])
})
