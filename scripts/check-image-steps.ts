// Executes the Dockerfile's steps in temporary folders, for machines without a container engine: COPY and RUN (except those that install system
// packages), then the entry point with --version and --help. The files are those of git that .dockerignore allows.
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseDockerfile, type Stage } from "./image/parse-dockerfile.ts"

const root = path.resolve(import.meta.dirname, "..")
const work = mkdtempSync(path.join(tmpdir(), "adjutant-image-"))
const context = path.join(work, "context")
const folderOf = (stage: Stage): string => path.join(work, stage.name)

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const copyContext = (): void => {
  const allowed = readFileSync(path.join(root, ".dockerignore"), "utf8")
    .split("\n")
    .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []))
  const files = execFileSync(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...allowed],
    {
      cwd: root,
      encoding: "utf8",
    },
  )
  for (const file of files.split("\0").filter((name) => name !== "")) {
    const from = path.join(root, file)
    if (statSync(from, { throwIfNoEntry: false })?.isFile() === true) cpSync(from, path.join(context, file))
  }
}

const copy = (
  stage: Stage,
  { from, sources, target }: { from?: string; sources: readonly string[]; target: string },
): void => {
  const base = from === undefined ? context : path.join(work, from)
  for (const source of sources) {
    const wanted = path.join(base, source)
    const isFolder = statSync(wanted).isDirectory()
    const into = path.join(folderOf(stage), target, !isFolder && target.endsWith("/") ? path.basename(source) : "")
    cpSync(wanted, into, { recursive: true, verbatimSymlinks: true })
  }
}

const run = (stage: Stage, workdir: string, command: string): void => {
  if (/^(apt-get|install) /.test(command)) return say(`  skipped: ${command.slice(0, 60)} …`)
  say(`  ${command}`)
  execFileSync("/bin/sh", ["-c", command], {
    cwd: path.join(folderOf(stage), workdir),
    stdio: ["ignore", "ignore", "inherit"],
  })
}

try {
  copyContext()
  const stages = parseDockerfile(readFileSync(path.join(root, "Dockerfile"), "utf8"))
  for (const stage of stages) {
    say(`stage ${stage.name}`)
    for (const step of stage.steps) {
      mkdirSync(path.join(folderOf(stage), step.workdir), { recursive: true })
      if (step.kind === "copy") copy(stage, step)
      else run(stage, step.workdir, step.command)
    }
  }
  const last = stages.at(-1)
  const program = last?.entrypoint.find((word) => word.endsWith(".js"))
  if (last === undefined || program === undefined)
    throw new Error("the Dockerfile's entry point does not name a program")
  for (const argument of ["--version", "--help"]) {
    const text = execFileSync(process.execPath, [path.join(folderOf(last), program), argument], {
      cwd: work,
      encoding: "utf8",
    })
    say(`  ${argument}: ${text.split("\n")[0]}`)
    if (text.trim() === "") throw new Error(`adjutant ${argument} printed nothing`)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
