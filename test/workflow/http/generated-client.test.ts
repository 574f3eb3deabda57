import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { afterEach, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http/http-harness.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const generator = path.join(root, "test/helpers/http/generate-client.ts")
const run = promisify(execFile)

let harness: HttpHarness
let folder: string
afterEach(async () => {
  await harness.close()
  await rm(folder, { recursive: true, force: true })
})

/** A program as a user writes it against the generated client: a task that pauses, is approved, and ends. */
const program = `
import { client } from "./api/client.gen.js"
import { decideToolCalls, getSession, listPendingCalls, startRun, waitForOutcome } from "./api/sdk.gen.js"
import type { OutcomeDocument, PendingCall, Session } from "./api/types.gen.js"

client.setConfig({ baseUrl: process.env["ADJUTANT_URL"]! })
const throwOnError = true as const

const { data: started } = await startRun({ body: { message: "Write it." }, throwOnError })
const id = started.session_id
const outcome = async (): Promise<OutcomeDocument | undefined> => {
  const { data } = await waitForOutcome({ path: { id }, query: { wait_seconds: 50 }, throwOnError })
  return typeof data === "object" ? data : undefined
}

const paused = await outcome()
const { data } = await listPendingCalls({ path: { id }, throwOnError })
const pending: readonly PendingCall[] = data.pending
const decisions = Object.fromEntries(pending.map((call) => [call.id, { action: "accept" as const }]))
await decideToolCalls({
  path: { id },
  body: { run_id: data.run_id!, checkpoint_id: data.checkpoint_id!, decisions },
  throwOnError,
})
const done = await outcome()
const session: Session = (await getSession({ path: { id }, throwOnError })).data
process.stdout.write(
  JSON.stringify({ paused: paused?.outcome, names: pending.map(({ name }) => name), done, status: session.status }),
)
`

const options = {
  compilerOptions: {
    ...{ module: "nodenext", target: "es2024", lib: ["es2024", "dom", "dom.iterable"], types: ["node"] },
    ...{ strict: true, skipLibCheck: true, outDir: "out" },
  },
  files: ["main.ts"],
}

it("a client that is generated from the document has the shapes of the API as types, and takes a task through a pause to its outcome", async () => {
  harness = await openHttpHarness({
    model: createFakeTurns({ calls: [["Write", { file_path: "a.txt", content: "a" }]] }, { text: "Written." }),
  })
  folder = await mkdtemp(path.join(tmpdir(), "adjutant-client-"))
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"))
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}')
  await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(options))
  await writeFile(path.join(folder, "main.ts"), program)
  await run(process.execPath, [generator, `${harness.url}/openapi.json`, path.join(folder, "api")])
  expect(await readFile(path.join(folder, "api/types.gen.ts"), "utf8")).toContain("export type Session = {")
  const errors = await run("tsc", ["-p", "."], { cwd: folder }).then(
    () => "",
    ({ stdout }) => String(stdout),
  )
  expect(errors).toBe("")
  const running = run(process.execPath, ["out/main.js"], { cwd: folder, env: { ADJUTANT_URL: harness.url } })
  await eventually(async () => (await harness.get("/v1/sessions")).body.items.length === 1)
  expect(JSON.parse((await running).stdout)).toMatchObject({
    paused: "paused",
    names: ["Write"],
    done: { outcome: "completed", final_message: "Written." },
    status: "completed",
  })
})
