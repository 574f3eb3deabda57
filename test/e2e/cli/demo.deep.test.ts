import { readFile } from "node:fs/promises"
import path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { expect, it } from "vitest"
import { describeWith } from "../../helpers/needs.ts"
import { python, runInTerminal } from "../../helpers/terminal/run-in-terminal.ts"
import { complaintsOf, createProject, launcher, startProgram } from "./program.ts"

const packageRoot = path.join(import.meta.dirname, "../../..")

it("the demo kills its worker, continues with another one, and ends with the report", async () => {
  const project = await createProject({})
  try {
    const ended = await project.run("demo", "--offline")
    const { code, stdout } = ended
    expect([code, complaintsOf(ended)]).toEqual([0, ""])
    const pids = [...stdout.matchAll(/process (\d+) is ready/g)].map(([, pid]) => pid)
    expect(new Set(pids).size).toBe(2)
    expect(stdout).toContain(`SIGKILL to process ${pids[0]}`)
    expect(stdout).toContain('still "running"')
    expect(stdout).not.toContain("to decide yourself")
    expect(stdout).toContain("│ # Survey of adjutant")
    const quoted = [...stdout.matchAll(/^ +│ ([\w./-]+):(\d+):(.*)$/gm)]
    expect(quoted.length).toBeGreaterThan(0)
    for (const [, file = "", line, text = ""] of quoted)
      expect((await readFile(path.join(packageRoot, file), "utf8")).split("\n")[Number(line) - 1]).toContain(
        text.trimEnd(),
      )
    expect(stdout).toContain("finished: completed")
    expect(stdout).toMatch(/Temporal UI at http/)
    for (const pid of pids) expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH")
  } finally {
    await project.remove()
  }
})

describeWith([python], "the demo at a terminal", () => {
  it("waits for a person, who can decide with the command that it shows", async () => {
    const project = await createProject({})
    try {
      const demo = runInTerminal(project, [process.execPath, launcher, "demo", "--offline"])
      await demo.shows("Press Enter when you have decided")
      const shown = stripVTControlCharacters(demo.shown()).replaceAll("\r\n", "\n")
      const command = /in another terminal: adjutant (.+)\n/.exec(shown)?.[1] ?? ""
      const decided = await startProgram(project, [`${launcher} ${command}`], ["sh", "-c"]).ended
      expect([decided.code, decided.stdout]).toEqual([0, expect.stringContaining("The survey is done.")])
      demo.type("\n")
      await demo.shows("You have decided")
      expect(await demo.ended).toBe(0)
    } finally {
      await project.remove()
    }
  })
})
