// Installs a program of PyPI in a virtual environment in the cache folder, if Python 3 is available. Without it its tests are skipped.
import { existsSync } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import path from "node:path"
import { isPythonProgram, pythonInstallation } from "./checks/python-program.ts"
import { runCommand } from "./checks/run-command.ts"

const [name = ""] = process.argv.slice(2)
if (!isPythonProgram(name))
  throw new Error(`unknown program ${JSON.stringify(name)}; see scripts/checks/python-program.ts`)
const { folder, program, packages } = pythonInstallation(name, process.env)

const install = async (): Promise<boolean> => {
  await mkdir(path.dirname(folder), { recursive: true })
  await rm(folder, { recursive: true, force: true })
  const venv = await runCommand(["python3", "-m", "venv", folder])
  if (venv !== 0) return false
  const pip = path.join(folder, "bin", "pip")
  const installed = await runCommand([pip, "install", "--quiet", "--disable-pip-version-check", ...packages])
  if (installed === 0) return true
  await rm(folder, { recursive: true, force: true })
  return false
}

if (existsSync(program)) console.log(program)
else if (await install()) console.log(program)
else console.log(`${name} could not be installed: its tests are skipped`)
