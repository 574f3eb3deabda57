import { spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test, vi } from "vitest"
import { detectSandbox } from "../../../../tools/sandbox/detect-sandbox.ts"
import { closedPaths } from "../../../../tools/sandbox/masked-paths.ts"
import type { SandboxCommand } from "../../../../tools/sandbox/sandbox.ts"
import { createCommand, testLimits } from "./command.ts"

const sandbox = await detectSandbox("auto", { limits: testLimits })
if (!sandbox.confined) console.log(`The tests of the sandbox are skipped: ${sandbox.reason}.`)
const confined = test.runIf(sandbox.confined)

const run = (command: string, overrides: Partial<SandboxCommand> = {}) => sandbox.run(createCommand(command, overrides))

/** Processes of this machine whose command line holds the text. */
const running = (text: string): readonly string[] =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text)
      } catch {
        return false
      }
    })

const uniqueSeconds = (): string => String(100_000 + Math.floor(Math.random() * 900_000_000))

confined("the working directory is writable and the command runs in it", async () => {
  const command = createCommand("pwd; echo hi > made.txt; cat made.txt; exit 5")
  expect(await sandbox.run(command)).toMatchObject({ output: `${command.cwd}\nhi\n`, exitCode: 5 })
  expect(readFileSync(join(command.cwd, "made.txt"), "utf8")).toBe("hi\n")
})

confined("nothing outside can be read: neighbours, homes, other workers' files, links that lead there", async () => {
  const command = createCommand(`cat ../secret.txt link; ls ${homedir()}; ls /home/* /root /var/lib /run /sys /boot`)
  symlinkSync(command.workspace.secret, join(command.cwd, "link"))
  const result = await sandbox.run(command)
  expect(result.output).not.toContain("top secret")
  expect(result.output.match(/No such file|cannot (open|access)/g)?.length).toBeGreaterThan(5)
})

confined("nothing outside can be written, and temporary files leave the machine's own alone", async () => {
  const name = `adjutant-escape-${uniqueSeconds()}`
  const places = ["/", "/usr/", "/etc/", "/opt/", "/var/", `${homedir()}/`, "../", "/proc/sys/", "/dev/shm/", "/tmp/"]
  const command = createCommand(places.map((place) => `echo x > ${place}${name}`).join("; "))
  await sandbox.run(command)
  for (const place of places)
    expect(
      existsSync(
        join(
          command.cwd.replace(/\/$/, ""),
          place === "../" ? ".." : "",
          place === "../" ? name : `../..${place}${name}`,
        ),
      ),
      place,
    ).toBe(false)
  for (const place of places.filter((path) => path.startsWith("/"))) expect(existsSync(place + name), place).toBe(false)
  expect((await run("touch /x /usr/x /etc/x")).output.match(/Read-only file system/g)).toHaveLength(3)
})

confined("what strangers may not read in /etc cannot be read", async () => {
  const closed = await closedPaths("/etc")
  const { output } = await run(`cat /etc/shadow ${closed.map(({ path }) => path).join(" ")}`)
  for (const line of output.trim().split("\n"))
    expect(line).toMatch(/^cat: .*(Permission denied|Is a directory|No such file)/)
  const listed = closed.filter(({ type }) => type === "directory").map(({ path }) => `find ${path} -mindepth 1`)
  expect((await run(["true", ...listed].join("; "))).output).toBe("")
})

confined("no descriptor of the worker is open in it, in its first process neither", async () => {
  const { output } = await run("ls -l /proc/1/fd /proc/self/fd")
  const targets = [...output.matchAll(/-> (\S+)/g)].map(([, target]) => target)
  expect(targets.length).toBeGreaterThan(3)
  for (const target of targets) expect(target).toMatch(/^(pipe:|socket:|\/dev\/null$|anon_inode:|\/proc\/)/)
})

confined("there is no network, not even to the machine itself, unless it is allowed", async () => {
  const server = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const connect = `cat < /dev/tcp/127.0.0.1/${port}`
  try {
    expect((await run(connect)).output).not.toContain("reached")
    expect((await run("cat /proc/net/dev")).output).not.toMatch(/eth|ens|wlan/)
    const open = await detectSandbox("require", { limits: testLimits, network: true })
    expect((await open.run(createCommand(connect))).output).toContain("reached")
  } finally {
    server.close()
  }
})

confined("the environment is the given one with a home of its own, off the command line and off /proc", async () => {
  process.env.WORKER_SECRET = "worker secret"
  const command = createCommand("env; cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline", {
    env: { PATH: "/usr/bin:/bin", HOME: "/home/me", GIVEN: "yes" },
  })
  const { output } = await sandbox.run(command)
  delete process.env.WORKER_SECRET
  expect(output).toContain("GIVEN=yes")
  expect(output).toContain("HOME=/tmp")
  expect(output).not.toContain("WORKER_SECRET")
  expect(output).not.toContain("--setenv")
})

confined("other processes are neither seen nor reached", async () => {
  const { output } = await run(
    `ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid} && echo reached; cat /proc/${process.pid}/environ`,
  )
  expect(Number(output.split("\n")[0])).toBeLessThan(10)
  expect(output).not.toContain("reached")
})

