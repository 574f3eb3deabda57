import { describe, expect, it } from "vitest"
import { readLine } from "../../../../cli/conversation/read-line.ts"
import { runCli } from "../../../../cli/run-cli.ts"
import type { Person } from "../../../../cli/terminal/person.ts"
import type { OutcomeDocument } from "../../../../contracts/session/outcome-document.ts"
import { completed, paused, session, stubEnvironment, type StubOptions } from "../stub-environment.ts"

/** Talks with these lines, after which the input ends. */
const talk = async (
  lines: readonly string[],
  documents: readonly OutcomeDocument[] = [completed],
  { client, argv = [] }: Pick<StubOptions, "client"> & { readonly argv?: readonly string[] } = {},
) => {
  const left = [...lines]
  const outcomes = [...documents]
  const asked: string[] = []
  const person: Person = {
    ask: async (question) => {
      asked.push(question)
      return left.shift()
    },
    discardTyped: async () => undefined,
    run: async () => 0,
  }
  const stub = stubEnvironment({ client: { wait: async () => outcomes.shift(), ...client } })
  const exitCode = await runCli(argv, { ...stub.environment, person })
  return { exitCode, asked, ...stub }
}

describe("adjutant without a command", () => {
  it("at a terminal shows what is open, starts a task with the first message, and continues it with the next", async () => {
    const { exitCode, asked, calls, written } = await talk(["survey this", "and now?"], [completed, completed])
    expect(exitCode).toBe(0)
    expect(written.stdout).toMatch(/^ID +STATUS/)
    expect(asked).toEqual(["new task > ", "abc123 > ", "abc123 > "])
    expect(calls.find(({ name }) => name === "start")?.args[0]).toMatchObject({
      prompt: "survey this",
      auto_approve: false,
    })
    expect(calls.find(({ name }) => name === "send")?.args[0]).toMatchObject({
      sessionId: "abc123",
      type: "message",
      text: "and now?",
    })
    expect(written.stdout).toContain("All done.")
  })

  it("asks about calls in between", async () => {
    const { asked, argumentOf } = await talk(["write it", "a"], [paused, completed])
    expect(asked[1]).toContain("[a]pprove")
    expect(argumentOf("decide")).toMatchObject({ decisions: { call_1: { action: "accept" } } })
  })

  it("opens, steers and lists tasks, and says what it does not know", async () => {
    const client = { info: async () => session({ status: "completed", title: "Nightly" }) }
    const { argumentOf, written, asked } = await talk(
      ["/open abc123", "/steer faster", "/list", "/nope", "/quit", "x"],
      [],
      {
        client,
      },
    )
    expect(written.stdout).toContain("abc123 · completed · Nightly\n")
    expect(argumentOf("send")).toMatchObject({ type: "steering", text: "faster" })
    expect(written.stderr).toContain("/nope is not a command of the conversation: /help lists them")
    expect(asked).toHaveLength(5)
  })

  it("elsewhere prints the help, and chat is refused", async () => {
    const bare = stubEnvironment()
    expect(await runCli([], bare.environment)).toBe(2)
    expect(bare.written.stderr).toContain("Usage: adjutant")
    const chat = stubEnvironment()
    expect(await runCli(["chat"], chat.environment)).toBe(2)
    expect(chat.written.stderr).toContain("a conversation requires a terminal")
  })
})

it.each([
  ["", { kind: "nothing" }],
  ["look at /etc/hosts", { kind: "say", text: "look at /etc/hosts" }],
  ["/etc/hosts is wrong", { kind: "say", text: "/etc/hosts is wrong" }],
  ["/steer use\ntwo", { kind: "steer", text: "use\ntwo" }],
  ["/steer", { kind: "unknown", text: "/steer" }],
  ["/?", { kind: "help" }],
  ["/new x", { kind: "unknown", text: "/new" }],
])("the line %j of a conversation means %j", (line, meaning) => {
  expect(readLine(line)).toEqual(meaning)
})
