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
import { afterEach, beforeEach, expect, test } from "vitest"
import { ensureTemporalProgram } from "../../../../server/program/ensure-temporal-program.ts"
import { identifyProcess } from "../../../../server/process/process-identity.ts"
import { eventually } from "../../../helpers/eventually.ts"
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

/** A stand-in for Go that takes a moment and records each run. */
const fakeGo = (): string =>
  putProgram(
    "go",
    `echo "$@" >> '${folder}/runs'; env > '${folder}/env'; sleep 0.3; echo built > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`,
  )

test("a recent program on PATH is used", async () => {
  const path = putProgram("temporal", temporalOf("1.29.1"))
  expect(await ensureTemporalProgram(search())).toEqual({ path, source: "path" })
})

test("a program on PATH that is too old is skipped with a message", async () => {
  putProgram("temporal", temporalOf("1.9.0"))
  fakeGo()
  expect(await ensureTemporalProgram(search())).toMatchObject({ source: "go" })
  expect(lines[0]).toContain("1.9.0")
})

test("the cached program is used without a search", async () => {
  const { directory, program } = programCache(search().env)
  mkdirSync(directory, { recursive: true })
  writeFileSync(program, "", { mode: 0o755 })
  expect(await ensureTemporalProgram(search())).toEqual({ path: program, source: "cache" })
})

test("without a download, Go builds the program into the cache once, with progress", async () => {
  fakeGo()
  const { directory, program } = programCache(search().env)
  const [first, second] = await Promise.all([ensureTemporalProgram(search()), ensureTemporalProgram(search())])
  expect([first, second]).toEqual(
    expect.arrayContaining([
      { path: program, source: "go" },
      { path: program, source: "cache" },
    ]),
  )
  expect(readFileSync(join(folder, "runs"), "utf8")).toBe("install -v github.com/temporalio/cli/cmd/temporal@v1.5.1\n")
  expect(readFileSync(join(folder, "env"), "utf8")).not.toContain("sesame")
  expect(lines).toContain("waiting for another command to download or build the Temporal server")
  expect(
    lines.filter((line) => line.startsWith("building the Temporal server once (3–7 minutes) … ")).length,
  ).toBeGreaterThan(1)
  expect(readdirSync(directory).filter((name) => name.startsWith("draft-"))).toEqual([])
})

test("with neither download nor Go, the error names the three ways to get the program", async () => {
  const failing = ensureTemporalProgram({ ...search(), env: { ...search().env, PATH: join(folder, "bin") } })
  await expect(failing).rejects.toMatchObject({
    code: "temporal_unavailable",
    message: expect.stringMatching(/TEMPORAL_ADDRESS.*on PATH.*install Go.*temporal\.download failed.*no `go` on PATH/),
  })
})

test("a failed build gives its reason, without credentials, and leaves nothing behind", async () => {
  putProgram("go", 'echo "dial https://me:sesame@proxy/x: refused" >&2; exit 1')
  await expect(ensureTemporalProgram(search())).rejects.toMatchObject({
    message: expect.stringContaining("building with Go failed: dial https://***@proxy/x: refused"),
  })
  expect(existsSync(programCache(search().env).program)).toBe(false)
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
  expect(readdirSync(programCache(search().env).directory)).not.toContain("temporal")
})
