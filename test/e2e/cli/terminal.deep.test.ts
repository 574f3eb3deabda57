import { chmod, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import type { AdjutantClient } from "../../../client/create-client.ts"
import { connect } from "../../../client/connect.ts"
import { describeWith } from "../../helpers/needs.ts"
import { python, runInTerminal, type TerminalRun } from "../../helpers/terminal/run-in-terminal.ts"
import { createProject, launcher, type ProjectDirectory } from "./program.ts"

const clearScreen = "\u001b[2J\u001b[1;1H"

const write = (id: string, content: string) => ({
  id,
  name: "Write",
  arguments: { file_path: `${id}.txt`, content },
})

const models = {
  main: {
    conversations: [
      {
        when: { user: "^write one" },
        turns: [
          {
            reply: { text: `May I write? ${clearScreen}`, tool_calls: [write("one", `first line\n${clearScreen}\n`)] },
          },
          { reply: { text: "The notes are done." } },
        ],
      },
      {
        when: { user: "^write two" },
        turns: [{ reply: { tool_calls: [write("left", "l\n"), write("right", "r\n")] } }, { reply: { text: "Done." } }],
      },
      {
        when: { user: "^write much" },
        turns: [
          {
            reply: { tool_calls: [write("much", `${Array.from({ length: 90 }, (_, n) => `line ${n}`).join("\n")}\n`)] },
          },
          { reply: { text: "Done." } },
        ],
      },
      { turns: [{ reply: { text: "Which one?" } }] },
    ],
  },
}

const question = "[a]pprove [r]eject [e]dit [d]iff [l]ater"

/** Stops a hang: on a busy machine, each start of the program takes long. */
const patienceMs = 300_000

/** The control sequences that the program itself may send: colours, and the removal of a line. */
const ownSequences = ["K", "1m", "2m", "22m", "31m", "32m", "33m", "36m", "39m"]

/** Removes the control sequences of the program itself from what a terminal has shown. */
const withoutOwn = (shown: string): string =>
  ownSequences.reduce((text, sequence) => text.replaceAll(`\u001b[${sequence}`, ""), shown)

describeWith([python], "adjutant run at a terminal", () => {
  let project: ProjectDirectory
  let client: AdjutantClient
  let runs: TerminalRun[] = []
  beforeAll(async () => {
    project = await createProject(models)
    client = await connect({ cwd: project.cwd, env: project.env })
  })
  afterAll(async () => {
    await client.close()
    await project.remove()
  })
  beforeEach(() => {
    runs = []
  })
  afterEach(async () => {
    for (const { child } of runs) child.kill("SIGKILL")
    for (const name of ["one", "left", "right", "much"])
      await rm(path.join(project.cwd, `${name}.txt`), { force: true })
  })

  const inTime = (title: string, run: () => Promise<void>): void => it(title, run, patienceMs)
  const start = (env: Readonly<Record<string, string>>, ...argv: readonly string[]): TerminalRun => {
    const place = { cwd: project.cwd, env: { ...project.env, TERM: "xterm", ...env } }
    const run = runInTerminal(place, [process.execPath, launcher, ...argv])
    runs.push(run)
    return run
  }
  const file = (name: string) => readFile(path.join(project.cwd, `${name}.txt`), "utf8")
  const pausedId = (run: TerminalRun): string => /Task (\w+) is paused/.exec(run.shown())?.[1] ?? ""

  inTime("asks at the pause, shows the diff in colours, and continues after the approval", async () => {
    const run = start({}, "run", "--pause-on-approval", "--watch", "write one")
    await run.shows(question)
    run.type("what?\n")
    await run.shows(question)
    expect(run.shown()).toContain("\u001b[32m+first line\u001b[39m")
    run.type("a\n")
    // Without the finish tool, the text waits for an answer; an empty one leaves it.
    await run.shows("Your answer")
    run.type("\n")
    expect(await run.ended).toBe(10)
    expect(await file("one")).toContain("first line")
    // What a wait or the status showed on its line was erased.
    const left = run
      .shown()
      .split("\n")
      .map((line) => line.split("\r\u001b[K").at(-1))
    const text = stripVTControlCharacters(left.join("\n").replaceAll("\r", ""))
    expect(text).toMatch(/^task \w+\n/m)
    expect(text.match(/The notes are done\./g)).toHaveLength(1)
    expect(text).toContain("stays paused")
    // Neither the model's text nor the file's content controls the terminal.
    expect(withoutOwn(run.shown())).not.toContain("\u001b")
  })

  inTime("shows no colours if NO_COLOR is set", async () => {
    const run = start({ NO_COLOR: "1" }, "run", "--pause-on-approval", "write one")
    await run.shows(question)
    expect(run.shown().replaceAll("\u001b[K", "")).not.toContain("\u001b[")
    run.type("l\n")
    expect(await run.ended).toBe(10)
    expect(run.shown()).toContain("adjutant run -c cp_")
    expect((await client.info(pausedId(run))).status).toBe("paused")
  })

  inTime("leaves the session paused at Ctrl-C, even after answers, and says how to continue", async () => {
    const run = start({}, "run", "--pause-on-approval", "write two")
    await run.shows("Call 1 of 2: ")
    await run.shows(question)
    run.type("a\n")
    await run.shows("Call 2 of 2: ")
    await run.shows(question)
    run.type("\u0003")
    expect(await run.ended).toBe(130)
    expect(run.shown()).toContain("stays paused; nothing was decided")
    expect(run.shown()).toContain("--approve-all")
    const { status, pause_reason } = await client.info(pausedId(run))
    expect([status, pause_reason?.pending_tool_calls?.length]).toEqual(["paused", 2])
    await expect(file("left")).rejects.toThrow("ENOENT")
  })

  inTime("sends arguments from the editor, and a rejection with its reason", async () => {
    const editor = path.join(project.cwd, "editor.sh")
    await writeFile(editor, `#!/bin/sh\nsed -i 's/^l$/edited by hand/' "$1"\n`)
    await chmod(editor, 0o755)
    const run = start({ EDITOR: `'${editor}'` }, "run", "--pause-on-approval", "write two")
    await run.shows(question)
    run.type("e\n")
    await run.shows("Call 2 of 2: ")
    await run.shows(question)
    run.type("reject\n")
    await run.shows("Reason")
    run.type("not needed\n")
    await run.shows("Your answer")
    run.type("\n")
    expect(await run.ended).toBe(10)
    expect(await file("left")).toBe("edited by hand\n")
    await expect(file("right")).rejects.toThrow("ENOENT")
    const rows = await client.messages(pausedId(run))
    expect(JSON.stringify(rows)).toContain("not needed")
  })

  inTime("shows a long diff in the pager", async () => {
    const pager = path.join(project.cwd, "pager.sh")
    await writeFile(pager, `#!/bin/sh\nwc -l > "$1"\n`)
    await chmod(pager, 0o755)
    const counted = path.join(project.cwd, "counted")
    const run = start({ PAGER: `'${pager}' '${counted}'` }, "run", "--pause-on-approval", "write much")
    await run.shows("more lines: d shows them all")
    await run.shows(question)
    expect(run.shown()).not.toContain("line 80")
    run.type("d\n")
    await run.shows(question)
    expect(Number(await readFile(counted, "utf8"))).toBeGreaterThan(90)
    run.type("l\n")
    expect(await run.ended).toBe(10)
  })

  inTime("leaves Ctrl-C to the pager, and asks again after it", async () => {
    const pager = path.join(project.cwd, "patient-pager.sh")
    const lines = [
      ...["#!/bin/sh", "trap '' INT", "cat > /dev/null", "exec 3< /dev/tty"],
      ...["echo the pager reads", "read -r line <&3", 'echo "the pager got $line"'],
    ]
    await writeFile(pager, `${lines.join("\n")}\n`)
    await chmod(pager, 0o755)
    const run = start({ PAGER: `'${pager}'` }, "run", "--pause-on-approval", "write much")
    await run.shows(question)
    run.type("d\n")
    await run.shows("the pager reads")
    run.type("\u0003")
    await run.shows("^C")
    run.type("q\n")
    // Nobody else reads the terminal meanwhile.
    await run.shows("the pager got q")
    await run.shows(question)
    expect(run.shown()).not.toContain("line 80")
    run.type("l\n")
    expect(await run.ended).toBe(10)
  })

  inTime("does not take what was typed before a call is shown as its decision", async () => {
    const run = start({}, "run", "--pause-on-approval", "write two")
    await run.shows("Call 1 of 2: ")
    await run.shows(question)
    run.type("a\na\na\n")
    await run.shows("Call 2 of 2: ")
    await run.shows(question)
    run.type("l\n")
    expect(await run.ended).toBe(10)
    expect(run.shown()).toContain("stays paused; nothing was decided")
  })

  inTime("leaves the session paused if its prompt was typed and the input has ended", async () => {
    const run = start({}, "run", "--pause-on-approval", "-")
    run.type("write one\n\u0004")
    expect(await run.ended).toBe(10)
    expect(run.shown()).toContain("stays paused; nothing was decided")
  })

  inTime("asks nothing if stdout is a pipe", async () => {
    const run = runInTerminal({ cwd: project.cwd, env: { ...project.env, TERM: "xterm" } }, [
      "sh",
      "-c",
      `'${process.execPath}' '${launcher}' run --pause-on-approval 'write one' | cat; echo over`,
    ])
    runs.push(run)
    await run.shows("over")
    expect(await run.ended).toBe(0)
    expect(run.shown()).toContain("Approve:  adjutant run -c")
    expect(run.shown()).not.toContain(question)
    expect(run.shown()).not.toContain("\u001b[32m")
  })
})
