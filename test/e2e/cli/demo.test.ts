import { expect, it } from "vitest"
import { complaintsOf, createProject } from "./program.ts"

it("the demo kills its worker, goes on with another one, and ends with the report", async () => {
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
    expect(stdout).toMatch(/package\.json:\d+:.*[Dd]urab/)
    expect(stdout).toContain("finished: completed")
    expect(stdout).toMatch(/Temporal UI: http/)
    for (const pid of pids) expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH")
  } finally {
    await project.remove()
  }
})
