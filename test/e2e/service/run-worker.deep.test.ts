import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, it } from "vitest"
import { parse, stringify } from "yaml"
import { readAddress } from "../../../service/ask-service.ts"
import { describeWith } from "../../helpers/needs.ts"
import { createSchema, postgres } from "../../helpers/store/store-under-test.ts"
import { createProject, startProgram } from "../cli/program.ts"

describeWith([postgres()], "with PostgreSQL", () => {
  it("the worker of a program is one more of the store, beside the service of this machine", async () => {
    await using project = await createProject(
      { plain: { turns: [{ reply: { text: "Hello." } }] } },
      { ADJUTANT_TRUST: "1" },
    )
    const file = path.join(project.cwd, "adjutant.config.yaml")
    const config: object = parse(await readFile(file, "utf8"))
    await writeFile(file, stringify({ ...config, store: { url: await createSchema() } }))
    const program = startProgram(project, [], [process.execPath, path.join(import.meta.dirname, "worker-program.ts")])
    try {
      await program.stderrHas("program ready")
      expect(readAddress(project.dataDir)).toBeUndefined()
      const ended = await project.run("run", "hi", "--model", "plain", "--output", "json")
      expect(ended.code, ended.stderr).toBe(0)
      expect(readAddress(project.dataDir)).toMatchObject({ kind: "on-demand" })
      program.child.kill("SIGTERM")
      expect((await program.ended).code, program.stderr()).toBe(0)
      expect(readAddress(project.dataDir)).toMatchObject({ kind: "on-demand" })
    } finally {
      program.child.kill("SIGKILL")
    }
  })
})
