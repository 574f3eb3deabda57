import { afterEach, expect, it } from "vitest"
import { tryDescribeExecution } from "../../../engine/describe-execution.ts"
import { sessionWorkflowId } from "../../../domain/engine/engine-names.ts"
import { isDeep } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
let aheadMs = 0
const actor = { by: "mia", via: "cli" } as const
const dayMs = 86_400_000

afterEach(() => harness.close())

it("prune erases old tasks in the store and in Temporal, and nothing that is new or open", async () => {
  harness = await openHarness({
    now: () => Date.now() + aheadMs,
    model: createFakeModel(({ messages }) =>
      JSON.stringify(messages).includes("Ask.") ? { text: "Which colour?" } : { text: "Done.", outputTokens: 7 },
    ),
  })
  const { client, start, store } = harness
  const old = await start({ prompt: "Old and secret." })
  const open = await start({ prompt: "Ask.", pause_on_approval: true, auto_approve: false })
  await client.wait(old)
  await client.wait(open)
  aheadMs = 40 * dayMs
  const fresh = await start()
  await client.wait(fresh)
  const beforeMs = Date.now() + aheadMs - 30 * dayMs

  const planned = await client.prune({ beforeMs, dryRun: true }, actor)
  expect(planned).toEqual({ tasks: 1, sessions: 1, ids: [old] })
  expect(await client.messages(old)).not.toEqual([])
  expect(await client.prune({ beforeMs }, actor)).toMatchObject({ tasks: 1, sessions: 1 })

  await expect(client.info(old)).rejects.toMatchObject({ code: "session_not_found" })
  expect(await store.sessions.listUnerased()).toEqual([])
  expect(await client.info(open)).toMatchObject({ status: "paused" })
  expect(await client.info(fresh)).toMatchObject({ status: "completed" })
  // The engine deletes what it was told to after some ten seconds.
  const isDeleted = async () =>
    (await tryDescribeExecution(harness.temporal, sessionWorkflowId(old)))?.status === "not_found"
  if (isDeep) await eventually(isDeleted)
  expect((await client.usage()).total).toMatchObject({
    output_tokens: 14 + (await client.info(open)).usage.output_tokens,
  })
  expect((await client.audit()).items[0]).toMatchObject({ action: "prune", detail: { tasks: 1, sessions: 1 } })
})
