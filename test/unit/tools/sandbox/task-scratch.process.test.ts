import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { SandboxCommand } from "../../../../tools/sandbox/sandbox.ts"
import { scratchDirectory } from "../../../../domain/workspace/data-directory.ts"
import { withTaskScratch } from "../../../../tools/sandbox/task-scratch.ts"
import { createUnconfined } from "../../../../tools/sandbox/unconfined.ts"
import { createRuntime, describeEachBackend } from "./backends.ts"
import { createCommand, testLimits } from "./command.ts"

const inScratch = (command: string, cwdOf?: ReturnType<typeof createCommand>) => {
  const { workspace, ...given } = createCommand(command)
  const place = cwdOf?.workspace ?? workspace
  const scratchDir = scratchDirectory(join(place.root, "data"), "task1")
  const prepared: SandboxCommand = { ...given, cwd: place.cwd, scratchDir, timeoutMs: 60_000 }
  return { workspace: place, prepared, scratchDir }
}

await describeEachBackend(async (backend) => {
  test("commands of a task read the working directory and change nothing in it", async () => {
    const { workspace, prepared } = inScratch("cat a.txt; rm -rf a.txt src; echo x > b.txt; mkdir c; ls")
    workspace.put("a.txt", "precious\n")
    mkdirSync(join(workspace.cwd, "src"))
    const sandbox = withTaskScratch(await backend.create(), join(workspace.root, "data"))
    const { output } = await sandbox.run(prepared)
    expect(output).toContain("precious")
    expect(output).toContain("Read-only file system")
    expect(readdirSync(workspace.cwd).toSorted()).toEqual(["a.txt", "src"])
    await sandbox.close?.()
  })

  test("the scratch folder keeps its files between commands, is not that of another task, and ends with the run", async () => {
    const first = createCommand("")
    const dataDir = join(first.workspace.root, "data")
    const sandbox = withTaskScratch(await backend.create(), dataDir)
    const write = inScratch('echo kept > "$ADJUTANT_SCRATCH/note"', first)
    await sandbox.run(write.prepared)
    const read = inScratch('cat "$ADJUTANT_SCRATCH/note"', first)
    expect((await sandbox.run(read.prepared)).output).toContain("kept")
    const other = { ...inScratch(`ls "$ADJUTANT_SCRATCH"; cat ${write.scratchDir}/note`, first).prepared }
    const seen = await sandbox.run({ ...other, scratchDir: scratchDirectory(dataDir, "task2") })
    expect(seen.output).not.toContain("kept")
    await sandbox.stopBackground("task1")
    expect(existsSync(write.scratchDir)).toBe(false)
    await sandbox.close?.()
  })

  test("commands of a task reach neither a socket nor a pipe of the working directory", async () => {
    const client =
      'require("net").connect("s.sock").on("connect",()=>{console.log("reached");process.exit()}).on("error",()=>console.log("refused"))'
    const { workspace, prepared } = inScratch(
      `timeout 10 ${process.execPath} -e '${client}'; (echo written > pipe) & sleep 0.2; kill %1 2>/dev/null; echo end`,
    )
    execFileSync("mkfifo", [join(workspace.cwd, "pipe")])
    const server = createServer((socket) => socket.end()).listen(join(workspace.cwd, "s.sock"))
    await new Promise((resolve) => server.once("listening", resolve))
    const reader = execFileSync.bind(null)
    const sandbox = withTaskScratch(await backend.create(), join(workspace.root, "data"))
    const { output } = await sandbox.run(prepared)
    server.close()
    expect(
      reader("bash", [
        "-c",
        `exec 3<>"${join(workspace.cwd, "pipe")}"; IFS= read -r -t 0.2 word <&3 || true; echo "got:$word"`,
      ]).toString(),
    ).toBe("got:\n")
    expect(output).toContain("end")
    expect(output).not.toContain("reached")
    await sandbox.close?.()
  })

  test("commands of a task do not reach a pipe whose folder is not named in UTF-8", async () => {
    const { workspace, prepared } = inScratch("echo written > $'node_modules/\\xff/pipe'; echo end")
    const inWorkspace = (command: string) => execFileSync("bash", ["-c", command], { cwd: workspace.cwd }).toString()
    inWorkspace("mkdir -p $'node_modules/\\xff'; mkfifo $'node_modules/\\xff/pipe'")
    const sandbox = withTaskScratch(await backend.create(), join(workspace.root, "data"))
    const result = await sandbox.run(prepared).then(
      ({ output }) => output,
      (error: unknown) => String(error),
    )
    expect(result).toContain(backend.name === "bubblewrap" ? "end" : "its name is not UTF-8")
    expect(
      inWorkspace("exec 3<>$'node_modules/\\xff/pipe'; IFS= read -r -t 0.2 word <&3 || true; echo \"got:$word\""),
    ).toBe("got:\n")
    await sandbox.close?.()
  })

  test("commands of a task do not reach a socket that another program opens meanwhile", async () => {
    const connect =
      'require("net").connect("late.sock").on("connect",()=>{console.log("reached");process.exit()}).on("error",()=>console.log("refused"))'
    const { workspace, prepared } = inScratch(
      `echo up; until [ -e late.sock ]; do sleep 0.05; done; ${process.execPath} -e '${connect}'; echo end`,
    )
    const server = createServer((socket) => socket.end())
    const sandbox = withTaskScratch(await backend.create(), join(workspace.root, "data"))
    const onOutput = (): void => {
      if (!server.listening) server.listen(join(workspace.cwd, "late.sock"))
    }
    const { output } = await sandbox.run({ ...prepared, onOutput })
    server.close()
    expect(output).toContain("refused")
    expect(output).not.toContain("reached")
    await sandbox.close?.()
  })

  test("commands of a task do not run in the background", async () => {
    const { workspace, prepared } = inScratch("sleep 60")
    const sandbox = withTaskScratch(await backend.create(), join(workspace.root, "data"))
    await expect(sandbox.run({ ...prepared, background: true })).rejects.toMatchObject({ code: "sandbox_unavailable" })
    await sandbox.close?.()
  })

  test("a scratch folder that grows beyond its limit is emptied, and the result says so", async () => {
    const { workspace, prepared, scratchDir } = inScratch(
      'head -c 3000000 /dev/zero > "$ADJUTANT_SCRATCH/large"; sleep 30',
    )
    const limits = { bytes: 1_048_576, everyMs: 20, entries: 1_000 }
    const sandbox = withTaskScratch(await backend.create(), join(workspace.root, "data"), limits)
    const result = await sandbox.run(prepared)
    expect(result).toMatchObject({ aborted: false, exceeded: expect.stringContaining("1 MiB") })
    expect(existsSync(join(scratchDir, "large"))).toBe(false)
    await sandbox.close?.()
  })

  test("a working directory with too many files to search is refused", async () => {
    const { workspace, prepared } = inScratch("echo ran")
    for (const name of ["a", "b", "c"]) writeFileSync(join(workspace.cwd, name), "")
    const sandbox = withTaskScratch(await backend.create(), join(workspace.root, "data"), {
      bytes: 1_000,
      everyMs: 20,
      entries: 2,
    })
    await expect(sandbox.run(prepared)).rejects.toThrow("too many")
    await sandbox.close?.()
  })

  test.runIf(backend.name === "sandbox-runtime")(
    "commands of a task have no network where hosts are configured",
    async () => {
      const { workspace, prepared } = inScratch(
        "env | grep -i _proxy; cat /proc/net/dev | tail -n +3 | grep -v lo: ; echo end",
      )
      const sandbox = withTaskScratch(await createRuntime(["example.com"]), join(workspace.root, "data"))
      expect((await sandbox.run(prepared)).output.trim()).toBe("end")
      await sandbox.close?.()
    },
  )
})

test("a command of a task never runs without a sandbox", async () => {
  const { workspace, prepared } = inScratch("touch ran")
  const sandbox = withTaskScratch(createUnconfined("a test", testLimits), join(workspace.root, "data"))
  await expect(sandbox.run(prepared)).rejects.toMatchObject({ code: "sandbox_unavailable" })
  expect(readdirSync(workspace.cwd)).toEqual([])
})
