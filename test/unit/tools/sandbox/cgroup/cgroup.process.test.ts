import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { findCgroupParent } from "../../../../../tools/sandbox/cgroup/cgroup-parent.ts"
import { cgroupPrefix, createCommandCgroup } from "../../../../../tools/sandbox/cgroup/command-cgroup.ts"
import { limitByCgroup } from "../../../../../tools/sandbox/cgroup/limit-by-cgroup.ts"
import { type PlanLaunch, shellFile, shellFlags } from "../../../../../tools/sandbox/launch.ts"
import { defaultResourceLimits } from "../../../../../tools/sandbox/process/resource-limits.ts"
import { createProcessRunner } from "../../../../../tools/sandbox/process/run-process.ts"
import { createCommand, testLimits } from "../command.ts"

/** An ordinary directory in place of the cgroup filesystem: it takes what the worker writes, and limits nothing. */
let root: string
let parent: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "adjutant-cgroup-"))
  parent = join(root, "adjutant.service")
  mkdirSync(join(parent, "worker"), { recursive: true })
  delegate(parent)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const delegate = (directory: string, controllers = "cpu memory pids"): void => {
  writeFileSync(join(directory, "cgroup.controllers"), `${controllers}\n`)
  writeFileSync(join(directory, "cgroup.subtree_control"), "cpu\n")
}

const find = (membership: string) => {
  writeFileSync(join(root, "membership"), membership)
  return findCgroupParent({ root, membership: join(root, "membership") })
}

const limits = { ...defaultResourceLimits, memoryMb: 100, processes: 20 }
const read = (directory: string, name: string): string => readFileSync(join(directory, name), "utf8")

describe("the directory for the control groups of commands", () => {
  it("is the one above the worker's own group, where limits are switched on", async () => {
    expect(await find("1:name=systemd:/x\n0::/adjutant.service/worker\n")).toBe(parent)
    expect(read(parent, "cgroup.subtree_control")).toBe("+memory +pids")
  })

  it("is the worker's own group if that is the delegated one", async () => {
    delegate(join(parent, "worker"))
    delegate(parent, "cpu")
    expect(await find("0::/adjutant.service/worker\n")).toBe(join(parent, "worker"))
  })

  it.each([
    ["version 1", "4:memory:/adjutant.service/worker\n"],
    ["a group outside the mount point", "0::/../../elsewhere\n"],
    ["a group that is not delegated", "0::/\n"],
  ])("does not exist with %s", async (_, membership) => {
    expect(await find(membership)).toBeUndefined()
  })

  it("loses the groups of workers that no longer run", async () => {
    const prefix = await cgroupPrefix()
    const abandoned = join(parent, `${prefix}4194305-1`)
    const own = join(parent, `${prefix}${process.pid}-1`)
    const inOtherContainer = join(parent, "adjutant-1-4194305-1")
    for (const directory of [abandoned, own, inOtherContainer]) mkdirSync(directory)
    await find("0::/adjutant.service/worker\n")
    expect(readdirSync(abandoned)).toEqual(["cgroup.kill"])
    expect(readdirSync(own)).toEqual([])
    expect(readdirSync(inOtherContainer)).toEqual([])
  })
})

describe("the control group of a command", () => {
  it("has limits on memory and processes, and reports which one the kernel enforced", async () => {
    const { path, exceeded } = await createCommandCgroup(parent, limits, "1")
    expect(Object.fromEntries(readdirSync(path).map((name) => [name, read(path, name)]))).toEqual({
      "memory.max": String(100 * 1024 * 1024),
      "memory.swap.max": "0",
      "memory.oom.group": "1",
      "pids.max": "25",
    })
    expect(await exceeded()).toBeUndefined()
    writeFileSync(join(path, "pids.events"), "max 0\n")
    expect(await exceeded()).toBeUndefined()
    writeFileSync(join(path, "pids.events"), "max 3\n")
    expect(await exceeded()).toBe("processes")
    writeFileSync(join(path, "memory.events"), "low 0\nhigh 0\nmax 5\noom 1\noom_kill 1\noom_group_kill 1\n")
    expect(await exceeded()).toBe("memoryMb")
  })

  /** Runs a shell command without a sandbox, in a control group. */
  const runIn = (directory: string | undefined, command: string) => {
    const plan: PlanLaunch = async ({ what, cwd, env }, marks) => ({
      file: shellFile,
      args: [...shellFlags, what.type === "shell" ? what.command : ""],
      env: { ...env, ...marks },
      cwd,
      descriptor3: { type: "lifeline" },
      resources: limits,
      groupTakesSigterm: true,
      leavesNothing: false,
    })
    return createProcessRunner(testLimits).run(createCommand(command), limitByCgroup(plan, directory))
  }

  it("is entered before the command starts, and killed at its end", async () => {
    const result = await runIn(parent, `cat ${parent}/adjutant-*/cgroup.procs; echo "$0 $#"; exit 3`)
    expect(result).toMatchObject({ exitCode: 3, output: "0\n/bin/bash 0\n" })
    const [group = ""] = readdirSync(parent).filter((name) => name.startsWith("adjutant-"))
    expect(read(join(parent, group), "cgroup.kill")).toBe("1")
  })

  it("ends a command to which the kernel refused something, with the reason", async () => {
    const refused = await runIn(
      parent,
      `for group in ${parent}/adjutant-*; do echo max 1 > $group/pids.events; done; sleep 60`,
    )
    expect(refused).toMatchObject({ signal: "SIGKILL", exceeded: expect.stringContaining("more than 20 processes") })
  })

  it("reports why a command was ended even if the kernel did it between two looks", async () => {
    const ended = await runIn(
      parent,
      `for group in ${parent}/adjutant-*; do echo oom_kill 1 > $group/memory.events; done; kill -KILL $$`,
    )
    expect(ended).toMatchObject({ signal: "SIGKILL", exceeded: expect.stringContaining("more than 100 MiB of memory") })
  })

  it("is left out if it cannot be created", async () => {
    expect(await runIn(join(root, "gone"), "echo ran")).toMatchObject({ exitCode: 0, output: "ran\n" })
    expect(await runIn(undefined, "echo ran")).toMatchObject({ exitCode: 0, output: "ran\n" })
  })
})
