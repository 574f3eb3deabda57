import { sentAnswer } from "../../../../domain/delegation/answers/sent-answer.ts"
import { describe, expect, it } from "vitest"
import type { TerminalProgram } from "../../../../cli/terminal/person.ts"
import { runCli } from "../../../../cli/run-cli.ts"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { paused, session, stubEnvironment } from "../stub-environment.ts"
import type { StubOptions } from "../stub-environment.ts"

const run = async (argv: readonly string[], options: StubOptions = {}) => {
  const stub = stubEnvironment(options)
  return { exitCode: await runCli(argv, stub.environment), ...stub }
}
const json = async (argv: readonly string[], options: StubOptions = {}): Promise<unknown> =>
  JSON.parse((await run([...argv, "--output", "json"], options)).written.stdout)

describe("read-only commands", () => {
  it("list prints JSON, and a table for people", async () => {
    expect(await json(["list"])).toEqual({ items: [session()], next_cursor: null })
    expect((await run(["list"])).written.stdout).toMatch(/^ID +STATUS/)
    expect(
      (await run(["list"], { client: { list: async () => ({ items: [], next_cursor: null }) } })).written.stdout,
    ).toBe("No tasks.\n")
  })

  it("list passes its filters on and prints the cursor of the next page", async () => {
    const { argumentOf, written } = await run(["list", "--status", "paused", "--limit", "1"], {
      client: { list: async () => ({ items: [session()], next_cursor: "next" }) },
    })
    expect(argumentOf("list")).toMatchObject({ status: "paused", limit: 1 })
    const numbered = await run(["list", "--parent", "Parent", "--archived", "--search", "doc"], {
      client: {
        resolveTarget: async () => "abc123",
        list: async () => ({ items: [session({ number: 7 })], next_cursor: null }),
      },
    })
    expect(numbered.argumentOf("list")).toEqual({ parent: "abc123", archived: true, q: "doc" })
    expect(numbered.written.stdout).toMatch(/^# +ID .*\n#7 +abc123/)
    expect(written.stdout).toContain("adjutant list --cursor next")
    const filters = ["--status", "paused", "--search", "two words", "--archived", "--limit", "1", "--parent", "p1"]
    const later = await run(["list", ...filters, "--cursor", "second", "--data-dir", "/elsewhere"], {
      client: { list: async () => ({ items: [session()], next_cursor: "third" }) },
    })
    expect(later.written.stdout).toContain(
      "More: adjutant list --cursor third --status paused --search 'two words' --archived --limit 1 --parent p1 --data-dir /elsewhere\n",
    )
  })

  it("list prints below the tasks where texts and changed files contain what is sought", async () => {
    const hit = (change: object) => ({
      ...{ session_id: "abc123", agent: "general", title: null, label: null, status: "failed", seq: 4, call_id: "c1" },
      ...{ tool: "Bash", kind: "call", excerpt: "kubectl get pods", at: "2026-11-25T00:00:00Z", ...change },
    })
    const items = [
      hit({ kind: "name", excerpt: "kubectl" }),
      hit({}),
      hit({ kind: "result", excerpt: "no such\u001b[2J pod" }),
      hit({ kind: "file", tool: null, excerpt: "deploy/pods.yaml", status: "completed" }),
    ]
    const client = {
      list: async () => ({ items: [], next_cursor: null }),
      search: async () => ({ items, next_cursor: null, is_complete: false }),
    } as StubOptions["client"]
    const { written, argumentOf } = await run(["list", "--search", "pod"], { client })
    expect(argumentOf("search")).toEqual({ q: "pod", limit: 50 })
    expect(written.stdout.split("\n")).toEqual([
      expect.stringMatching(/^ID +STATUS +FOUND IN +TEXT$/),
      expect.stringMatching(/^abc123 +failed +Bash +kubectl get pods$/),
      expect.stringMatching(/^abc123 +failed +result of Bash +no such.* pod$/),
      expect.stringMatching(/^abc123 +completed +changed file +deploy\/pods.yaml$/),
      "",
      "Older tasks were not searched: a longer text finds less, and looks further.",
      "",
    ])
    expect(written.stdout).not.toContain("\u001b")
    const failed = await json(["list", "--search", "pod", "--status", "failed"], { client })
    expect(failed).toMatchObject({ items: [], found: items.slice(1, 3), found_is_complete: false })
  })

  it("info prints the session with all its fields", async () =>
    expect(await json(["info", "abc123"])).toEqual(session()))

  it("approvals shows the beginning of a long change, and all of it with --whole", async () => {
    const lines = Array.from({ length: 432 }, (_, at) => `+line ${at + 1}`)
    const whole = { summary: "Write a.md (new file, +432 −0)", flags: [], diff: lines.join("\n") }
    const cut = { ...whole, diff: "+line 1", is_cut: true }
    const approval = {
      ...{ session_id: "abc123", session_key: "k", root_session_id: "abc123", run_id: "r", checkpoint_id: "cp_1" },
      ...{ type: "tool_approval_required" as const, agent: "general", title: null, message: "" },
      pending: [{ id: "call_1", name: "Write", arguments: {}, preview: cut }],
      opened_at: "2026-11-25T00:00:00Z",
    }
    const client = { approvals: async () => ({ items: [approval], next_cursor: null }), preview: async () => whole }
    const first = (await run(["approvals"], { client })).written.stdout
    expect(first).toContain("Review:   adjutant approvals --root abc123 --whole")
    expect(first).not.toContain("+line 2")
    const all = (await run(["approvals", "--whole"], { client })).written.stdout
    expect(all.match(/\+line \d+/g)).toEqual(lines)
    expect(all).not.toContain("Review:")
  })

  it("approvals reports that nothing is pending", async () => {
    expect(await json(["approvals"])).toEqual({ items: [], next_cursor: null })
    expect((await run(["approvals"])).written.stdout).toBe("Nothing is waiting for a person.\n")
  })

  it("log shows a transcript that is longer than the screen in the pager of a person", async () => {
    const programs: TerminalProgram[] = []
    const show = async (lines: number, code: number) => {
      const text = Array.from({ length: lines }, (_, at) => `line ${at}`).join("\n")
      const row = { seq: 1, runId: "r", step: 0, fence: 1, at: "2026-11-21T10:00:00.000Z" }
      const messages = async () => [{ ...row, message: { role: "user", source: "instruction", text } as const }]
      const stub = stubEnvironment({ client: { messages }, env: { PAGER: "more" } })
      const person = {
        ask: async () => undefined,
        discardTyped: async () => undefined,
        run: async (program: TerminalProgram) => {
          programs.push(program)
          return code
        },
      }
      expect(await runCli(["log", "abc123"], { ...stub.environment, person })).toBe(0)
      return stub.written.stdout
    }
    expect(await show(60, 0)).toBe("")
    expect(programs).toEqual([{ command: "more", input: expect.stringContaining("line 59\n") }])
    expect(await show(3, 0)).toContain("line 2\n")
    expect(programs).toHaveLength(1)
    expect(await show(60, 127)).toContain("line 59\n")
  })

  it("list and info name what a task waits for in the words of the page, with ages", async () => {
    const now = Date.now()
    const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
    const waiting = session({
      blocked_by: [
        {
          type: "child_paused",
          session_ids: ["child1"],
          since: ago(5),
          reason: "child1 waits for a person",
          next_at: null,
        },
      ],
      created_at: ago(60),
    })
    const client = { list: async () => ({ items: [waiting], next_cursor: null }), info: async () => waiting }
    expect((await run(["ls"], { client })).written.stdout).toContain("waits for a sub-agent")
    const { stdout } = (await run(["info", "abc123"], { client })).written
    expect(stdout).toMatch(/status +waits for a sub-agent\n/)
    expect(stdout).toMatch(/blocked by +sub-agents, for 5m: child1 waits for a person\n/)
    expect(stdout).toMatch(/created +1h ago\n/)
  })

  it("log shows the last messages, and tool results only on request", async () => {
    const messages = async () =>
      ["one", "two", "three"].map((text, index) => ({
        seq: index + 1,
        runId: "run_1",
        step: 0,
        fence: 1,
        at: "2026-11-21T10:00:00.000Z",
        message:
          text === "three"
            ? ({ role: "tool", call_id: "c", name: "Read", outcome: "ok", content: text } as const)
            : ({ role: "user", source: "follow_up", text } as const),
      }))
    const plain = await run(["log", "abc123", "--limit", "1"], { client: { messages } })
    expect(plain.written.stdout).toBe("▸ follow up\ntwo\n")
    expect(await json(["log", "abc123", "--limit", "1", "--tools"], { client: { messages } })).toMatchObject({
      items: [{ seq: 3, message: { role: "tool" } }],
    })
    const exported = await run(["export", "abc123"], { client: { messages } })
    expect(
      exported.written.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).seq),
    ).toEqual([1, 2, 3])
  })
})

