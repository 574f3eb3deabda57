import { once } from "node:events"
import { chownSync } from "node:fs"
import { createServer } from "node:net"
import { expect } from "vitest"
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

testWith([bubblewrap, root], "a root worker can write in another user's directory", async () => {
  const command = createCommand("echo hi > made.txt && cat made.txt; : >> /proc/sys/kernel/core_pattern && echo opened")
  chownSync(command.cwd, 12_345, 12_345)
  const { output } = await sandbox.run(command)
  expect(output).toContain("hi")
  expect(output).not.toContain("opened")
})
