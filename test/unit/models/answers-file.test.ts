import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, expect, it, onTestFinished } from "vitest"
import { createAnswersReader } from "../../../models/answers-file.ts"
import { cassetteProvider } from "../../../models/cassette/cassette.ts"
import { scriptedProvider } from "../../../models/scripted/scripted.ts"
import { createModelRequest, modelSpec } from "../../helpers/providers/model-request.ts"

// The file of a fallback model was read whatever it was: a device without an end used up the worker's memory, a pipe held the call without end.

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "adjutant-answers-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

it.each(["/dev/zero", tmpdir()])("refuses %s, because it is not a file with text", async (file) => {
  const asked = (settings: object) => createModelRequest({ spec: { ...modelSpec(), ...settings } })
  const script = asked({ provider: "scripted", script: file })
  await expect(scriptedProvider.respond(script)).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining("it is not a file with text"),
  })
  const cassette = asked({ provider: "cassette", cassette: { file, mode: "strict" } })
  await expect(cassetteProvider.respond(cassette)).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining("it is not a file with text"),
  })
})

it("reads each version of a file once, and none that is too long", async () => {
  let parsings = 0
  const read = createAnswersReader(10, (text) => {
    parsings += 1
    return text.length
  })
  const file = join(folder, "answers")
  expect(await read(file)).toMatchObject({ kind: "refused", problem: "it cannot be read" })
  writeFileSync(file, "12345")
  expect([await read(file), await read(file)]).toEqual([
    { kind: "content", content: 5 },
    { kind: "content", content: 5 },
  ])
  expect(parsings).toBe(1)
  appendFileSync(file, "67890")
  expect(await read(file)).toEqual({ kind: "content", content: 10 })
  appendFileSync(file, "!")
  expect(await read(file)).toEqual({ kind: "refused", problem: "it has more than 10 bytes" })
})
