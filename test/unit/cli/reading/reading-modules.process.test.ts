import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runForPackages } from "../../../helpers/loaded-packages.ts"

describe("a command that reads the store", () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "adjutant-test-"))
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each([["list"], ["approvals"]])("loads neither Temporal's client nor gRPC: %s", async (command) => {
    const { packages: loaded } = await runForPackages(folder, [command, "--data-dir", path.join(folder, "data")])
    expect(loaded).toContain("zod")
    expect(loaded.filter((name) => /^@temporalio\/(client|worker|proto)$|grpc|protobufjs/.test(name))).toEqual([])
  })
})
