import { createHash } from "node:crypto"
import path from "node:path"

export interface UnitPlace {
  /** Absolute path of the program that runs Adjutant, and its arguments. */
  readonly command: readonly string[]
  /** Absolute path of the project. */
  readonly projectRoot: string
  readonly dataDir: string
}

/** Returns a word as systemd reads it in a command line: without variables and specifiers, in quotes. */
const quoted = (word: string): string =>
  `"${word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$")}"`

/** Returns the name of the unit of a data directory. */
export const unitName = ({ projectRoot, dataDir }: Pick<UnitPlace, "projectRoot" | "dataDir">): string => {
  const project = path.basename(projectRoot).replaceAll(/[^\w.-]/g, "-")
  return `adjutant-${project}-${createHash("sha256").update(dataDir).digest("hex").slice(0, 8)}.service`
}

/** Returns a unit that runs the service of a data directory for a user of systemd. */
export const systemdUnit = ({ command, projectRoot, dataDir }: UnitPlace): string =>
  [
    "[Unit]",
    `Description=Adjutant for ${projectRoot.replaceAll("%", "%%")}`,
    "",
    "[Service]",
    `WorkingDirectory=${projectRoot.replaceAll("%", "%%")}`,
    `ExecStart=${[...command, "service", "run", "--data-dir", dataDir].map(quoted).join(" ")}`,
    "Restart=on-failure",
    "RestartSec=5",
    // The worker lets calls in flight finish.
    "TimeoutStopSec=120",
    "KillMode=mixed",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n")
