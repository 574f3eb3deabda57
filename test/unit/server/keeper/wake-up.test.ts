import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { watchForWakeUps, type WakeUp } from "../../../../server/keeper/wake-up.ts"

const never = 2 ** 30

describe("a wait that can end early", () => {
  let folder: string
  let wakeUp: WakeUp
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "adjutant-wake-up-"))
    wakeUp = watchForWakeUps(folder)
  })
  afterEach(async () => {
    wakeUp.close()
    await rm(folder, { recursive: true, force: true })
  })

  it("ends when a file of the watched directory appears", async () => {
    const waited = wakeUp.wait(never, new AbortController().signal)
    await writeFile(join(folder, "lease"), "")
    await expect(waited).resolves.toBeUndefined()
  })

  it("ends when a file of the watched directory disappears", async () => {
    await writeFile(join(folder, "lease"), "")
    await wakeUp.wait(never, new AbortController().signal)
    const waited = wakeUp.wait(never, new AbortController().signal)
    await rm(join(folder, "lease"))
    await expect(waited).resolves.toBeUndefined()
  })

  it("returns at once if an event happened before it began", async () => {
    wakeUp.now()
    await expect(wakeUp.wait(never, new AbortController().signal)).resolves.toBeUndefined()
  })

  it("ends when it is stopped", async () => {
    const stop = new AbortController()
    const waited = wakeUp.wait(never, stop.signal)
    stop.abort()
    await expect(waited).resolves.toBeUndefined()
    await expect(wakeUp.wait(never, stop.signal)).resolves.toBeUndefined()
  })

  it("ends after its time if nothing happens", async () => {
    await expect(wakeUp.wait(1, new AbortController().signal)).resolves.toBeUndefined()
  })
})

describe("a directory that cannot be watched", () => {
  it("is reported as not watched", () => {
    const wakeUp = watchForWakeUps(join(tmpdir(), "adjutant-no-such-directory"))
    expect(wakeUp.isWatching()).toBe(false)
    wakeUp.close()
  })
})
