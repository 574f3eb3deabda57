import { chmodSync, mkdirSync, statSync, symlinkSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { serviceFiles, socketPath } from "../../../service/service-files.ts"

const runtimeDirectory = async (): Promise<string> => {
  const folder = await mkdtemp(path.join("/tmp", "adjutant-run-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const user = String(process.getuid?.() ?? "user")
const long = `/tmp/${"a".repeat(200)}`

it("puts the socket into the data directory where its path is short enough for a socket", () => {
  expect(socketPath("/srv/project/.adjutant", {})).toBe("/srv/project/.adjutant/service/socket")
  const longest = `/${"a".repeat(99 - "/service/socket".length)}`
  expect(Buffer.byteLength(socketPath(longest, {}))).toBe(100)
})

it("puts the socket of a long path into a folder of its own, which only this user can enter", async () => {
  const runtime = await runtimeDirectory()
  const socket = socketPath(long, { XDG_RUNTIME_DIR: runtime })
  expect(path.dirname(socket)).toBe(path.join(runtime, `adjutant-${user}`))
  expect(statSync(path.dirname(socket)).mode & 0o777).toBe(0o700)
  expect(socketPath(`${long}b`, { XDG_RUNTIME_DIR: runtime })).not.toBe(socket)
  expect(socketPath(long, { XDG_RUNTIME_DIR: runtime })).toBe(socket)
})

it("refuses a folder for sockets that others can enter, and a link in its place", async () => {
  const runtime = await runtimeDirectory()
  const folder = path.join(runtime, `adjutant-${user}`)
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  expect(() => socketPath(long, { XDG_RUNTIME_DIR: runtime })).toThrow("other users can enter it")
  const other = await runtimeDirectory()
  symlinkSync(runtime, path.join(other, `adjutant-${user}`))
  expect(() => socketPath(long, { XDG_RUNTIME_DIR: other })).toThrow("it is not a folder")
})

it("keeps every file in the data directory", () => {
  for (const file of Object.values(serviceFiles("/data"))) expect(file).toMatch(/^\/data\//)
})
