import { once } from "node:events"
import { chownSync, existsSync } from "node:fs"
import { createServer } from "node:net"
import { expect } from "vitest"
import { filteredArchitectures } from "../../../../../tools/sandbox/seccomp/system-calls.ts"
import { detectSandbox } from "../../../../../tools/sandbox/detect-sandbox.ts"
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
