import { once } from "node:events"
import { chownSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { expect } from "vitest"
import { filteredArchitectures } from "../../../../../tools/sandbox/seccomp/system-calls.ts"
import { detectSandbox } from "../../../../../tools/sandbox/detect-sandbox.ts"
import { usualPaths } from "../../../../../tools/sandbox/try-sandbox.ts"
import { untilPasses } from "../../../../helpers/eventually.ts"
import { testWith } from "../../../../helpers/needs.ts"
import { isRoot } from "../backends.ts"
import { createCommand, testLimits } from "../command.ts"

const sandbox = await detectSandbox("auto", { limits: testLimits })
if (!sandbox.confined) console.log(`The tests of bubblewrap are skipped: ${sandbox.reason}.`)
const bubblewrap = { name: "bubblewrap", isAvailable: sandbox.confined }
const root = { name: "root", isAvailable: isRoot }

testWith([bubblewrap], "commands have the network if it is allowed", async () => {
  const server = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const open = await detectSandbox("require", { limits: testLimits, network: true })
  const { output } = await open.run(createCommand(`cat < /dev/tcp/127.0.0.1/${port}`))
  server.close()
  expect(output).toContain("reached")
})

const { calls } = filteredArchitectures[process.arch] ?? { calls: undefined }
const filter = { name: "a filter for this architecture", isAvailable: calls !== undefined }
const perl = { name: "perl", isAvailable: existsSync("/usr/bin/perl") }

testWith([bubblewrap, filter, perl], "system calls that lead out of sandboxes are refused", async () => {
  const refused = { ...calls!.denied, unshare: calls!.unshare, clone: calls!.clone }
  const flags = String(0x10000000 | 17)
  const script = Object.entries(refused)
    // Without the filter, this process would be traced, and a namespace made.
    .map(
      ([name, number]) =>
        `$! = 0; print "${name} ", syscall(${number}, ${name === "ptrace" ? 0 : flags}, 0, 0, 0, 0), " ", $! + 0, "\\n";`,
    )
    .join(" ")
  const vsock = `$! = 0; print "vsock ", syscall(${calls!.socket}, 40, 1, 0), " ", $! + 0, "\\n";`
  const { output } = await sandbox.run(createCommand(`perl -e '${script} ${vsock}'; unshare -Ur true && echo unshared`))
  for (const name of Object.keys(refused)) expect(output).toContain(`${name} -1 1\n`)
  expect(output).toContain("vsock -1 97\n")
  expect(output).not.toMatch(/^unshared$/m)
  expect((await sandbox.run(createCommand("grep ^Seccomp: /proc/self/status"))).output).toMatch(/2$/m)
})

testWith([bubblewrap], "shared memory is limited like temporary files", async () => {
  const small = await detectSandbox("require", { limits: testLimits })
  const { output } = await small.run(createCommand("df --output=size -B1 /dev/shm | tail -1"))
  expect(Number(output)).toBe(1024 ** 3)
})

testWith([bubblewrap, root], "a root worker can write in another user's directory", async () => {
  const command = createCommand("echo hi > made.txt && cat made.txt; : >> /proc/sys/kernel/core_pattern && echo opened")
  chownSync(command.cwd, 12_345, 12_345)
  const { output } = await sandbox.run(command)
  expect(output).toContain("hi")
  expect(output).not.toContain("opened")
})

const python = { name: "python3", isAvailable: existsSync("/usr/bin/python3") }
const nsenter = { name: "nsenter", isAvailable: existsSync("/usr/bin/nsenter") }

const serve = (port: number) => `/usr/bin/python3 -m http.server ${port} --bind 127.0.0.1`
const reaches = (port: number) =>
  `until exec 3<>/dev/tcp/127.0.0.1/${port}; do sleep 0.05; done 2>/dev/null; echo reached`
/** Shows what could lead out of the sandbox. */
const rights = "grep -E '^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t\\n' ' '"

testWith(
  [bubblewrap, python, nsenter],
  "later commands of a run reach the ports of its background commands",
  async () => {
    const first = createCommand(serve(8_123), { background: true })
    const own = { ownerId: first.ownerId, cwd: first.cwd }
    expect(await sandbox.run(first)).toMatchObject({ exitCode: null, sharesPorts: true })
    try {
      expect((await sandbox.run(createCommand(reaches(8_123), own))).output).toBe("reached\n")
      await sandbox.run({
        ...createCommand(serve(8_124), { background: true, ...own }),
        outputFile: `${first.outputFile}.2`,
      })
      expect((await sandbox.run(createCommand(`${reaches(8_123)}; ${reaches(8_124)}`, own))).output).toBe(
        "reached\nreached\n",
      )
      const host = createServer().listen(0, "127.0.0.1")
      await once(host, "listening")
      const address = host.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const out = await sandbox.run(
        createCommand(`exec 3<>/dev/tcp/127.0.0.1/${port} && echo escaped; ls /proc | grep -c "^[0-9]"`, own),
      )
      host.close()
      expect(out.output).not.toContain("escaped")
      const stranger = await sandbox.run(
        createCommand("exec 3<>/dev/tcp/127.0.0.1/8123 && echo reached", { cwd: first.cwd }),
      )
      expect(stranger.output).not.toContain("reached")
    } finally {
      await sandbox.stopBackground(first.ownerId)
    }
    const later = await sandbox.run(createCommand("exec 3<>/dev/tcp/127.0.0.1/8123 && echo reached", own))
    expect(later.output).not.toContain("reached")
  },
)

testWith([bubblewrap, python, nsenter], "ports are reached when the first background command has ended", async () => {
  const first = createCommand("until [ -e end ]; do sleep 0.05; done", { background: true })
  const own = { ownerId: first.ownerId, cwd: first.cwd }
  await sandbox.run(first)
  const second = { ...createCommand(serve(8_125), { background: true, ...own }), outputFile: `${first.outputFile}.2` }
  expect(await sandbox.run(second)).toMatchObject({ exitCode: null, sharesPorts: true })
  await sandbox.run(createCommand("touch end", own))
  await untilPasses(() => expect(readFileSync(first.outputFile, "utf8")).toContain("exited with code 0"))
  expect((await sandbox.run(createCommand(reaches(8_125), own))).output).toBe("reached\n")
  await sandbox.stopBackground(first.ownerId)
})

testWith([bubblewrap, filter, nsenter], "commands that share a network are confined like others", async () => {
  const shown = `${rights}; echo; set -- /proc/[0-9]*; echo $#; grep -c : /proc/net/dev; cat /proc/self/uid_map`
  const alone = await sandbox.run(createCommand(shown))
  expect(alone.output).toMatch(/CapBnd: 0{16} .*NoNewPrivs: 1 Seccomp: 2/)
  const first = createCommand(`{ ${shown}; } > shown; sleep 300`, { background: true })
  const own = { ownerId: first.ownerId, cwd: first.cwd }
  await sandbox.run(first)
  await untilPasses(() => expect(readFileSync(join(first.cwd, "shown"), "utf8")).toBe(alone.output))
  expect((await sandbox.run(createCommand(shown, own))).output).toBe(alone.output)
  await sandbox.stopBackground(first.ownerId)
})

const stranger = { name: "a user who is not root", isAvailable: !isRoot }

testWith(
  [bubblewrap, python, stranger],
  "where bubblewrap does not start in another one, commands have ports of their own, and say so",
  async () => {
    const { cwd } = createCommand("")
    const program = join(cwd, "bwrap")
    const [real = ""] = usualPaths("bwrap").filter((path) => existsSync(path))
    writeFileSync(program, `#!/bin/sh\ncase " $* " in *" --dev-bind "*) exit 1 ;; esac\nexec ${real} "$@"\n`, {
      mode: 0o755,
    })
    const alone = await detectSandbox("require", { limits: testLimits, programs: [program] })
    const first = createCommand(serve(8_126), { background: true })
    expect(await alone.run(first)).toMatchObject({ exitCode: null, sharesPorts: false })
    expect((await alone.run(createCommand("echo works", { ownerId: first.ownerId }))).output).toBe("works\n")
    await alone.stopBackground(first.ownerId)
  },
)
