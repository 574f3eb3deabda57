import { readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { Interrupted } from "../../../../cli/terminal/interrupts.ts"
import { runCli } from "../../../../cli/run-cli.ts"
import { choiceOf } from "../../../../cli/run/prompt/decide-call.ts"
import { editArguments } from "../../../../cli/run/prompt/edit-arguments.ts"
import { editorCommand, pagerCommand, type Person, type TerminalProgram } from "../../../../cli/terminal/person.ts"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { OutcomeDocument } from "../../../../contracts/session/outcome-document.ts"
import { pendingCall } from "../../../helpers/pending-call.ts"
import { completed, paused, session, stubEnvironment, type StubOptions } from "../stub-environment.ts"

/** A person who answers with these lines, one after another, and then closes the input. Undefined: Ctrl-C. Nobody may ask after the end. */
const personWith = (answers: readonly (string | undefined)[]) => {
  const left = [...answers]
  const asked: string[] = []
  let hasEnded = false
  const person: Person = {
    ask: async (question) => {
      if (hasEnded) throw new Error(`asked after the end of the input: ${question}`)
      asked.push(question)
      if (left.length === 0) {
        hasEnded = true
        return undefined
      }
      const line = left.shift()
      if (line === undefined) throw new Interrupted("SIGINT")
      return line
    },
    discardTyped: async () => undefined,
    run: async () => 0,
  }
  return { person, asked }
}

/** Runs a command whose run pauses first, then ends, with a person at the terminal. */
const runWith = async (
  answers: readonly (string | undefined)[],
  documents: readonly OutcomeDocument[] = [paused, completed],
  options: StubOptions & { readonly argv?: readonly string[] } = {},
) => {
  const left = [...documents]
  const stub = stubEnvironment({ ...options, client: { wait: async () => left.shift(), ...options.client } })
  const { person, asked } = personWith(answers)
  const exitCode = await runCli(options.argv ?? ["run", "p"], { ...stub.environment, person })
  return { exitCode, asked, ...stub }
}

const two: OutcomeDocument = {
  ...paused,
  pause_reason: {
    type: "tool_approval_required",
    pending_tool_calls: [
      pendingCall({ id: "call_1", name: "Write", arguments: { file_path: "a.md" } }),
      {
        ...pendingCall({ id: "call_2", name: "Bash", arguments: { command: "ls" } }),
        task_id: "child1",
        checkpoint_id: "cp_child",
      },
    ],
  },
}

test("an approval at the prompt is sent for the pause that was shown, and the run is followed to its end", async () => {
  const { exitCode, argumentOf, written, asked } = await runWith(["a"])
  expect(asked).toEqual(["[a]pprove [r]eject [e]dit [d]iff [l]ater [?] > "])
  expect(argumentOf("decide")).toMatchObject({
    sessionId: "abc123",
    checkpointId: "cp_one",
    decisions: { call_1: { action: "accept" } },
    unlisted: "pending",
  })
  expect(exitCode).toBe(0)
  expect(written.stdout).toContain("All done.")
  expect(written.stdout).not.toContain("adjutant run -c")
})

test("resume without a decision asks as run does, and an ended task needs an instruction", async () => {
  const { exitCode, argumentOf, names, asked } = await runWith(["a"], [paused, completed], {
    argv: ["resume", "abc123"],
  })
  expect(asked).toHaveLength(1)
  expect(argumentOf("decide")).toMatchObject({ sessionId: "abc123", decisions: { call_1: { action: "accept" } } })
  expect(names()).toContain("handOver")
  expect(exitCode).toBe(0)
  const ended = await runWith([], [completed], {
    argv: ["resume", "abc123"],
    client: { info: async () => session({ status: "completed" }) },
  })
  expect(ended.exitCode).toBe(2)
  expect(ended.written.stderr).toContain("there is no next instruction")
})

test("a change of which the pause has the beginning is read whole for the key that shows it", async () => {
  const pending = pendingCall({ id: "call_1", name: "Write", arguments: { file_path: "a.md" } })
  const cut = { ...pending, preview: { ...pending.preview, diff: "+line 1", is_cut: true } }
  const whole = { ...pending.preview, diff: Array.from({ length: 432 }, (_, at) => `+line ${at + 1}`).join("\n") }
  const document: OutcomeDocument = {
    ...paused,
    pause_reason: { type: "tool_approval_required", pending_tool_calls: [cut] },
  }
  const { written, argumentOf } = await runWith(["d", "a"], [document, completed], {
    client: { preview: async () => whole },
  })
  expect(written.stdout.indexOf("d shows all of it")).toBeLessThan(written.stdout.indexOf("+line 2"))
  expect(written.stdout).toContain("+line 431\n  +line 432\n")
  expect(argumentOf("decide")).toMatchObject({ decisions: { call_1: { action: "accept" } } })
  const failing = await runWith(["d", "l"], [document])
  expect(failing.written.stderr).toContain("adjutant: only the beginning can be shown: ")
})

test("calls of several tasks are asked one after another, and each decision goes to its own pause", async () => {
  const { calls, asked } = await runWith(["approve", "r", "too risky"], [two, completed])
  expect(asked.slice(0, 2).map((question) => question.slice(0, 12))).toEqual(["Call 1 of 2:", "Call 2 of 2:"])
  expect(calls.filter(({ name }) => name === "decide").map(({ args }) => args[0])).toMatchObject([
    { sessionId: "abc123", checkpointId: "cp_one", decisions: { call_1: { action: "accept" } } },
    {
      sessionId: "child1",
      checkpointId: "cp_child",
      decisions: { call_2: { action: "reject", content: "too risky" } },
    },
  ])
})

test.each([
  ["later", ["a", "l"]],
  ["the end of the input", ["a"]],
  ["the end of the input instead of a reason", ["r"]],
  ["a typing mistake and the end of the input", ["a", "yes", ""]],
])("nothing is sent for any call after %s, and the command says how to continue", async (_, answers) => {
  const { exitCode, names, written } = await runWith(answers, [two])
  expect(names()).not.toContain("decide")
  expect(exitCode).toBe(10)
  expect(written.stdout).toContain("Task abc123 stays paused; nothing was decided.")
  expect(written.stdout).toContain("Approve:  adjutant run -c cp_one --approve call_1")
})

test("Ctrl-C at the prompt sends nothing and says how to continue", async () => {
  const { names, written } = await runWith(["a", undefined], [two])
  expect(names()).not.toContain("decide")
  expect(names()).not.toContain("cancel")
  expect(written.stdout).toContain("Task abc123 stays paused; nothing was decided.")
})

test("a question of the model is answered with a line; an empty one leaves it", async () => {
  const question: OutcomeDocument = { ...paused, pause_reason: { type: "input_required" }, agent_message: "Which?" }
  const { argumentOf } = await runWith(["the second"], [question, completed])
  expect(argumentOf("send")).toMatchObject({ checkpointId: "cp_one", type: "message", text: "the second" })
  const left = await runWith([""], [question])
  expect(left.names()).not.toContain("send")
  expect(left.exitCode).toBe(10)
})

test("a pause that another person has decided meanwhile is not decided again", async () => {
  const decide = async () => Promise.reject(new AdjutantError("already_decided", "call call_1 was rejected"))
  const { exitCode, written } = await runWith(["a"], [paused, completed], { client: { decide } })
  expect(written.stderr).toContain("adjutant: call call_1 was rejected")
  expect(exitCode).toBe(0)
})

test("nobody is asked if the output is for a program", async () => {
  const { exitCode, asked } = await runWith(["a"], [paused], { argv: ["run", "p", "--output", "json"] })
  expect(asked).toEqual([])
  expect(exitCode).toBe(10)
})

test("a choice is its key or its word, and nothing else", () => {
  expect(["a", " Approve ", "R", "d", "later", "e"].map(choiceOf)).toEqual([
    "approve",
    "approve",
    "reject",
    "diff",
    "later",
    "edit",
  ])
  for (const line of ["", "y", "yes", "ap", "approve all"]) expect(choiceOf(line)).toBeUndefined()
})

const call = pendingCall({ id: "c", name: "Write", arguments: { file_path: "a.md", content: "hidden \u202e text" } })

const edited = async (change: (text: string) => string, code = 0) => {
  let seen: { readonly text: string; readonly mode: number; readonly file: string } | undefined
  const run = async ({ args = [] }: TerminalProgram) => {
    const file = args[0] ?? ""
    const text = await readFile(file, "utf8")
    seen = { text, file, mode: (await stat(file)).mode & 0o777 }
    await writeFile(file, change(text))
    return code
  }
  const result = await editArguments(
    { ask: async () => undefined, discardTyped: async () => undefined, run },
    "ed",
    call,
  )
  return { result, seen }
}

test("the editor gets the arguments as JSON that shows every character, in a file that only its owner reads", async () => {
  const { result, seen } = await edited((text) => text.replace("a.md", "b.md"))
  expect(seen?.text).toContain(String.raw`hidden \u202e text`)
  expect(seen?.mode).toBe(0o600)
  await expect(stat(seen?.file ?? "")).rejects.toThrow("ENOENT")
  expect(result).toEqual({ arguments: { ...call.arguments, file_path: "b.md" } })
})

test.each([
  ["is unchanged", (text: string) => text, 0, "the arguments are unchanged"],
  ["contains other text than JSON", () => "{", 0, "the file is not a JSON object with the arguments"],
  ["contains a list", () => "[1]", 0, "the file is not a JSON object with the arguments"],
  ["comes from an editor that failed", () => "{}", 1, "the editor `ed` failed; set VISUAL or EDITOR to another one"],
] as const)("a file that %s edits nothing", async (_, change, code, problem) => {
  expect((await edited(change, code)).result).toEqual({ problem })
})

test("the editor gets a new content as the text that it is, in a file of its language", async () => {
  const files: string[] = []
  const contents: string[] = []
  const editWith = (change: (text: string) => string, args: Record<string, unknown>, name = "Write") =>
    editArguments(
      {
        ask: async () => undefined,
        discardTyped: async () => undefined,
        run: async ({ args: [file = ""] = [] }: TerminalProgram) => {
          files.push(path.basename(file))
          const text = await readFile(file, "utf8")
          contents.push(text)
          await writeFile(file, change(text))
          return 0
        },
      },
      "ed",
      pendingCall({ id: "c", name, arguments: args }),
    )
  const write = { file_path: "src/a.ts", content: 'one\n"two"' }
  expect(await editWith((text) => `${text.replace("one", "1")}\n`, write)).toEqual({
    arguments: { file_path: "src/a.ts", content: '1\n"two"' },
  })
  expect(await editWith((text) => `${text}\n`, write)).toEqual({ problem: "the arguments are unchanged" })
  expect(await editWith(() => "ls -l", { command: "ls" }, "Bash")).toEqual({ arguments: { command: "ls -l" } })
  expect(files).toEqual(["text.ts", "text.ts", "command.sh"])
  expect(contents[0]).toBe(write.content)
})

test("the editor gets each new text of several edits as a file of its own", async () => {
  const edits = [
    { old_string: "a", new_string: "b" },
    { old_string: "c", new_string: "d" },
  ]
  const run = async ({ args = [] }: TerminalProgram) => {
    expect(args.map((file) => path.basename(file))).toEqual(["text-1.ts", "text-2.ts"])
    await writeFile(args[1] ?? "", "D\n")
    return 0
  }
  const asked = pendingCall({ id: "c", name: "MultiEdit", arguments: { file_path: "a.ts", edits } })
  const person = { ask: async () => undefined, discardTyped: async () => undefined, run }
  expect(await editArguments(person, "ed", asked)).toEqual({
    arguments: { file_path: "a.ts", edits: [edits[0], { old_string: "c", new_string: "D" }] },
  })
})

const three = (protectedIds: readonly string[] = []): OutcomeDocument => ({
  ...paused,
  pause_reason: {
    type: "tool_approval_required",
    pending_tool_calls: ["call_1", "call_2", "call_3"].map((id) => ({
      ...pendingCall({ id, name: "Bash", arguments: { command: `git status ${id}` } }),
      ...(protectedIds.includes(id) ? { protected: true as const } : {}),
    })),
  },
})

test("all approves the rest of a batch except calls that change protected files, which are asked one by one", async () => {
  const { argumentOf, asked } = await runWith(["r", "no", "all", "r", ""], [three(["call_3"]), completed])
  expect(asked.filter((question) => question.startsWith("Call"))).toHaveLength(3)
  expect(argumentOf("decide")).toMatchObject({
    decisions: {
      call_1: { action: "reject", content: "no" },
      call_2: { action: "accept" },
      call_3: { action: "reject" },
    },
  })
  const alone = await runWith(["all", "l"], [three(["call_1"])])
  expect(alone.written.stderr).toContain("This call changes protected files: decide it by itself.")
  expect(alone.names()).not.toContain("decide")
})

test("back goes to the call before, while nothing is sent yet", async () => {
  const { argumentOf, asked } = await runWith(["a", "back", "r", "", "a", "a"], [three(), completed])
  expect(asked.map((question) => question.slice(0, 11)).filter((question) => question.startsWith("Call"))).toEqual([
    "Call 1 of 3",
    "Call 2 of 3",
    "Call 1 of 3",
    "Call 2 of 3",
    "Call 3 of 3",
  ])
  expect(argumentOf("decide")).toMatchObject({ decisions: { call_1: { action: "reject" } } })
})

test("always shows the grant that it makes, asks once, and approves the call", async () => {
  const { argumentOf, asked, names } = await runWith(["always", "y", "a", "a"], [three(), completed])
  expect(asked[1]).toBe("Approve, and let Bash git status * run without a decision for 2 hours? [y]es [n]o > ")
  expect(argumentOf("grant")).toMatchObject({
    sessionId: "abc123",
    tool: "Bash",
    patterns: { command: "git status *" },
    expiresInSeconds: 7_200,
  })
  expect(names().indexOf("grant")).toBeLessThan(names().indexOf("decide"))
  const refused = await runWith(["always", "n", "l"], [three()])
  expect(refused.names()).not.toContain("grant")
})

test.each(["?", "what"])("%s prints a line for each answer", async (typed) => {
  const { written } = await runWith([typed, "l"], [three()])
  for (const line of [
    "a       approve this call",
    "all     approve",
    "back    go back",
    "always  approve it, and let Bash",
  ])
    expect(written.stderr).toContain(line)
})

test("the environment chooses pager and editor", () => {
  expect(pagerCommand({ PAGER: "more -d" })).toBe("more -d")
  expect([{ PAGER: "" }, { PAGER: "cat" }, { PATH: "" }].map(pagerCommand)).toEqual([undefined, undefined, undefined])
  expect(editorCommand({ VISUAL: "code -w", EDITOR: "vi" })).toBe("code -w")
  expect(editorCommand({ EDITOR: "nano" })).toBe("nano")
  expect(editorCommand({ PATH: "" })).toBeUndefined()
})