describe("commands with effects", () => {
  it("cancel prints the final status and does not change a final task", async () => {
    expect(await json(["cancel", "abc123"])).toEqual({ task_id: "abc123", session_id: "abc123", status: "cancelled" })
    const ended = { status: "completed" } as const
    const over = await run(["cancel", "abc123"], {
      client: { info: async () => session(ended), cancel: async () => ended, hasWorker: async () => false },
    })
    // It reaches what is open below the task.
    expect(over.names()).toContain("cancel")
    expect(over.written.stdout).toBe("Task abc123 had already ended: completed.\n")
    expect(over.exitCode).toBe(0)
  })

  it("send queues and steer redirects, both with the caller's name", async () => {
    expect((await run(["send", "abc123", "more"])).argumentOf("send")).toMatchObject({
      type: "follow_up",
      text: "more",
      actor: { via: "cli" },
    })
    expect((await run(["steer", "abc123", "-"], { stdin: "left" })).argumentOf("send")).toMatchObject({
      type: "steering",
      text: "left",
    })
    expect((await run(["send", "abc123"])).exitCode).toBe(2)
  })

  it("say what the tools of an agent say, and what to do next here", async () => {
    const sent = { state: "accepted", runId: "run_2", effect: "queued" } as const
    const { written } = await run(["send", "abc123", "more"], { client: { send: async () => sent } })
    const { text } = sentAnswer("abc123", sent, { kind: "cli" })
    expect(written.stdout).toBe(`${text}\n`)
    expect(text).toMatch(/^Queued for abc123: .*\n\nFollow it with `adjutant wait abc123`\.$/)
    const elsewhere = { kind: "cli", place: ["--config", "/my project/a.yaml"] } as const
    expect(sentAnswer("abc123", sent, elsewhere).text).toContain("`adjutant wait abc123 --config '/my project/a.yaml'`")
    const running = { info: async () => session({ status: "running" }) }
    const killed = await run(["kill", "abc123"], { client: running })
    expect(killed.written.stdout).toBe("abc123: cancelled.\n")
  })

  it("send warns if no worker would receive the message", async () => {
    const { written } = await run(["send", "abc123", "more"], { client: { hasWorker: async () => false } })
    expect(written.stderr).toContain("adjutant worker")
  })
})

