import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import type { ModelProvider } from "../../models/model-provider.ts"
import { createFakeModel, createFakeTurns } from "../helpers/models/fake-model.ts"
import { createTestServerConfig } from "../helpers/mcp/server-config.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { untilPasses } from "../helpers/eventually.ts"

let harness: Harness
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await harness.close()
  await Promise.all(closers.splice(0).map((close) => close()))
})

const actor = { by: "test", via: "cli" }
const folder = mkdtempSync(join(tmpdir(), "adjutant-hooks-"))

/** A hook that runs this shell script; `$LOG` names its own file. */
const script = (name: string, body: string) => {
  const command = join(folder, name)
  writeFileSync(command, `#!/bin/bash\nLOG=${command}.log\n${body}\n`)
  chmodSync(command, 0o700)
  return { command, log: `${command}.log` }
}

const events = (log: string) =>
  readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

const open = async (hooks: ConfigInput["hooks"], model: ModelProvider = createFakeTurns({ text: "the answer" })) => {
  const counter = script("agent.sh", "echo counted")
  harness = await openHarness({
    model,
    env: { HOOK_SECRET: "whsec_c2VjcmV0IG9mIHRoZSBob29r" },
    config: {
      hooks,
      security: { allowBinaryAgents: true },
      mcpServers: { docs: createTestServerConfig() },
      agents: {
        counter: { type: "binary", command: counter.command },
        echo: { type: "mcp-bridge", mcpTool: "mcp__docs__echo", mcpToolInput: '{"text": "{{task}}"}' },
      },
    },
  })
  return harness
}

const recorder = (name: string) =>
  script(`${name}.sh`, `rm -f "$LOG.tmp"; cat > "$LOG.tmp"; { cat "$LOG.tmp"; echo; } >> "$LOG"`)

describe("hooks around a run", () => {
  it.each([
    ["llm", "general", "the answer"],
    ["binary", "counter", "counted"],
    ["mcp-bridge", "echo", "Do it."],
  ] as const)("of type %s are called before and after it", async (type, agent, result) => {
    const seen = recorder(`seen-${type}`)
    const { start, client } = await open({
      [`agent:${type}-before-execute`]: [{ command: seen.command }],
      [`agent:${type}-after-execute`]: [{ command: seen.command }],
    })
    const id = await start({ agent })
    const document = await client.wait(id)
    expect(document).toMatchObject({ outcome: "completed", final_message: result })
    const runId = (await client.info(id)).run_id
    const common = { session_id: id, run_id: runId, profile: agent, type, input: "Do it.", at: expect.any(String) }
    expect(events(seen.log)).toEqual([
      { ...common, event: `agent:${type}-before-execute` },
      { ...common, event: `agent:${type}-after-execute`, result },
    ])
  })

  it("run in order, once each, and the work between them", async () => {
    const order = join(folder, "order.log")
    const mark = (name: string) => ({ command: script(`mark-${name}.sh`, `echo ${name} >> ${order}`).command })
    const { start, client } = await open(
      {
        "agent:llm-before-execute": [mark("first"), mark("second")],
        "agent:llm-after-execute": [mark("third"), mark("fourth")],
      },
      createFakeModel(() => {
        writeFileSync(order, "model\n", { flag: "a" })
        return { text: "done" }
      }),
    )
    const id = await start()
    await client.wait(id)
    expect(readFileSync(order, "utf8")).toBe("first\nsecond\nmodel\nthird\nfourth\n")
  })
})

describe("a before hook", () => {
  it.each([
    ["by exit code 2", "echo 'not on a Friday' >&2; exit 2", "hook_refused", "not on a Friday"],
    ["by its answer", `echo '{"decision": "block", "reason": "too costly"}'`, "hook_refused", "too costly"],
    ["by its failure", "echo oops >&2; exit 1", "hook_failed", "exit code 1: oops"],
    ["by not answering", "sleep 60", "hook_failed", "longer than 300 ms"],
  ])(
    "rejects a run %s; neither the work nor later hooks run, and after hooks are told",
    async (name, body, code, reason) => {
      const refusing = script(`refuse-${name.replaceAll(" ", "-")}.sh`, body)
      const never = recorder(`never-${code}-${reason.length}`)
      const seen = recorder(`after-${code}-${reason.length}`)
      let asked = 0
      const { start, client } = await open(
        {
          "agent:llm-before-execute": [
            { command: refusing.command, timeoutMs: name === "by not answering" ? 300 : 10_000 },
            { command: never.command },
          ],
          "agent:llm-after-execute": [{ command: seen.command }],
        },
        createFakeModel(() => {
          asked += 1
          return { text: "no" }
        }),
      )
      const id = await start()
      expect(await client.wait(id)).toMatchObject({
        outcome: "failed",
        stop_reason: "error",
        error: { code, message: expect.stringContaining(reason) },
      })
      expect(asked).toBe(0)
      expect(existsSync(never.log)).toBe(false)
      expect(events(seen.log)).toMatchObject([{ event: "agent:llm-after-execute", input: "Do it.", error: { code } }])
      expect((await client.messages(id)).map(({ message }) => message.role)).toEqual(["user"])
    },
  )
})

