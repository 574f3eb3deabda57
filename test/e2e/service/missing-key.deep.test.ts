import { writeFile } from "node:fs/promises"
import path from "node:path"
import { stringify } from "yaml"
import { afterAll, beforeAll, expect, it } from "vitest"
import { findService } from "../../../service/ask-service.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createHangingChatAnswer, startChatModel } from "../../helpers/providers/chat-model.ts"
import { createChatAnswer } from "../../helpers/providers/chat-wire.ts"
import type { FakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

let project: ProjectDirectory
let provider: FakeProvider
let isDown = true
const keys: (string | undefined)[] = []
beforeAll(async () => {
  project = await createProject({}, { ADJUTANT_TRUST: "1" })
  provider = await startChatModel((_turn, { headers }) => {
    keys.push(String(headers["authorization"]))
    return isDown ? createHangingChatAnswer("One moment") : createChatAnswer([{ content: "Done." }])
  })
  const main = { provider: "openai-compatible", model: "big", baseUrl: `${provider.url}/v1`, apiKeyEnv: "MODEL_KEY" }
  await writeFile(path.join(project.cwd, "adjutant.config.yaml"), stringify({ models: { main } }))
})
afterAll(async () => {
  await project.remove()
  await provider.close()
})

const right = { MODEL_KEY: "right-key" }
const detail = async (id: string, env: Readonly<Record<string, string>> = {}) =>
  JSON.parse((await project.runWith(env, "info", id, "--output", "json")).stdout)

it("a run whose key nobody brings waits, says for what, and continues with the key of the command that brings it", async () => {
  const started = await project.runWith(right, "run", "hi", "--detach", "--output", "json")
  const id: string = JSON.parse(started.stdout).task_id
  await eventually(() => keys.length > 0)
  process.kill((await findService(project.dataDir))?.status.pid ?? 0, "SIGKILL")
  isDown = false
  // This shell has no key.
  expect((await project.run("service", "start")).code).toBe(0)
  await eventually(async () => (await detail(id)).blocked_by[0]?.type === "missing_key", { timeoutMs: 60_000 })
  // Commands that read bring nothing, whatever their shell has.
  const shown = await detail(id, { MODEL_KEY: "another-key" })
  expect([shown.status, shown.blocked_by[0].reason]).toEqual([
    "running",
    `MODEL_KEY is not set where the work is done: run "adjutant retry ${id}" where it is set`,
  ])
  expect(keys).toEqual(["Bearer right-key"])
  const retried = await project.runWith(right, "retry", id)
  expect([retried.code, retried.stdout], retried.stderr).toEqual([0, `${id}: the model is called now.\n`])
  const ended = await project.run("wait", id, "--output", "json")
  expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "completed", final_message: "Done." })
  expect(keys).toEqual(["Bearer right-key", "Bearer right-key"])
})
