import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { sessionsSpawnInputSchema } from "../../../contracts/delegation/sessions-input.ts"
import type { BinaryProfile } from "../../../contracts/config/agent-profile.ts"
import { detectSandbox } from "../../../worker/detect-sandbox.ts"
import { eventually, untilPasses } from "../../helpers/eventually.ts"
import { isAlive, pidIn } from "../../helpers/processes.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { describeWith } from "../../helpers/needs.ts"
import { type Harness, type HarnessOptions, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness | undefined
afterEach(async () => {
  await harness?.close()
  harness = undefined
})

const actor = { by: "test", via: "cli" }

/** A program that runs this shell script, in a session of profile `tool`. */
const open = async (
  script: string,
  profile: Partial<BinaryProfile> = {},
  { config = {}, ...options }: Partial<HarnessOptions> = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), "adjutant-binary-"))
  const command = join(folder, "program.sh")
  writeFileSync(command, `#!/bin/bash\n${script}\n`)
  chmodSync(command, 0o700)
  harness = await openHarness({
    model: createFakeTurns(),
    ...options,
    config: {
      security: { allowBinaryAgents: true },
      ...config,
      agents: { tool: { type: "binary", command, ...profile } },
    },
  })
  const { start, cwd } = harness
  const begin = (request: Parameters<Harness["start"]>[0] = {}) => start({ agent: "tool", ...request })
  return { ...harness, begin, file: (name: string) => join(cwd, name) }
}