describe("an after hook", () => {
  it("that fails does not change the run", async () => {
    const { start, client } = await open({
      "agent:llm-after-execute": [
        { command: script("broken.sh", "exit 2").command },
        { command: join(folder, "not-there.sh") },
        { url: "http://127.0.0.1:1/nobody" },
      ],
    })
    expect(await client.wait(await start())).toMatchObject({ outcome: "completed", final_message: "the answer" })
  })

  it("is told of a failure with the partial result", async () => {
    const seen = recorder("after-failure")
    const { start, client } = await open(
      { "agent:llm-after-execute": [{ command: seen.command }] },
      createFakeModel((_, turn) => ({ text: `step ${turn}`, calls: [["LS", {}]] })),
    )
    await client.wait(await start({ max_steps: 2 }))
    expect(events(seen.log)).toMatchObject([{ result: "step 3", error: { code: "max_steps" } }])
  })

  it("is told of a cancel, too", async () => {
    const seen = recorder("after-cancel")
    let asked: () => void = () => undefined
    const called = new Promise<void>((resolve) => (asked = resolve))
    const { start, client, handle } = await open(
      { "agent:llm-after-execute": [{ command: seen.command }] },
      createFakeModel((request) => {
        request.onDelta({ type: "text", text: "half a thou" })
        asked()
        return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted"))))
      }),
    )
    const id = await start()
    await called
    await client.cancel(id, actor)
    expect(await client.wait(id)).toMatchObject({ stop_reason: "cancelled" })
    expect(events(seen.log)).toMatchObject([{ result: "half a thou", error: { code: "cancelled" } }])
    await untilPasses(async () => expect((await handle(id).describe()).status.name).toBe("CANCELLED"))
  })
})

describe("a hook with a URL", () => {
  const listen = async (answer: (body: string) => { status: number; body: string }) => {
    const requests: { headers: Record<string, string>; body: string }[] = []
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
      request.on("end", () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        )
        requests.push({ headers, body })
        const reply = answer(body)
        response.writeHead(reply.status, { "content-type": "application/json" }).end(reply.body)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    closers.push(() => new Promise((resolve) => server.close(resolve)))
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("no port")
    return { url: `http://127.0.0.1:${address.port}/hook`, requests }
  }

  it("receives the signed event, and may reject the run", async () => {
    const { url, requests } = await listen(() => ({ status: 200, body: '{"decision":"block","reason":"policy 7"}' }))
    const { start, client } = await open({ "agent:llm-before-execute": [{ url, secretEnv: "HOOK_SECRET" }] })
    expect(await client.wait(await start())).toMatchObject({
      error: { code: "hook_refused", message: expect.stringContaining("policy 7") },
    })
    expect(requests).toHaveLength(1)
    const [{ headers, body } = { headers: {}, body: "" }] = requests
    expect(new Webhook("whsec_c2VjcmV0IG9mIHRoZSBob29r").verify(body, headers)).toMatchObject({ input: "Do it." })
  })

  it("that fails ends the run before it began, and one with an empty answer allows the run", async () => {
    const broken = await listen(() => ({ status: 500, body: "" }))
    const { start, client } = await open({ "agent:llm-before-execute": [{ url: broken.url }] })
    expect(await client.wait(await start())).toMatchObject({
      error: { code: "hook_failed", message: expect.stringContaining("500") },
    })
    await harness.close()
    const silent = await listen(() => ({ status: 204, body: "" }))
    const other = await open({ "agent:llm-before-execute": [{ url: silent.url }] })
    expect(await other.client.wait(await other.start())).toMatchObject({ outcome: "completed" })
  })
})

