import { describe, expect, it } from "vitest"
import type { Person } from "../../../../cli/terminal/person.ts"
import { runCli } from "../../../../cli/run-cli.ts"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { paused, session, stubEnvironment } from "../stub-environment.ts"
import type { StubOptions } from "../stub-environment.ts"

const run = async (argv: readonly string[], options: StubOptions = {}) => {
  const stub = stubEnvironment({ openCheckpoints: ["cp_one"], ...options })
  return { exitCode: await runCli(argv, stub.environment), ...stub }
}

const personWhoTypes = (lines: readonly string[]): Person => {
  const left = [...lines]
  return { ask: async () => left.shift(), discardTyped: async () => undefined, run: async () => 0 }
}

describe("adjutant resume", () => {
  it("approves the listed calls of the named pause and rejects the others", async () => {
    const { argumentOf, exitCode } = await run([
      "resume",
      "cp_one",
      "--approve",
      "a",
      "--approve",
      "b",
      "--reject",
      "c",
    ])
    expect(exitCode).toBe(0)
    expect(argumentOf("decide")).toMatchObject({
      sessionId: "abc123",
      checkpointId: "cp_one",
      decisions: { a: { action: "accept" }, b: { action: "accept" }, c: { action: "reject" } },
      unlisted: "reject",
      actor: { via: "cli" },
    })
  })

  it("decides the pause that is open now if a task is named", async () => {
    const { argumentOf } = await run(["resume", "abc123", "--approve-all"])
    expect(argumentOf("decide")).toMatchObject({ checkpointId: "cp_one", all: { action: "accept" } })
  })

  it("approves all calls except the rejected ones, and passes the reason on", async () => {
    const { argumentOf } = await run(["run", "-c", "cp_one", "--approve-all", "--reject", "c", "--reason", "too wide"])
    expect(argumentOf("decide")).toMatchObject({
      all: { action: "accept" },
      decisions: { c: { action: "reject", content: "too wide" } },
    })
  })

  it("approves a call with other arguments, and rejects those that are not named", async () => {
    const { argumentOf } = await run(["resume", "cp_one", "--edit", 'a={"command": "ls"}', "--approve", "b"])
    expect(argumentOf("decide")).toMatchObject({
      decisions: { a: { action: "edit", arguments: { command: "ls" } }, b: { action: "accept" } },
      unlisted: "reject",
    })
  })

  it.each([
    [["--edit", "a=[1]"], "--edit requires <id>=<JSON object>"],
    [["--edit", "a"], "--edit requires <id>=<JSON object>"],
    [["--edit", "a=@missing.json"], "which cannot be read"],
    [["--edit", "a={}", "--reject", "a"], 'both name "a"'],
  ])("refuses the option %j", async (options, problem) => {
    const { written } = await run(["resume", "cp_one", ...options])
    expect(written.stderr).toContain(problem)
  })

  it("warns if a limit is given that the answered run does not accept", async () => {
    const asking = { info: async () => session({ pause_reason: { type: "input_required" as const } }) }
    const limited = await run(["resume", "abc123", "continue", "--max-steps", "4"], { client: asking })
    expect(limited.written.stderr).toContain("--max-steps applies to a new run only")
    const raised = await run(["resume", "abc123", "continue", "--budget-usd", "4"], { client: asking })
    expect(raised.written.stderr).toBe("")
  })

  it("rejects all calls on request, including those named for approval", async () => {
    const { argumentOf } = await run(["run", "-c", "cp_one", "--reject-all", "--approve", "a"])
    expect(argumentOf("decide")).toMatchObject({ all: { action: "reject" }, decisions: { a: { action: "reject" } } })
  })

  it("passes the reason on to calls that are rejected because they are not named", async () => {
    const { argumentOf } = await run(["resume", "cp_one", "--approve", "a", "--reason", "one at a time"])
    expect(argumentOf("decide")).toMatchObject({
      all: { action: "reject", content: "one at a time" },
      decisions: { a: { action: "accept" } },
    })
    expect((await run(["resume", "cp_one", "--approve-all", "--reason", "x"])).exitCode).toBe(2)
    expect((await run(["resume", "cp_one", "--reason", "x"])).exitCode).toBe(2)
  })

  it("sends a text as the answer or the next instruction, with its narrower limits", async () => {
    const { argumentOf } = await run(["resume", "abc123", "continue", "--max-steps", "4"])
    expect(argumentOf("send")).toMatchObject({
      type: "message",
      text: "continue",
      limits: { max_steps: 4 },
    })
  })

  it("does not let a resumed task run commands without a sandbox", async () => {
    for (const what of [["--approve-all"], ["continue"]]) {
      const refused = await run(["run", "-c", "cp_one", ...what, "--unconfined"])
      expect([refused.exitCode, refused.written.stderr]).toEqual([
        2,
        expect.stringContaining("--unconfined is for a new task"),
      ])
    }
  })

  it("brings the service what the tree needs before it decides", async () => {
    const { names, calls } = await run(["resume", "abc123", "--approve-all"])
    expect(calls.find(({ name }) => name === "handOver")?.args).toEqual(["abc123", "follow"])
    expect(names().indexOf("handOver")).toBeLessThan(names().indexOf("decide"))
  })

  it("follows the root of the tree while the root is running", async () => {
    const info = async (id: string) =>
      id === "root12"
        ? session({ id: "root12", root_session_id: "root12", status: "running" })
        : session({ root_session_id: "root12" })
    const { argumentOf } = await run(["resume", "cp_one", "--approve-all"], { client: { info } })
    expect(argumentOf("handOver")).toBe("root12")
    expect(argumentOf("decide")).toMatchObject({ sessionId: "abc123" })
    expect(argumentOf("wait")).toBe("root12")
  })

  it("rejects a checkpoint that is no longer open and names the open one", async () => {
    const { exitCode, written, names } = await run(["run", "-c", "cp_old", "--approve-all"], {
      closedCheckpoints: ["cp_old"],
    })
    expect(exitCode).toBe(2)
    expect(written.stderr).toContain("cp_old is no longer open")
    expect(written.stderr).toContain("cp_one")
    expect(names()).not.toContain("decide")
  })

  it("rejects another agent than that of the task", async () => {
    const { exitCode, written, names } = await run(["resume", "abc123", "--approve-all", "--agent", "explore"])
    expect(exitCode).toBe(2)
    expect(written.stderr).toContain("--agent explore")
    expect(names()).not.toContain("decide")
  })

  it("leaves the work to the service with --detach, before it decides", async () => {
    const { names, exitCode } = await run(["resume", "abc123", "--approve-all", "--detach"])
    expect(exitCode).toBe(0)
    expect(names().filter((name) => ["handOver", "decide"].includes(name))).toEqual(["handOver", "decide"])
    expect(names()).not.toContain("wait")
  })

  it("follows an open task that is named without a decision, where a person is at the terminal", async () => {
    const person = personWhoTypes([])
    const { environment, names, written } = stubEnvironment()
    expect(await runCli(["resume", "abc123"], { ...environment, person })).toBe(0)
    expect(names()).toContain("wait")
    expect(names()).not.toContain("decide")
    expect(written.stderr).toBe("")
    expect((await run(["resume", "abc123"])).exitCode).toBe(2)
  })

  it("asks for the next instruction of a task that ended", async () => {
    const person = personWhoTypes(["now the tests"])
    const client = { info: async () => session({ status: "completed" }) }
    const { environment, argumentOf } = stubEnvironment({ client })
    expect(await runCli(["resume", "abc123"], { ...environment, person })).toBe(0)
    expect(argumentOf("send")).toMatchObject({ sessionId: "abc123", type: "message", text: "now the tests" })
  })

  it("offers the last tasks at a terminal if it names none, and is refused elsewhere", async () => {
    const client = {
      list: async () => ({
        items: [
          session({ id: "newest", title: "One" }),
          session({ id: "child1", parent_session_id: "newest" }),
          session(),
        ],
        next_cursor: null,
      }),
    }
    const { environment, argumentOf, written } = stubEnvironment({ client })
    expect(await runCli(["resume", "--approve-all"], { ...environment, person: personWhoTypes(["2"]) })).toBe(0)
    expect(written.stderr).toMatch(/1 +newest +paused .* One\n2 +abc123 +paused/)
    expect(argumentOf("decide")).toMatchObject({ sessionId: "abc123", all: { action: "accept" } })
    const without = await run(["resume"])
    expect([without.exitCode, without.written.stderr]).toEqual([2, expect.stringContaining("the task is missing")])
  })

  it("exits with code 10 if the task pauses again", async () => {
    expect((await run(["resume", "abc123", "--approve-all"], { client: { wait: async () => paused } })).exitCode).toBe(
      10,
    )
  })

  it("says that the task continues where it leaves the work to the service", async () => {
    const { written } = await run(["resume", "abc123", "--approve-all", "--detach"])
    expect(written.stdout).toContain("Task abc123 continues.")
    expect(written.stdout).not.toContain("Started")
  })

  it("says of an unknown task that it is unknown, before it requires a decision", async () => {
    const unknown = () => Promise.reject(new AdjutantError("session_not_found", "there is no task abc124"))
    const missing = await run(["resume", "abc124"], { client: { inspectTarget: unknown } })
    expect(missing.exitCode).toBe(2)
    expect(missing.written.stderr).toContain("there is no task abc124")
    const known = await run(["resume", "abc123"])
    expect(known.exitCode).toBe(2)
    expect(known.written.stderr).toContain("a decision or a text is required")
    expect(known.names()).not.toContain("handOver")
  })
})