describe("a program as an agent", () => {
  it("gets the context of every way to start it apart from its task", async () => {
    const { begin, client, cwd, file } = await open(
      "cat > input.json; echo done",
      {},
      { config: { tools: { policy: { "binary:tool": "auto" } } } },
    )
    const given = () => JSON.parse(readFileSync(file("input.json"), "utf8"))
    const id = await begin({ prompt: "Count.", context: [{ name: "notes", content: "Known." }] })
    await client.wait(id)
    expect(given()).toMatchObject({ task: "Count.", context: "# notes\nKnown." })

    const context = [{ content: "Counted before." }]
    await client.send({ sessionId: id, text: "Again.", type: "message", limits: { context }, actor })
    await client.wait(id)
    expect(given()).toMatchObject({
      task: "Again.",
      context: expect.stringMatching(/^Counted before\.\n\nUser: Count\./),
    })

    const input = sessionsSpawnInputSchema.parse({ agentId: "tool", task: "Spawned.", context: "From outside." })
    const call = { tool: "sessions_spawn", input } as const
    const spawned = await client.spawn({ call, caller: "cli:test", isPerson: true, cwd, actor })
    if (spawned.kind !== "started") throw new Error("expected a start")
    await client.wait(spawned.child.sessionId)
    expect(given()).toMatchObject({ task: "Spawned.", context: "From outside." })
  })

  it("gets the context that an agent gives it when it starts it", async () => {
    const { start, client, file } = await open(
      "cat > input.json; echo counted",
      {},
      {
        config: { tools: { policy: { "binary:tool": "auto" } }, subagents: { allowAgents: ["*"] } },
        model: createFakeTurns(
          { calls: [["sessions_spawn", { agentId: "tool", task: "Inside.", context: "Seen before." }]] },
          { text: "Started." },
          { text: "It is counted." },
        ),
      },
    )
    expect(await client.wait(await start({ prompt: "Delegate." }))).toMatchObject({ outcome: "completed" })
    expect(JSON.parse(readFileSync(file("input.json"), "utf8"))).toMatchObject({
      task: "Inside.",
      context: "Seen before.",
    })
  })

  it("gets the task on its standard input, and its JSON result is the answer", async () => {
    const { begin, client, file } = await open(`cat > input.json; echo '{"result": "counted"}'`)
    const id = await begin({ prompt: 'Count "this"\nand $that', metadata: { context: "Known." }, budget_tokens: 500 })
    expect(await client.wait(id)).toMatchObject({
      outcome: "completed",
      final_message: "counted",
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    })
    expect(JSON.parse(readFileSync(file("input.json"), "utf8"))).toEqual({
      delegationId: id,
      task: 'Count "this"\nand $that',
      context: "Known.",
      tokenBudget: 500,
    })
    const messages = await client.messages(id)
    expect(messages.map(({ message }) => message)).toMatchObject([
      { role: "user", source: "instruction" },
      { role: "assistant", provider: "binary", model: "none", parts: [{ type: "tool_call" }] },
      { role: "assistant", provider: "binary", model: "none", parts: [{ type: "text", text: "counted" }] },
    ])
  })

  it("may answer in plain text, and gets the earlier conversation in a follow-up", async () => {
    const { begin, client } = await open(`grep -o '"context":"[^"]*"'`)
    const id = await begin({ prompt: "First" })
    expect(await client.wait(id)).toMatchObject({ final_message: '"context":""' })
    await client.send({ sessionId: id, text: "Second", type: "message", actor })
    expect(await client.wait(id)).toMatchObject({
      outcome: "completed",
      final_message: expect.stringMatching(/"context":"User: First\\n\\nAgent: /),
    })
  })

  it("reports its work in events, in order", async () => {
    const { begin, client, store } = await open("echo done")
    const id = await begin()
    await client.wait(id)
    const { events } = await store.events.read(id, { after: 0, limit: 100 })
    expect(events.map(({ type }) => type)).toEqual([
      "run-started",
      "tool-calls-proposed",
      "tool-started",
      "tool-finished",
      "run-finished",
    ])
  })

  it("fails with its exit code and the end of its standard error", async () => {
    const { begin, client } = await open("echo half; echo the reason >&2; exit 3")
    expect(await client.wait(await begin())).toMatchObject({
      outcome: "failed",
      stop_reason: "error",
      error: { code: "binary_failed", message: "the program ended with exit code 3: the reason" },
      partial_output: "half",
    })
  })

  it("fails with a clear error if it is ended by a signal, writes too much, or does not exist", async () => {
    const { begin, client } = await open(
      "case $(cat) in *kill*) kill -9 $$;; *) yes 0123456789012345678901234567890123456789;; esac",
    )
    expect(await client.wait(await begin({ prompt: "kill" }))).toMatchObject({
      error: { message: "the program was ended by SIGKILL" },
    })
    expect(await client.wait(await begin({ prompt: "flood" }))).toMatchObject({
      error: { code: "output_too_large", message: expect.stringContaining("10 MiB") },
    })
  })

  it("gets only the allowed environment and its own", async () => {
    vi.stubEnv("UNRELATED_SECRET", "secret")
    const { begin, client } = await open("env", { env: { OWN: "mine" } })
    const document = await client.wait(await begin())
    vi.unstubAllEnvs()
    const text = document !== undefined && "final_message" in document ? document.final_message : ""
    expect(text).toContain("OWN=mine")
    expect(text).toContain("PATH=")
    expect(text).not.toContain("UNRELATED_SECRET")
  })
})

describe("a program that takes too long", () => {
  const stubborn = `trap '' TERM
(trap '' TERM; echo $BASHPID > grandchild; while :; do sleep 0.05; done) &
setsid bash -c 'trap "" TERM; echo $$ > stranger; while :; do sleep 0.05; done' &
echo $$ > child
while :; do sleep 0.05; done`
  const pids = (file: (name: string) => string) =>
    Promise.all(["child", "grandchild", "stranger"].map((name) => pidIn(file(name))))

  it("times out with everything that it started", async () => {
    const { begin, client, file } = await open(stubborn, { timeoutMs: 6_000 })
    const id = await begin()
    const started = await pids(file)
    expect(await client.wait(id)).toMatchObject({
      outcome: "failed",
      stop_reason: "timeout",
      error: { code: "timeout", message: expect.stringContaining("6000 ms") },
    })
    expect(await client.info(id)).toMatchObject({ status: "timed_out" })
    expect(started.map(isAlive)).toEqual([false, false, false])
  })

  it("is stopped with everything that it started by the run's own time limit, and by a cancel", async () => {
    const { begin, client, file } = await open(stubborn)
    const limited = await begin({ timeout_seconds: 6 })
    const first = await pids(file)
    expect(await client.wait(limited)).toMatchObject({ stop_reason: "timeout" })
    expect(first.map(isAlive)).toEqual([false, false, false])

    const cancelled = await begin()
    const second = await untilPasses(async () => {
      const found = await pids(file)
      expect(found.some((pid) => first.includes(pid))).toBe(false)
      return found
    })
    await client.cancel(cancelled, actor)
    expect(await client.wait(cancelled)).toMatchObject({ outcome: "failed", stop_reason: "cancelled" })
    expect(second.map(isAlive)).toEqual([false, false, false])
  })
})

describe("the setting security.allowBinaryAgents", () => {
  it("applies on the worker, too", async () => {
    const { client, begin, file } = await open("touch ran", {}, { workerAllowsBinaries: false })
    expect(await client.wait(await begin())).toMatchObject({ outcome: "failed", error: { code: "forbidden" } })
    expect(existsSync(file("ran"))).toBe(false)
  })
})

const confined = (await detectSandbox("auto")).confined

describeWith([{ name: "bubblewrap", isAvailable: confined }], "a sandboxed session", () => {
  it("runs its program inside the sandbox", async () => {
    const script = `echo inside > made-here
ls -a "$SECRETS"
for name in .adjutant "$SECRETS"; do [ -e "$name/hidden" ] && echo "saw $name"; done; echo looked`
    const secrets = mkdtempSync(join(tmpdir(), "adjutant-outside-"))
    writeFileSync(join(secrets, "hidden"), "secret")
    const { begin, client, file, cwd } = await open(script, { env: { SECRETS: secrets } })
    mkdirSync(join(cwd, ".adjutant"))
    writeFileSync(join(cwd, ".adjutant", "hidden"), "secret")
    const id = await begin({ sandbox: true, auto_approve: true })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "looked" })
    expect(readFileSync(file("made-here"), "utf8")).toBe("inside\n")
  })
})