describe("hooks around a call", () => {
  const note = (text: string, file_path = "a.txt") => ["Write", { file_path, content: text }] as const
  const results = async (id: string) =>
    (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message.content] : []))
  const turns = (...calls: Parameters<typeof note>[]) =>
    createFakeTurns({ calls: calls.map((args) => [...note(...args)]) }, { text: "Done." })

  it("receive the call, and what became of it, if they are for its tool", async () => {
    const seen = recorder("seen-call")
    const other = script("other-tool.sh", "exit 2")
    const { start, client } = await open(
      {
        "before-tool": [{ command: other.command, tools: ["Bash", "mcp__docs__*"] }, { command: seen.command }],
        "after-tool": [{ command: seen.command, tools: ["Write"] }],
      },
      turns(["hello"]),
    )
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    const common = { session_id: id, profile: "general", type: "llm", tool: "Write", arguments: note("hello")[1] }
    expect(events(seen.log)).toMatchObject([
      { ...common, event: "before-tool", call_id: expect.any(String) },
      { ...common, event: "after-tool", outcome: "ok", result: expect.stringContaining("Created a.txt") },
    ])
  })

  it.each([
    ["refuses", "echo 'not this file' >&2; exit 2", "refused the call: not this file"],
    ["fails", "echo broken >&2; exit 1", "failed, so the call was not made: exit code 1: broken"],
    ["does not answer", "sleep 60", "failed, so the call was not made: it ran longer than"],
  ])("end a call that one of them %s, with a reason that the model reads", async (_, body, reason) => {
    const hook = script("refusing.sh", body)
    const timeoutMs = body.startsWith("sleep") ? 100 : 10_000
    const { start, client, cwd } = await open({ "before-tool": [{ command: hook.command, timeoutMs }] }, turns(["x"]))
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Done." })
    expect(await results(id)).toEqual([expect.stringContaining(reason)])
    expect(existsSync(join(cwd, "a.txt"))).toBe(false)
  })

  const rewriting = (name: string, args: object) =>
    script(name, `cat > /dev/null; echo '${JSON.stringify({ arguments: args })}'`).command

  it("change the arguments of a call that may run with them", async () => {
    const command = rewriting("rewrite.sh", note("changed")[1])
    const { start, client, cwd } = await open({ "before-tool": [{ command }] }, turns(["x"]))
    const id = await start()
    await client.wait(id)
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("changed")
    expect(await results(id)).toEqual([expect.stringMatching(/^Created a.txt[^]*rewrite.sh changed the arguments/)])
  })

  it("do not get a call past policy by changing it: nobody has decided on the new arguments", async () => {
    const command = rewriting("widen.sh", note("x", "b.txt")[1])
    const { start, client, cwd } = await open({ "before-tool": [{ command }] }, turns(["x"]))
    const id = await start({ auto_approve: false })
    const paused = await client.wait(id)
    if (paused?.outcome !== "paused") throw new Error("the call was not asked about")
    const checkpointId = paused.checkpoint_id
    await client.decide({ sessionId: id, checkpointId, all: { action: "accept" }, unlisted: "pending", actor })
    await untilPasses(async () => expect(await client.info(id)).toMatchObject({ status: "completed" }))
    expect(await results(id)).toEqual([
      expect.stringMatching(/widen.sh changed the arguments[^]*policy asks about Write[^]*b.txt/),
    ])
    expect([existsSync(join(cwd, "a.txt")), existsSync(join(cwd, "b.txt"))]).toEqual([false, false])
  })

  it("do not get a call past protection by changing it", async () => {
    const command = rewriting("protect.sh", note("x", "AGENTS.md")[1])
    const { start, client, cwd } = await open({ "before-tool": [{ command }] }, turns(["x"]))
    const id = await start()
    await client.wait(id)
    expect(await results(id)).toEqual([expect.stringContaining("AGENTS.md is protected")])
    expect(existsSync(join(cwd, "AGENTS.md"))).toBe(false)
  })

  it("also run around the calls that are otherwise made inside the workflow task", async () => {
    const seen = recorder("seen-quick")
    const model = createFakeTurns({ calls: [["TodoWrite", { todos: [] }]] }, { text: "Done." })
    const { start, client } = await open({ "after-tool": [{ command: seen.command }] }, model)
    await client.wait(await start())
    expect(events(seen.log)).toMatchObject([{ tool: "TodoWrite", outcome: "ok" }])
  })
})
