// Installs schemathesis (PyPI) in a virtual environment in the cache folder, if Python 3 is available. Without it one test is skipped.
import { existsSync } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import path from "node:path"
import { runCommand } from "./checks/run-command.ts"
import { schemathesisProgram, schemathesisVersion } from "./checks/schemathesis-program.ts"

const { folder, program } = schemathesisProgram(process.env)

const install = async (): Promise<boolean> => {
  await mkdir(path.dirname(folder), { recursive: true })
  await rm(folder, { recursive: true, force: true })
  const venv = await runCommand(["python3", "-m", "venv", folder])
  if (venv !== 0) return false
  const pip = path.join(folder, "bin", "pip")
  const installed = await runCommand([
    pip,
    "install",
    "--quiet",
    "--disable-pip-version-check",
    `schemathesis==${schemathesisVersion}`,
  ])
  if (installed === 0) return true
  await rm(folder, { recursive: true, force: true })
  return false
}

if (existsSync(program)) console.log(program)
else if (await install()) console.log(program)
else console.log("schemathesis could not be installed: its test is skipped")
