import { randomBytes } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { Connection } from "@temporalio/client"
import { afterAll, beforeAll, expect, it } from "vitest"
import { readEncryptionKeys } from "../../../config/secrets/encryption-keys.ts"
import { configSchema } from "../../../contracts/config/config.ts"
import { codecOf } from "../../../server/encryption/configured-codec.ts"
import { type LimitedEngine, startLimitedEngine } from "../../helpers/engine/limited-engine.ts"
import { type RecordedHistory, replayAll } from "../../helpers/engine/replay.ts"
import { openHarnessAt } from "../../helpers/engine/open-harness-at.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"

const env = { KEY_ONE: randomBytes(32).toString("base64"), KEY_TWO: randomBytes(32).toString("hex") }
const actor = { by: "mia", via: "cli" } as const
const texts = {
  title: "TITLEalpha",
  prompt: "PROMPTbravo",
  argument: "ARGUMENTcharlie",
  output: "OUTPUTdelta",
  question: "QUESTIONecho",
  answer: "ANSWERfoxtrot",
  result: "RESULTgolf",
  failure: "FAILUREhotel",
  child: "CHILDindia",
  steering: "STEERjuliett",
}

let engine: LimitedEngine
beforeAll(async () => {
  engine = await startLimitedEngine({})
})
afterAll(() => engine.stop())

const model = createFakeModel(({ messages }, turn) => {
  const said = JSON.stringify(messages)
  if (said.includes("Fail.")) throw new Error(`the provider says ${texts.failure}`)
  // Only the task itself has the prompt: others are its child, or the one that is cancelled.
  if (!said.includes(texts.prompt)) return { text: `${texts.result} of the child` }
  if (turn === 1) return { calls: [["Bash", { command: `echo ${texts.output}; : ${texts.argument}` }]] }
  if (turn === 2) return { calls: [["sessions_spawn", { task: texts.child }]] }
  return said.includes(texts.answer) ? { calls: [["finish", { result: texts.result }]] } : { text: texts.question }
})

/** Returns every text and every byte in what the engine has sent. */
const contentOf = (value: unknown): string => {
  if (typeof value === "string") return `${value}\n`
  if (value instanceof Uint8Array) return `${Buffer.from(value).toString("latin1")}\n`
  if (typeof value !== "object" || value === null) return ""
  return Object.values(value).map(contentOf).join("")
}

/** Everything that the engine returns of its executions, as clear as it gets without the key. */
const everything = async (): Promise<string> => {
  const connection = await Connection.connect({ address: engine.address })
  const { workflowService } = connection
  const found: string[] = []
  const namespace = "default"
  const { executions } = await workflowService.listWorkflowExecutions({ namespace, pageSize: 1_000 })
  for (const { execution } of executions) {
    const { history } = await workflowService.getWorkflowExecutionHistory({ namespace, execution })
    found.push(contentOf(history))
    const described = await workflowService.describeWorkflowExecution({ namespace, execution })
    found.push(contentOf(described))
  }
  await connection.close()
  return found.join("")
}

const filesOfEngine = async (): Promise<string> => {
  const names = await readdir(engine.dataDir)
  const files = await Promise.all(names.map((name) => readFile(path.join(engine.dataDir, name))))
  return Buffer.concat(files).toString("latin1")
}

const foundIn = (content: string): readonly string[] =>
  Object.values(texts).filter(
    (text) => content.includes(text) || content.includes(Buffer.from(text).toString("base64").slice(0, -4)),
  )

it("no text of a run is in clear in the history or in the files of Temporal, before and after a rotation", async () => {
  const replayed: RecordedHistory[] = []
  const open = (encryption: object) =>
    openHarnessAt(engine.address, { config: { encryption }, env, model }, async (histories) => {
      const codec = await codecOf(
        await readEncryptionKeys(
          { config: configSchema.parse({ encryption }), configPath: null, projectRoot: "/" },
          env,
        ),
      )
      await replayAll(histories, codec)
      replayed.push(...histories)
    })
  const run = async (harness: Awaited<ReturnType<typeof open>>): Promise<void> => {
    const { client, start } = harness
    const options = { title: texts.title, pause_on_approval: true, auto_approve: true }
    const id = await start({ prompt: `${texts.title} ${texts.prompt}`, ...options })
    expect(await client.wait(id, { timeoutSeconds: 60 })).toMatchObject({ outcome: "paused" })
    await client.send({ sessionId: id, text: texts.answer, type: "message", actor })
    expect(await client.wait(id, { timeoutSeconds: 60 })).toMatchObject({
      outcome: "completed",
      final_message: texts.result,
    })
    const failing = await start({ prompt: "Fail." })
    const failed = await client.wait(failing, { timeoutSeconds: 60 })
    expect(failed).toMatchObject({ outcome: "failed" })
    expect(JSON.stringify(failed)).toContain(texts.failure)
    await client.cancel(await start({ prompt: texts.steering }), actor)
  }
  const before = await open({ keyId: "one", keyEnv: "KEY_ONE" })
  await run(before)
  await before.close()
  const after = await open({ keyId: "two", keyEnv: "KEY_TWO", oldKeys: [{ keyId: "one", keyEnv: "KEY_ONE" }] })
  await run(after)
  expect(foundIn(await everything())).toEqual([])
  await after.close()
  const files = await filesOfEngine()
  expect(files.length).toBeGreaterThan(100_000)
  expect(foundIn(files)).toEqual([])
  expect(await everything()).toContain("binary/encrypted")
  // Of both harnesses, the second of which reads what the first has written.
  expect(replayed.length).toBeGreaterThanOrEqual(6)
  await expect(replayAll(replayed.slice(0, 1))).rejects.toThrow("failed")
})

it("the check finds what is in clear without encryption", async () => {
  const harness = await openHarnessAt(engine.address, { env, model })
  const id = await harness.start({ prompt: `${texts.title} ${texts.prompt}` })
  await harness.client.wait(id)
  expect(foundIn(await everything())).toContain(texts.title)
  await harness.close()
})
