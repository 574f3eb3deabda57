import { execFileSync, spawnSync } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { testWith } from "../../helpers/needs.ts"
import { systemdUnit, unitName } from "../../../service/systemd-unit.ts"

const place = {
  command: ["/opt/node/bin/node", "/opt/adjutant/bin/adjutant.js"],
  projectRoot: "/home/me/my project",
  dataDir: '/home/me/100% "sure" $HOME',
}

it("quotes what systemd would expand", () => {
  const unit = systemdUnit(place)
  expect(unit).toContain(
    'ExecStart="/opt/node/bin/node" "/opt/adjutant/bin/adjutant.js" "service" "run" "--data-dir" "/home/me/100%% \\"sure\\" $$HOME"\n',
  )
  expect(unit).toContain("WorkingDirectory=/home/me/my project\n")
})

it("names the unit by project and data directory", () => {
  expect(unitName(place)).toMatch(/^adjutant-my-project-[0-9a-f]{8}\.service$/)
  expect(unitName({ ...place, dataDir: "/other" })).not.toBe(unitName(place))
})

const hasVerify = spawnSync("systemd-analyze", ["--version"]).status === 0

testWith([{ name: "systemd", isAvailable: hasVerify }], "writes a unit that systemd accepts", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-unit-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const projectRoot = path.join(folder, "my project")
  await mkdir(projectRoot)
  const file = path.join(folder, unitName({ ...place, projectRoot }))
  await writeFile(file, systemdUnit({ ...place, projectRoot, command: [process.execPath, "/opt/adjutant.js"] }))
  execFileSync("systemd-analyze", ["--user", "verify", file], { env: { ...process.env, XDG_RUNTIME_DIR: folder } })
})
