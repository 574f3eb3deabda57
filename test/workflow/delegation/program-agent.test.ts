import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { BinaryProfile } from "../../../contracts/config/agent-profile.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
afterEach(() => harness.close())

/** A program that runs this shell script, as the profile `tool`. */
const open = async (
  script: string,
  profile: Partial<BinaryProfile>,
  env: Readonly<Record<string, string>> = {},
  tools: { readonly policy: Record<string, "prompt"> } = { policy: {} },
): Promise<void> => {
  const command = join(mkdtempSync(join(tmpdir(), "adjutant-program-")), "program.sh")
  writeFileSync(command, `#!/bin/bash\n${script}\n`)
  chmodSync(command, 0o700)
  harness = await openHarness({
    model: createFakeTurns(),
    env,
    config: { security: { allowBinaryAgents: true }, tools, agents: { tool: { type: "binary", command, ...profile } } },
  })
}

const run = async (...program: Parameters<typeof open>) => {
  await open(...program)
  const context = [{ content: "Known." }]
  const id = await harness.start({ agent: "tool", prompt: "Count the words.", context })
  return { id, document: await harness.client.wait(id) }
}

const claude = (fields: object): string =>
  `echo '${JSON.stringify({ type: "result", subtype: "success", is_error: false, total_cost_usd: 0.02, usage: { input_tokens: 10, output_tokens: 5 }, ...fields })}'`

describe("a coding program as an agent", () => {
  it("gets task and context as arguments, and on its standard input what the profile says", async () => {
    const { document } = await run('printf "%s|" "$@"; cat', {
      args: ["-p", "{{task}}", "--note={{context}}"],
      stdin: "about {{task}}",
    })
    expect(document).toMatchObject({
      outcome: "completed",
      final_message: "-p|Count the words.|--note=Known.|about Count the words.",
    })
  })

  it("reports what it used, which counts", async () => {
    const { document } = await run(claude({ result: "Two words." }), { stdin: "" })
    expect(document).toMatchObject({
      outcome: "completed",
      final_message: "Two words.",
      usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.02 },
    })
  })

  it("fails in its own words, whatever its exit code", async () => {
    const failure = claude({ is_error: true, result: "Credit balance is too low" })
    const { document } = await run(`${failure}; exit 1`, { stdin: "" })
    expect(document).toMatchObject({
      outcome: "failed",
      error: { code: "binary_failed", message: "the program ended with exit code 1: Credit balance is too low" },
      usage: { cost_usd: 0.02 },
    })
  })

  it("gets secrets by name, and nothing that is stored or shown contains one", async () => {
    const { id, document } = await run(
      'echo "key: $PROGRAM_KEY"',
      { envFrom: { PROGRAM_KEY: "MY_KEY" } },
      { MY_KEY: "s3cret-value" },
    )
    expect(document).toMatchObject({ outcome: "completed", final_message: "key: [redacted]" })
    expect(JSON.stringify(await harness.client.messages(id))).not.toContain("s3cret-value")
    expect(readFileSync(join(harness.dataDir, "store.db")).includes("s3cret-value")).toBe(false)
  })

  it("does not start without a secret that it needs", async () => {
    const { document } = await run("echo started", { envFrom: { PROGRAM_KEY: "MY_KEY" } })
    expect(document).toMatchObject({
      outcome: "failed",
      error: { message: expect.stringMatching(/needs the environment variable MY_KEY: set it for the worker/) },
    })
  })
})

describe("the call of a run without a model", () => {
  const actor = { by: "test", via: "cli" }
  const prompted = { policy: { "binary:tool": "prompt" as const } }

  it("becomes void by steering, whose text starts the next run", async () => {
    await open("cat", { stdin: "did {{task}}" }, {}, prompted)
    const { client, store } = harness
    const id = await harness.start({ agent: "tool", prompt: "this", auto_approve: false })
    await client.wait(id)
    const first = (await client.info(id)).run_id ?? ""
    await client.send({ sessionId: id, text: "rather that", type: "steering", actor })
    await eventually(
      async () => (await client.info(id)).run_id !== first && (await client.info(id)).status === "paused",
    )
    expect(await store.runs.get(first)).toMatchObject({
      stopReason: "error",
      error: { code: "skipped", message: "binary:tool: skipped due to steering" },
    })
    await client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
    await eventually(async () => (await client.info(id)).status === "completed")
    expect(await client.wait(id)).toMatchObject({ final_message: "did rather that" })
    const { events } = await store.events.read(id, { after: 0, limit: 100 })
    expect(events.map(({ type }) => type).filter((type) => /^(?:run|tool|steering|step)-/.test(type))).toEqual([
      ...["run-started", "tool-calls-proposed", "run-paused", "steering-applied", "run-finished"],
      ...["run-started", "tool-calls-proposed", "run-paused", "tool-started", "tool-finished", "run-finished"],
    ])
  })
})
