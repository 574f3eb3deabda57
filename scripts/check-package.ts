import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { installPackedPackage } from "./installed-package.ts"
import { packageChecks } from "./package-checks.ts"

const folder = await mkdtemp(path.join(tmpdir(), "adjutant-package-"))
try {
  const installed = await installPackedPackage(folder)
  for (const { name, check } of packageChecks) {
    await check(installed)
    process.stdout.write(`✓ ${name}\n`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
