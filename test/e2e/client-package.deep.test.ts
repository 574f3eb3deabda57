import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { execa } from "execa"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createProject, type ProjectDirectory, type Started } from "./cli/program.ts"
import { addressOf } from "./cli/remote-project.ts"

const root = path.resolve(import.meta.dirname, "../..")

let folder: string
let home: string
let server: ProjectDirectory
let dev: Started
beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "adjutant-client-")))
  await execa("node", ["scripts/pack-client.ts", folder], { cwd: root, preferLocal: true })
  const tarball = (await readdir(folder)).find((name) => /^adjutant-client-.*\.tgz$/.test(name)) ?? "none"
  home = path.join(folder, "home")
  await mkdir(home)
  await writeFile(path.join(home, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", path.join(folder, tarball)]
  await execa("npm", install, { cwd: home })
  const call = { name: "Write", arguments: { file_path: "a.txt", content: "a\n" } }
  server = await createProject({
    main: { turns: [{ reply: { tool_calls: [call] } }, { reply: { text: "Written." } }] },
  })
  dev = server.start("dev", "--port", "0")
})
afterAll(async () => {
  await server.remove()
  await rm(folder, { recursive: true, force: true })
})

const program = `
import { connectServer, isAdjutantError, type ServerClient } from "adjutant-client"

const { SERVER: url = "", TOKEN: token = "" } = process.env
const client: ServerClient = connectServer({ url, token })
const { sessionId } = await client.start({ prompt: "write it", label: "one", auto_approve: false })
const paused = await client.wait(sessionId)
if (paused?.outcome !== "paused") throw new Error("not paused")
const waiting = await client.approvals()
await client.decide({ sessionId, checkpointId: paused.checkpoint_id, all: { action: "accept" } })
const done = await client.wait(sessionId, { timeoutSeconds: 60 })
const { items } = await client.list({ status: "completed" })
const stop = new AbortController()
const seen: string[] = []
for await (const event of client.watch(sessionId, { signal: stop.signal })) {
  seen.push(event.type)
  if (event.type === "run-finished") break
}
const refused = await client.info("nothing").catch((error: unknown) => isAdjutantError(error) && error.code)
// @ts-expect-error A session has no such field.
const missing = items[0]?.no_such_field
console.log(JSON.stringify({ waiting: waiting.items.length, done: done?.outcome, labels: items.map(({ label }) => label), first: seen[0], last: seen.at(-1), refused, missing }))
`

it("a program that only uses a server installs nothing that only a worker needs", async () => {
  const installed = await readdir(path.join(home, "node_modules"))
  expect(installed.filter((name) => !name.startsWith(".")).toSorted()).toEqual([
    ...["adjutant-client", "eventsource-parser", "undici", "zod"],
  ])
})

it("starts, decides, waits, watches and lists on a server, with checked types", async () => {
  const file = path.join(home, "use.ts")
  await writeFile(file, program)
  const types = ["--typeRoots", path.join(root, "node_modules/@types"), "--types", "node"]
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", ...types]
  await execa("tsc", [...options, "use.ts"], { cwd: home, preferLocal: true, localDir: root })
  const env = {
    SERVER: await addressOf(dev),
    TOKEN: (await server.authorization()).authorization.slice("Bearer ".length),
  }
  const { stdout } = await execa("node", [file], { cwd: home, env })
  expect(JSON.parse(stdout)).toEqual({
    ...{ waiting: 1, done: "completed", labels: ["one"] },
    ...{ first: "run-started", last: "run-finished", refused: "session_not_found" },
  })
})
