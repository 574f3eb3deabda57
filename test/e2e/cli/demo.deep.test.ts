import { readFile } from "node:fs/promises"
import path from "node:path"
import { expect, it } from "vitest"
import { complaintsOf, createProject } from "./program.ts"

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
    expect(stdout).toContain('still "paused"')
    expect(stdout).toContain("│ # Survey of adjutant")
    const quoted = [...stdout.matchAll(/^ +│ ([\w./-]+):(\d+):(.*)$/gm)]
    expect(quoted.length).toBeGreaterThan(0)
    for (const [, file = "", line, text = ""] of quoted)
      expect((await readFile(path.join(packageRoot, file), "utf8")).split("\n")[Number(line) - 1]).toContain(
        text.trimEnd(),
      )
    expect(stdout).toContain("finished: completed")
    expect(stdout).toMatch(/Temporal UI: http/)
    for (const pid of pids) expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH")
  } finally {
    await project.remove()
  }
})
