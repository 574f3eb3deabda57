import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { endServicesIn } from "../test/helpers/end-services.ts"
import { commandChecks } from "./checks/command-checks.ts"
import { installGlobally, installInProject, packPackage } from "./checks/installed-package.ts"
import { packageChecks } from "./checks/package-checks.ts"

const folder = await mkdtemp(path.join(tmpdir(), "adjutant-package-"))
try {
  const tarball = await packPackage(folder)
  for (const [place, install, checks] of [
    ["in a project", installInProject, [...packageChecks, ...commandChecks]],
    ["globally", installGlobally, commandChecks],
  ] as const) {
    const installed = await install(tarball, folder)
    for (const { name, check } of checks) {
      await check(installed)
      process.stdout.write(`✓ installed ${place}: ${name}\n`)
    }
  }
} finally {
  await endServicesIn(folder)
  // The server of the last check may still be ending.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
