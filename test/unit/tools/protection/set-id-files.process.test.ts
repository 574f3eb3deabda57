import { spawnSync } from "node:child_process"
import { chmodSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { plantedNotice } from "../../../../domain/workspace/planted-paths.ts"
import { defaultResourceLimits } from "../../../../tools/sandbox/process/resource-limits.ts"
import { linuxLaunch, runtimeRefusesSetId } from "../../../../tools/sandbox/runtime/runtime-launch.ts"
import { clearSetId } from "../../../../tools/protection/set-id-files.ts"
import type { Sandbox } from "../../../../tools/sandbox/sandbox.ts"
import { createUnconfined } from "../../../../tools/sandbox/unconfined.ts"
import { untilPasses } from "../../../helpers/eventually.ts"
import { createWorkspace } from "../workspace.ts"
import { describeEachBackend } from "../sandbox/backends.ts"
import { createCommand, testLimits } from "../sandbox/command.ts"
import { createGuarded } from "../sandbox/guarded.ts"

/** Represents a backend without a filter of system calls, such as docker. */
const withoutFilter = (): Sandbox => ({ ...createUnconfined("a test", testLimits), kind: "docker", confined: true })

const setIdOf = (path: string): number => statSync(path).mode & 0o6000

test.runIf(runtimeRefusesSetId)(
  "a command of the runtime that does not start bubblewrap, and gets no filter, does not run",
  () => {
    const { workspace, cwd, env } = createCommand("")
    const { file, args } = linuxLaunch(
      {
        ...{ wrapped: "touch ran", args: [], cwd, env, marks: {}, resources: defaultResourceLimits },
        cleanUp: async () => undefined,
      },
      "/usr/bin/bwrap",
    )
    const { status, stderr } = spawnSync(file, [...args], { cwd, env, encoding: "utf8" })
    expect([status, stderr.trim()]).toEqual([125, "the command of sandbox-runtime does not start /usr/bin/bwrap"])
    expect(readdirSync(workspace.cwd)).toEqual([])
  },
)

test("a file has no setuid or setgid bit after a command that it did not have before", async () => {
  const rig = createGuarded(withoutFilter())
  rig.put("old", "kept")
  rig.put("replaced", "was there")
  for (const name of ["old", "replaced"]) chmodSync(join(rig.cwd, name), 0o4755)
  const { planted } = await rig.run(
    [
      "cp /bin/sh shell; chmod 6755 shell; mkdir -p node_modules/x closed; cp -p shell node_modules/x/copy",
      "cp /bin/sh replaced; chmod 4755 replaced; mv shell hidden; chmod 4111 hidden",
      "cp -p node_modules/x/copy closed/inner; chmod 000 closed",
    ].join("; "),
  )
  for (const name of ["hidden", "node_modules/x/copy", "replaced", "closed/inner"])
    expect(setIdOf(join(rig.cwd, name)), name).toBe(0)
  expect(statSync(join(rig.cwd, "hidden")).mode & 0o777).toBe(0o111)
  expect(setIdOf(join(rig.cwd, "old"))).toBe(0o4000)
  expect(planted?.map(({ path, state }) => `${path} ${state}`).toSorted()).toEqual([
    "closed/inner cleared",
    "hidden cleared",
    "node_modules/x/copy cleared",
    "replaced cleared",
  ])
  expect(plantedNotice(planted)).toContain("- hidden: its setuid and setgid bits were removed")
})

await describeEachBackend(async ({ create }) => {
  test("no file has such a bit after a guarded command", async () => {
    const sandbox = await create()
    const rig = createGuarded(sandbox)
    const { output } = await rig.run(
      `cp /bin/sh shell; chmod 4755 shell; install -m 6755 /bin/sh other; ${process.execPath} -e 'require("fs").writeFileSync("node", "", { mode: 0o4755 })'; ls`,
    )
    expect(output).toContain("shell")
    for (const name of readdirSync(rig.cwd)) expect(setIdOf(join(rig.cwd, name)), name).toBe(0)
    await sandbox.close?.()
  })
})

test("a command in the background loses the bits when it ends, not those that another command finds", async () => {
  const rig = createGuarded(withoutFilter())
  const { ownerId, outputFile } = createCommand("")
  await rig.run("cp /bin/sh shell; chmod 4755 shell; touch made; while [ ! -e end ]; do sleep 0.05; done", {
    ...{ background: true, ownerId, outputFile },
  })
  await untilPasses(() => expect(rig.has("made")).toBe(true))
  await rig.run("true")
  rig.put("end", "")
  await untilPasses(() => expect(readdirSync(join(rig.dataDir, "watches"))).toEqual([]))
  expect(setIdOf(join(rig.cwd, "shell"))).toBe(0)
})

test("the bits of a file outside are not removed through a link in its path", async () => {
  const { cwd, root } = createWorkspace()
  const outside = join(root, "outside")
  writeFileSync(outside, "")
  chmodSync(outside, 0o4755)
  symlinkSync(root, join(cwd, "folder"))
  await expect(clearSetId(join(cwd, "folder", "outside"))).rejects.toThrow("replaced")
  renameSync(join(cwd, "folder"), join(cwd, "other"))
  symlinkSync(outside, join(cwd, "link"))
  await expect(clearSetId(join(cwd, "link"))).rejects.toThrow()
  expect(setIdOf(outside)).toBe(0o4000)
})
