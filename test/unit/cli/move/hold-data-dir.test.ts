import { mkdtemp, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { requireKnownContents } from "../../../../cli/move/find-source.ts"
import { holdDataDir } from "../../../../cli/move/hold-data-dir.ts"
import { holdService } from "../../../../service/hold-service.ts"
import { serviceFiles } from "../../../../service/service-files.ts"

const createDataDir = async (): Promise<string> => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "adjutant-move-"))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

it("refuses a data directory whose service runs, and says how to end it", async () => {
  const dataDir = await createDataDir()
  const service = holdService(dataDir)
  await expect(holdDataDir(dataDir)).rejects.toMatchObject({
    code: "data_dir_unusable",
    message: expect.stringContaining(`adjutant --data-dir ${dataDir} service stop`),
  })
  service?.release({ clean: true })
  const hold = await holdDataDir(dataDir)
  expect(holdService(dataDir)).toBeUndefined()
  hold.release()
  const again = holdService(dataDir)
  expect(again).toBeDefined()
  again?.release({ clean: true })
})

it("knows the files of a service", async () => {
  const dataDir = await createDataDir()
  holdService(dataDir)?.release({ clean: true })
  await writeFile(serviceFiles(dataDir).log, "")
  await writeFile(`${serviceFiles(dataDir).log}.1`, "")
  await requireKnownContents(dataDir)
  await writeFile(path.join(dataDir, "evil.sh"), "")
  await expect(requireKnownContents(dataDir)).rejects.toThrow("evil.sh")
})
