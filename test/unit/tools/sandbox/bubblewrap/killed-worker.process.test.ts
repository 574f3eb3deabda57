import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { untilPasses } from "../../../../helpers/eventually.ts"
import { isAlive, pidIn } from "../../../../helpers/processes.ts"
import { describeWith } from "../../../../helpers/needs.ts"
import { createWorkspace } from "../../workspace.ts"

const file = fileURLToPath(import.meta.resolve("./start-killed.ts"))

/** Kills a worker while this script, in place of bubblewrap, starts a command; returns the id that it wrote of the process that may stay. */
const killWhileStarting = async (script: string): Promise<number> => {
  const { cwd } = createWorkspace()
  const program = join(cwd, "bwrap")
  writeFileSync(program, `#!/bin/bash\ncd ${cwd}\n${script}\ntouch started\nwhile :; do sleep 0.05; done\n`, {
    mode: 0o755,
  })
  const worker = spawn(process.execPath, [file, program, cwd], { stdio: "ignore" })
  await untilPasses(() => expect(existsSync(join(cwd, "started"))).toBe(true))
  worker.kill("SIGKILL")
  await once(worker, "exit")
  return pidIn(join(cwd, "pid"))
}

describeWith(
  [{ name: "Linux", isAvailable: process.platform === "linux" }],
  "a worker that is killed while bubblewrap starts",
  () => {
    test("takes with it a bubblewrap that has not asked yet to die with its parent", async () => {
      const pid = await killWhileStarting("echo $$ > pid")
      await untilPasses(() => expect(isAlive(pid)).toBe(false))
    })

    test("takes with it the first process inside, which has a session of its own and has not asked yet either", async () => {
      const inside = "setsid bash -c 'while :; do sleep 0.05; done' 6>&- &"
      const pid = await killWhileStarting(
        `${inside}\necho "{ \\"child-pid\\": $!, \\"pid-namespace\\": 1 }" >&6\necho $! > pid`,
      )
      await untilPasses(() => expect(isAlive(pid)).toBe(false))
    })
  },
)