confined("the kernel's settings cannot be changed, and there are no capabilities and no new privileges", async () => {
  const { output } = await run(
    "for f in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger; do [ -e $f ] && { : >> $f; } && echo opened $f; done; grep -E 'CapEff|NoNewPrivs' /proc/self/status; mount -t tmpfs x /tmp; unshare -m true && echo unshared",
  )
  expect(output).not.toContain("opened")
  expect(output).not.toContain("unshared")
  expect(output).toMatch(/CapEff:\s+0000000000000000/)
  expect(output).toMatch(/NoNewPrivs:\s+1/)
  expect(output).toContain("permission denied")
})

confined("hidden directories are empty, cannot be written and come to no harm", async () => {
  const command = createCommand(
    "ls -A .adjutant state; cat .adjutant/store; echo x > .adjutant/new; rm -rf .adjutant; mv state gone",
  )
  for (const name of [".adjutant", "state"]) {
    mkdirSync(join(command.cwd, name))
    writeFileSync(join(command.cwd, name, "store"), "transcripts")
  }
  const hiddenDirs = [join(command.cwd, ".adjutant"), join(command.cwd, "state"), join(command.cwd, "missing")]
  const { output } = await sandbox.run({ ...command, hiddenDirs })
  expect(output).not.toContain("transcripts")
  expect(output).not.toMatch(/^store$/m)
  for (const name of [".adjutant", "state"]) {
    expect(readdirSync(join(command.cwd, name))).toEqual(["store"])
  }
  expect(existsSync(join(command.cwd, "missing"))).toBe(false)
})

confined("the usual programs work: node, git, temporary files, shared memory, pipes", async () => {
  const { output } = await run(
    `${process.execPath} -p 40+2; git init -q . && git status --short && echo git; mktemp >/dev/null && echo temporary; cat <(echo pipe); echo x > /dev/null && id -u`,
  )
  expect(output.split("\n")).toEqual(
    expect.arrayContaining(["42", "git", "temporary", "pipe", String(process.getuid?.())]),
  )
})

test.runIf(sandbox.confined && process.getuid?.() === 0)(
  "a root worker can write in another user's directory",
  async () => {
    const command = createCommand(
      "echo hi > made.txt && cat made.txt; : >> /proc/sys/kernel/core_pattern && echo opened",
    )
    chownSync(command.cwd, 12_345, 12_345)
    const { output } = await sandbox.run(command)
    expect(output).toContain("hi")
    expect(output).not.toContain("opened")
  },
)

confined("a system directory is refused as the working directory", async () => {
  for (const cwd of ["/", "/etc", "/usr", "/bin", "/usr/lib", "/proc/self"]) {
    await expect(run("true", { cwd }), cwd).rejects.toMatchObject({ code: "sandbox_unavailable" })
  }
})

confined("an abort while the sandbox is being set up does not wait for the grace time", async () => {
  const controller = new AbortController()
  const patient = await detectSandbox("require", { limits: { ...testLimits, graceMs: 60_000 } })
  const stopping = patient.run(createCommand("sleep 300", { signal: controller.signal }))
  setImmediate(() => controller.abort())
  expect(await stopping).toMatchObject({ aborted: true })
})

confined("a command over its time may clean up and is gone, whatever it started", async () => {
  const seconds = uniqueSeconds()
  const command = createCommand(`trap 'echo cleaned' TERM; setsid sleep ${seconds} & sleep ${seconds} & wait; wait`, {
    timeoutMs: 600,
  })
  const result = await sandbox.run(command)
  expect(result).toMatchObject({ timedOut: true })
  expect(result.output).toContain("cleaned")
  expect(running(seconds)).toEqual([])
  const stubborn = createCommand(`trap '' TERM; while :; do sleep 0.${seconds}; done`, { timeoutMs: 300 })
  expect(await sandbox.run(stubborn)).toMatchObject({ timedOut: true })
  expect(running(seconds)).toEqual([])
})

confined("what a command leaves behind ends with it, sessions of its own included", async () => {
  const seconds = uniqueSeconds()
  await run(`setsid nohup sleep ${seconds} > /dev/null 2>&1 & disown; sleep 0.1`)
  await vi.waitFor(() => expect(running(seconds)).toEqual([]))
})

confined("a background command is stopped with its owner, by another worker too", async () => {
  const seconds = uniqueSeconds()
  const command = createCommand(`echo up; sleep ${seconds}`, { background: true })
  const result = await sandbox.run(command)
  expect(result.pid).toBeGreaterThan(0)
  await vi.waitFor(() => expect(readFileSync(command.outputFile, "utf8")).toContain("up"))
  const another = await detectSandbox("require", { limits: testLimits })
  await another.stopBackground(command.ownerId)
  await vi.waitFor(() => expect(running(seconds)).toEqual([]))
})

confined("a worker that is killed leaves nothing", async () => {
  const seconds = uniqueSeconds()
  const { workspace, ...command } = createCommand(`setsid sleep ${seconds} & touch ready; sleep ${seconds}`, {
    background: true,
  })
  const file = fileURLToPath(import.meta.resolve("./start-command.ts"))
  const worker = spawn(process.execPath, [file, JSON.stringify(command), "confined"], { stdio: "ignore" })
  await vi.waitFor(() => expect(existsSync(join(workspace.cwd, "ready"))).toBe(true), 15_000)
  worker.kill("SIGKILL")
  await once(worker, "exit")
  await vi.waitFor(() => expect(running(seconds)).toEqual([]), 5_000)
})