describe("adjutant wait", () => {
  it("prints the document and exits like run", async () => {
    const client = { wait: async () => paused, info: async () => session({ cwd: "/dev/null/nowhere" }) }
    const { exitCode, written } = await run(["wait", "abc123", "--output", "json"], { client })
    expect(exitCode).toBe(10)
    expect(JSON.parse(written.stdout)).toEqual(paused)
  })

  it("cancels nothing when its time is up, and says that the task continues", async () => {
    const { exitCode, names, written, calls } = await run(["wait", "abc123", "--timeout", "2"], {
      client: { wait: async () => undefined },
    })
    expect(exitCode).toBe(1)
    expect(names()).not.toContain("cancel")
    expect(calls.find(({ name }) => name === "wait")?.args[1]).toMatchObject({ timeoutSeconds: 2 })
    expect(written.stderr).toContain("still running")
  })
})

describe("an error", () => {
  it("of a known kind prints one sentence and exits with the code of the table", async () => {
    const { exitCode, written } = await run(["info", "nope"], {
      client: { resolveTarget: async () => Promise.reject(new AdjutantError("session_not_found", "no session nope")) },
    })
    expect([exitCode, written.stdout]).toEqual([2, ""])
    expect(written.stderr).toMatch(/^adjutant: no session nope \(searched: \/\S+\)\n$/)
  })

  it("of any other kind is an internal error, with the stack only with --verbose", async () => {
    const plain = await run(["list"], { openError: new TypeError("boom") })
    expect(plain.exitCode).toBe(1)
    expect(plain.written.stderr).toBe("adjutant: internal error: boom; run with --verbose for the stack\n")
    const secret = { openError: new Error("key sk-very-secret refused"), env: { OPENAI_API_KEY: "sk-very-secret" } }
    expect((await run(["list"], secret)).written.stderr).not.toContain("sk-very-secret")
    const verbose = await run(["list", "--verbose"], { openError: new TypeError("boom") })
    expect(verbose.written.stderr).toMatch(/^ +at /m)
  })
})