describe("a program that needs approval", () => {
  const policy = { config: { tools: { policy: { "binary:tool": "prompt" as const } } } }
  const ended = async (client: Harness["client"], id: string) => {
    await eventually(
      async () => (await client.info(id)).status !== "paused" && (await client.info(id)).status !== "running",
    )
    return client.wait(id)
  }

  it("pauses the run, which continues when a person approves", async () => {
    const { begin, client, file } = await open("touch ran; echo done", {}, policy)
    const id = await begin({ auto_approve: false })
    const paused = await client.wait(id)
    expect(paused).toMatchObject({
      outcome: "paused",
      pause_reason: { type: "tool_approval_required", pending_tool_calls: [{ name: "binary:tool" }] },
    })
    expect(existsSync(file("ran"))).toBe(false)
    await client.decide({ sessionId: id, all: { action: "accept" }, decisions: {}, unlisted: "pending", actor })
    expect(await ended(client, id)).toMatchObject({ outcome: "completed", final_message: "done" })
  })

  it("ends the run when rejected, and completes it with a person's own result", async () => {
    const { begin, client, file } = await open("touch ran", {}, policy)
    const rejected = await begin({ auto_approve: false })
    await client.wait(rejected)
    const decide = { decisions: {}, unlisted: "pending" as const, actor }
    await client.decide({ ...decide, sessionId: rejected, all: { action: "reject", content: "not today" } })
    expect(await ended(client, rejected)).toMatchObject({
      outcome: "failed",
      error: { code: "rejected", message: "binary:tool: TOOL_CALL_REJECTED: not today" },
    })
    const answered = await begin({ auto_approve: false })
    await client.wait(answered)
    await client.decide({
      ...decide,
      sessionId: answered,
      decisions: { call_1: { action: "custom_result", content: "I did it by hand" } },
    })
    expect(await ended(client, answered)).toMatchObject({ outcome: "completed", final_message: "I did it by hand" })
    expect(existsSync(file("ran"))).toBe(false)
  })
})

describe("a worker that dies", () => {
  const once = "echo run >> runs; [ $(wc -l < runs) = 1 ] && sleep 3600; echo finished"

  it.each([
    [false, { outcome: "failed", error: { code: "outcome_unknown" } }, 1],
    [true, { outcome: "completed", final_message: "finished" }, 2],
  ])("leaves a program with idempotent: %s in the state that it may", async (idempotent, outcome, runs) => {
    const { begin, client, file, stopWorker, startWorker } = await open(
      once,
      { idempotent },
      {
        config: { timing: { heartbeatTimeoutMs: 1_000 } },
        shutdownGraceMs: 100,
      },
    )
    const id = await begin()
    await untilPasses(() => expect(existsSync(file("runs"))).toBe(true))
    await stopWorker()
    await startWorker()
    expect(await client.wait(id)).toMatchObject(outcome)
    expect(readFileSync(file("runs"), "utf8").trim().split("\n")).toHaveLength(runs)
  })
})
