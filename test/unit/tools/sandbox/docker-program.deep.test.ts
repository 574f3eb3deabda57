import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createDocker } from "../../../../tools/sandbox/docker/docker.ts"
import type { SandboxProgram } from "../../../../tools/sandbox/sandbox.ts"
import { createWorkspace } from "../workspace.ts"
import { createCommand } from "./command.ts"
import { processesOf } from "./docker-stand-in-containers.ts"
import { createStandIn } from "./docker-stand-in.ts"
import { untilPasses } from "../../../helpers/eventually.ts"

const createProgram = (script: string, overrides: Partial<SandboxProgram> = {}): SandboxProgram => {
  const { cwd, root, context } = createWorkspace()
  const file = join(root, "program.sh")
  writeFileSync(file, `#!/bin/bash\n${script}\n`)
  chmodSync(file, 0o700)
  return {
    file,
    args: [],
    cwd,
    env: context.env,
    stdin: "",
    timeoutMs: 20_000,
    killGraceMs: 300,
    signal: new AbortController().signal,
    ownerId: context.sessionId,
    maxStdoutBytes: 1_000,
    maxStderrBytes: 400,
    ...overrides,
  }
}

describe.runIf(process.platform === "linux")("a program in docker, with a stand-in for client and engine", () => {
  test("reads its input, keeps its outputs apart, reports how it ended, and can only be read", async () => {
    const standIn = createStandIn()
    const program = createProgram(`cat; printf '<%s>' "$@"; echo problem >&2; exit 3`, {
      stdin: '{"a":1}',
      args: ["$(touch pwned)", "a b", "-n", ""],
    })
    expect(await createDocker(standIn.options).runProgram(program)).toEqual({
      exitCode: 3,
      signal: null,
      stoppedFor: null,
      stdout: '{"a":1}<$(touch pwned)><a b><-n><>',
      stderrEnd: "problem\n",
    })
    const shown = { type: "bind", source: program.file, target: program.file, readonly: "" }
    expect(standIn.last().mounts).toContainEqual(shown)
    expect(standIn.last().labels).toContain(`adjutant.owner=${program.ownerId}`)
    expect(standIn.containers()).toEqual([])
  })

  test("reports a failed start or docker's refusal as expected errors, and the program's own codes as results", async () => {
    const standIn = createStandIn()
    const sandbox = createDocker(standIn.options)
    for (const file of ["no-such-program", "/etc"])
      await expect(sandbox.runProgram(createProgram("", { file }))).rejects.toMatchObject({
        code: "sandbox_unavailable",
        message: expect.stringContaining(`exec ${file} failed`),
      })
    for (const exitCode of [125, 127])
      expect(await sandbox.runProgram(createProgram(`echo no >&2; exit ${exitCode}`))).toMatchObject({ exitCode })
    standIn.refuse("it is full")
    await expect(sandbox.runProgram(createProgram("true"))).rejects.toThrow("it is full")
  })

  test("may end without reading its input, and is stopped if it writes too much", async () => {
    const sandbox = createDocker(createStandIn().options)
    const early = createProgram("exec <&-; echo done", { stdin: "x".repeat(1_000_000) })
    expect(await sandbox.runProgram(early)).toMatchObject({ exitCode: 0, stdout: "done\n" })
    const endless = await sandbox.runProgram(createProgram("while :; do echo 0123456789; done"))
    expect(endless).toMatchObject({ stoppedFor: "output" })
    expect(endless.stdout).toHaveLength(1_000)
  })

  test("is killed with everything that it started if it ignores SIGTERM", async () => {
    const standIn = createStandIn()
    const abort = new AbortController()
    const program = createProgram(
      "trap '' TERM; setsid bash -c \"trap '' TERM; touch ready; while :; do sleep 0.05; done\" & while :; do sleep 0.05; done",
      { signal: abort.signal },
    )
    const result = createDocker(standIn.options).runProgram(program)
    await untilPasses(() => expect(existsSync(join(program.cwd, "ready"))).toBe(true))
    const { id } = standIn.last()
    abort.abort()
    expect(await result).toMatchObject({ stoppedFor: "abort", signal: "SIGKILL" })
    expect([standIn.containers(), processesOf(id)]).toEqual([[], []])
  })
})

describe.runIf(process.platform === "linux")("a container, with a stand-in for docker", () => {
  test("gets exactly the given environment, which is on no command line and does not affect the client", async () => {
    const standIn = createStandIn()
    const env = {
      PATH: "/usr/bin:/bin",
      TOKEN: "secret value",
      TEXT: "one\ntwo",
      LD_LIBRARY_PATH: "/own",
      HOME: "/me",
    }
    const seen = `[[ "$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ')" == *"$TOKEN"* ]] && echo leaked; env`
    const { output } = await createDocker(standIn.options).run(createCommand(seen, { env }))
    for (const line of ["TOKEN=secret value", "TEXT=one", "two", "LD_LIBRARY_PATH=/own", "HOME=/tmp", "TMPDIR=/tmp"])
      expect(output.split("\n")).toContain(line)
    expect(output).toContain("PATH=/image/bin:/usr/bin:/bin\n")
    expect(output).not.toMatch(/leaked|worker secret|WORKER_SECRET|ADJUTANT_|_PROXY/i)
    expect(JSON.stringify(standIn.calls())).not.toMatch(/secret value|\/own/)
    expect(standIn.last().clientEnv).toMatchObject({ HOME: "/home/worker", PATH: "/usr/bin:/bin" })
    expect(Object.keys(standIn.last().clientEnv)).not.toContain("LD_LIBRARY_PATH")
    expect(Object.keys(standIn.last().clientEnv)).not.toContain("WORKER_SECRET")
  })

  test("mounts a directory with commas, quotes and spaces under its name, and masks what is hidden in it", async () => {
    const standIn = createStandIn()
    const { workspace, ...command } = createCommand("pwd")
    const cwd = join(workspace.root, 'a, "b" c')
    const hidden = join(cwd, ".adjutant")
    mkdirSync(hidden, { recursive: true })
    const result = await createDocker(standIn.options).run({ ...command, cwd, hiddenDirs: [hidden, join(cwd, "none")] })
    expect(result.output).toBe(`${cwd}\n`)
    expect(standIn.last().mounts).toEqual([
      { type: "bind", source: cwd, target: cwd },
      { type: "tmpfs", target: hidden, "tmpfs-size": "4096", "tmpfs-mode": "0555", readonly: "" },
    ])
  })

  test("rejects a system folder and a missing folder as the working directory", async () => {
    const sandbox = createDocker(createStandIn().options)
    await expect(sandbox.run(createCommand("true", { cwd: "/usr" }))).rejects.toMatchObject({
      code: "sandbox_unavailable",
    })
    await expect(sandbox.run(createCommand("true", { cwd: "/does/not/exist" }))).rejects.toThrow()
  })

  test.each([
    ["name=rootless", { user: ["0:0"], userns: undefined }],
    ["name=userns", { user: [`${process.getuid?.()}:${process.getgid?.()}`], userns: ["host"] }],
    ["name=selinux", { "security-opt": ["no-new-privileges=true", "label=disable"] }],
    ["name=seccomp,profile=builtin", { userns: undefined, "security-opt": ["no-new-privileges=true"] }],
  ])("leaves the directory to the worker's user where the engine has %s", async (option, expected) => {
    const standIn = createStandIn()
    standIn.setSecurity([option])
    await createDocker(standIn.options).run(createCommand("true"))
    const { options } = standIn.last()
    for (const [name, values] of Object.entries(expected)) expect(options[name], name).toEqual(values)
  })
})
