import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest"
import { ensureTemporalProgram } from "../../../../server/program/ensure-temporal-program.ts"
import { identifyProcess } from "../../../../server/process/process-identity.ts"
import { eventually } from "../../../helpers/eventually.ts"
import { officialArchive } from "../../../../server/program/official-archive.ts"
import { programCache } from "../../../../server/program/program-cache.ts"

let folder: string
let lines: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "adjutant-program-"))
  mkdirSync(join(folder, "bin"))
  lines = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Downloads go through a proxy that refuses them, so that these tests never leave the machine. */
const search = () => ({
  env: {
    PATH: `${join(folder, "bin")}:/bin:/usr/bin`,
    HOME: folder,
    XDG_CACHE_HOME: join(folder, "cache"),
    HTTPS_PROXY: "http://127.0.0.1:1",
    SECRET: "sesame",
  },
  onProgress: (line: string) => void lines.push(line),
  progressEveryMs: 20,
})

const putProgram = (name: string, script: string): string => {
  const path = join(folder, "bin", name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

const temporalOf = (version: string): string => `echo 'temporal version 1.5.1 (Server ${version}, UI 2.42.1)'`

const finishBuilds = (): void => writeFileSync(join(folder, "finish"), "")

/** A stand-in for Go that records each run, and builds until `finishBuilds` is called. */
const fakeGo = (): string =>
  putProgram(
    "go",
    `echo "$@" >> '${folder}/runs'; env > '${folder}/env'; until [ -e '${folder}/finish' ]; do sleep 0.05; done; echo built > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`,
  )

test("a recent program on PATH is used", async () => {
  const path = putProgram("temporal", temporalOf("1.29.1"))
  expect(await ensureTemporalProgram(search())).toEqual({ path, source: "path" })
})

test("a program on PATH that is too old is skipped with a message", async () => {
  putProgram("temporal", temporalOf("1.9.0"))
  fakeGo()
  finishBuilds()
  expect(await ensureTemporalProgram(search())).toMatchObject({ source: "go" })
  expect(lines[0]).toContain("1.9.0")
})

test("nothing is created for a user whose home directory is missing, who is told what to set", async () => {
  const home = join(folder, "home")
  const env = { ...search().env, HOME: home, XDG_CACHE_HOME: "" }
  await expect(ensureTemporalProgram({ ...search(), env })).rejects.toMatchObject({
    code: "temporal_unavailable",
    message: expect.stringContaining("there is no home directory: set XDG_CACHE_HOME"),
  })
  expect(existsSync(home)).toBe(false)
})

test("the cached program is used without a search", async () => {
  const { directory, program } = programCache(search().env)!
  mkdirSync(directory, { recursive: true })
  writeFileSync(program, "", { mode: 0o755 })
  expect(await ensureTemporalProgram(search())).toEqual({ path: program, source: "cache" })
})

test("without a download, Go builds the program into the cache once, with progress", async () => {
  fakeGo()
  const { directory, program } = programCache(search().env)!
  const both = Promise.all([ensureTemporalProgram(search()), ensureTemporalProgram(search())])
  const progress = "building the Temporal server once (3–7 minutes) … "
  await eventually(() => lines.filter((line) => line.startsWith(progress)).length > 1)
  await eventually(() => lines.includes("waiting for another command to download or build the Temporal server"))
  finishBuilds()
  expect(await both).toEqual(
    expect.arrayContaining([
      { path: program, source: "go" },
      { path: program, source: "cache" },
    ]),
  )
  expect(readFileSync(join(folder, "runs"), "utf8")).toBe("install -v github.com/temporalio/cli/cmd/temporal@v1.5.1\n")
  const env = readFileSync(join(folder, "env"), "utf8")
  expect(env).not.toContain("sesame")
  // A program with C does not start for a user without an entry in the system's list.
  expect(env).toContain("CGO_ENABLED=0")
  expect(readdirSync(directory).filter((name) => name.startsWith("draft-"))).toEqual([])
})

test("with neither download nor Go, the error names the three ways to get the program", async () => {
  const failing = ensureTemporalProgram({ ...search(), env: { ...search().env, PATH: join(folder, "bin") } })
  await expect(failing).rejects.toMatchObject({
    code: "temporal_unavailable",
    message: expect.stringMatching(/TEMPORAL_ADDRESS.*on PATH.*install Go.*github\.com failed.*no `go` on PATH/),
  })
})

/** Serves an archive whose `temporal` says that it was downloaded. Returns its address and its hash. */
const serveArchive = async () => {
  putProgram("temporal", "echo downloaded")
  execFileSync("tar", ["-czf", join(folder, "archive.tar.gz"), "-C", join(folder, "bin"), "temporal"])
  rmSync(join(folder, "bin", "temporal"))
  const content = readFileSync(join(folder, "archive.tar.gz"))
  const server = createServer((_, response) => void response.end(content)).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("unreachable")
  const sha256 = createHash("sha256").update(content).digest("hex")
  return { url: `http://127.0.0.1:${address.port}/archive.tar.gz`, sha256 }
}

const directly = () => ({ ...search(), env: { ...search().env, HTTPS_PROXY: "" } })

test("a downloaded archive is unpacked if it has the expected hash", async () => {
  const found = await ensureTemporalProgram({ ...directly(), archive: await serveArchive() })
  expect(found).toEqual({ path: programCache(search().env)!.program, source: "download" })
  expect(execFileSync(found.path, { encoding: "utf8" })).toBe("downloaded\n")
})

test("an archive with another hash is not unpacked, and the program is built instead", async () => {
  const archive = { ...(await serveArchive()), sha256: "0".repeat(64) }
  await expect(ensureTemporalProgram({ ...directly(), archive })).rejects.toThrow(
    /not unpacked: its SHA-256 hash is [0-9a-f]{64} instead of 0{64};/,
  )
  expect(readdirSync(programCache(search().env)!.directory)).not.toContain("temporal")
  fakeGo()
  finishBuilds()
  expect(await ensureTemporalProgram({ ...directly(), archive })).toMatchObject({ source: "go" })
})

test.each(["linux", "darwin"])("the archives for %s have an address and a hash", (platform) => {
  const archives = ["x64", "arm64"].map((arch) => officialArchive(platform, arch))
  expect(archives).toEqual([
    {
      url: expect.stringContaining(`_1.5.1_${platform}_amd64.tar.gz`),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    {
      url: expect.stringContaining(`_1.5.1_${platform}_arm64.tar.gz`),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ])
  expect(officialArchive(platform, "ia32")).toBeUndefined()
})

test("a failed build gives its reason, without credentials, and leaves nothing behind", async () => {
  putProgram("go", 'echo "dial https://me:sesame@proxy/x: refused" >&2; exit 1')
  await expect(ensureTemporalProgram(search())).rejects.toMatchObject({
    message: expect.stringContaining("building with Go failed: dial https://***@proxy/x: refused"),
  })
  expect(existsSync(programCache(search().env)!.program)).toBe(false)
})

test("an aborted build ends its processes and leaves nothing behind", async () => {
  putProgram("go", `sleep 600 & echo $! > '${folder}/pid.part'; mv '${folder}/pid.part' '${folder}/pid'; wait`)
  const abort = new AbortController()
  const building = ensureTemporalProgram({
    ...search(),
    signal: abort.signal,
    onProgress: () => existsSync(join(folder, "pid")) && abort.abort(new Error("enough")),
  })
  await expect(building).rejects.toThrow("enough")
  const pid = Number(readFileSync(join(folder, "pid"), "utf8"))
  await eventually(() => identifyProcess(pid) === undefined)
  expect(readdirSync(programCache(search().env)!.directory)).not.toContain("temporal")
})
