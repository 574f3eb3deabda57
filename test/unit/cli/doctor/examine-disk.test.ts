import { mkdtemp, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { expect, it } from "vitest"
import { examineDisk } from "../../../../cli/doctor/examine-disk.ts"
import { configSchema } from "../../../../contracts/config/config.ts"
import { openStore } from "../../../../store/open-store.ts"
import { newSession } from "../../store/store-fixture.ts"

it("shows what a data directory and its store take, and how much is old", async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "adjutant-disk-"))
  await writeFile(path.join(dataDir, "big.log"), Buffer.alloc(3_000_000))
  const store = await openStore({ url: "sqlite:", dataDir, now: () => Date.parse("2026-01-01T00:00:00Z") })
  await store.sessions.create(newSession("s1"))
  await store.sessions.patch("s1", { status: "completed" })
  await store.sessions.create(newSession("s2"))
  await store.close()
  const found = await examineDisk({ config: configSchema.parse({ retention: { days: 90 } }), dataDir }, {})
  expect(found).toMatchObject([
    { name: "disk use", detail: expect.stringMatching(/big\.log .*store\.db /s) },
    {
      name: "store",
      status: "ok",
      detail: "2 sessions, 1 of them ended; 1 task ended more than 30 days ago; tasks are erased after 90 days",
    },
  ])
})
