import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { appendFile } from "node:fs/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { findService } from "../../../service/ask-service.ts"
import { eventually } from "../../helpers/eventually.ts"
import { connectLineClient } from "../../helpers/mcp/line-client.ts"
import { createProject, type Ended, type ProjectDirectory, type Started, startProgram } from "../cli/program.ts"

const checkout = path.resolve(import.meta.dirname, "../../..")
const bash = (command: string) => ({ reply: { tool_calls: [{ name: "Bash", arguments: { command } }] } })

let project: ProjectDirectory
let copy: string
/** The same program, packed as a later version. */
beforeAll(async () => {
  project = await createProject(
    {
      main: { turns: [{ reply: { text: "Hello." } }] },
      held: {
        turns: [
          bash("echo began >> began.txt; while [ ! -e go ]; do sleep 0.1; done; echo ended >> ended.txt"),
          { reply: { text: "Done." } },
        ],
      },
    },
    { ADJUTANT_TRUST: "1" },
  )
  await appendFile(path.join(project.cwd, "adjutant.config.yaml"), "security: { sandbox: off }\n")
  copy = await realpath(await mkdtemp(path.join(os.tmpdir(), "adjutant-newer-")))
  const left = new Set(
    ["node_modules", ".git", "test", "docs", "bench", "shots", "dist"].map((name) => path.join(checkout, name)),
  )
  await cp(checkout, copy, { recursive: true, filter: (from) => !left.has(from) })
  await symlink(path.join(checkout, "node_modules"), path.join(copy, "node_modules"))
  const manifest = JSON.parse(await readFile(path.join(copy, "package.json"), "utf8"))
  await writeFile(path.join(copy, "package.json"), JSON.stringify({ ...manifest, version: "999.0.0" }))
})
afterAll(async () => {
  await project.remove()
  await rm(copy, { recursive: true, force: true })
})

const newer = (...argv: readonly string[]): Started =>
  startProgram(project, argv, [process.execPath, path.join(copy, "bin/adjutant.js")])

const documentOf = ({ stdout, stderr }: Ended) => {
  if (stdout === "") throw new Error(stderr)
  return JSON.parse(stdout)
}
const status = async () => (await findService(project.dataDir))?.status
const text = (name: string) => readFile(path.join(project.cwd, name), "utf8").catch(() => "")

it("takes over from an older service under load, when its calls in flight have ended, and an older command uses it", async () => {
  const waiting = [1, 2].map(() => project.start("run", "go", "--model", "held", "--output", "json"))
  await eventually(async () => (await text("began.txt")) === "began\nbegan\n", { timeoutMs: 60_000 })
  const old = await status()
  const taking = newer("run", "hi", "--output", "json")
  await taking.stderrHas(`the service ${old?.pid} hands over from Adjutant ${old?.version} to 999.0.0`)
  expect((await status())?.pid).toBe(old?.pid)
  await writeFile(path.join(project.cwd, "go"), "")
  expect(documentOf(await taking.ended)).toMatchObject({ outcome: "completed", final_message: "Hello." })
  const now = await status()
  expect(now).toMatchObject({ version: "999.0.0" })
  for (const { ended } of waiting) expect(documentOf(await ended)).toMatchObject({ outcome: "completed" })
  expect([await text("began.txt"), await text("ended.txt")]).toEqual(["began\nbegan\n", "ended\nended\n"])
  // An older command uses the newer service, and never replaces it.
  expect(documentOf(await project.run("run", "hi", "--output", "json"))).toMatchObject({ outcome: "completed" })
  expect((await status())?.pid).toBe(now?.pid)
})

it("serves MCP clients of two versions side by side, and they do not fight for it", async () => {
  await project.run("service", "stop", "--now")
  const isAnswered = async (client: ReturnType<typeof connectLineClient>): Promise<boolean> => {
    const { result } = await client.request("tools/call", { name: "get_all_tasks", arguments: {} }).answer
    return result !== undefined && result.isError !== true
  }
  const older = connectLineClient(project)
  await older.initialize()
  expect(await isAnswered(older)).toBe(true)
  const younger = connectLineClient({ ...project, launcher: path.join(copy, "bin/adjutant.js") })
  await younger.initialize()
  expect(await isAnswered(younger)).toBe(true)
  const now = await status()
  expect(now?.version).toBe("999.0.0")
  for (const client of [older, younger, older]) expect(await isAnswered(client)).toBe(true)
  expect((await status())?.pid).toBe(now?.pid)
  for (const client of [older, younger]) await client.disconnect()
})
