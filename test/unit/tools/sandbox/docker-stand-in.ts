import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import type { DockerOptions } from "../../../../tools/sandbox/docker/docker.ts"
import { testLimits } from "./command.ts"
import { containersIn, killAll, processesOf } from "./docker-stand-in-containers.ts"
import type { Container } from "./docker-stand-in-containers.ts"

export interface StandIn {
  readonly options: DockerOptions
  /** Command lines, in order, without the program. */
  readonly calls: () => readonly (readonly string[])[]
  readonly containers: () => readonly Container[]
  /** The container that was created last. */
  readonly last: () => Container & { readonly clientEnv: Readonly<Record<string, string>> }
  readonly stopEngine: () => void
  /** What the engine answers to `run` from now on. */
  readonly refuse: (words: string) => void
  readonly setImages: (images: Readonly<Record<string, string>>) => void
  readonly setSecurity: (options: readonly string[]) => void
  /** Processes that run in this engine's containers. */
  readonly processes: () => readonly number[]
}

/**
 * Creates an executable `docker` with its own engine: instead of a container it starts a session that does not
 * end with the client.
 */
export const createStandIn = (overrides: Partial<DockerOptions> = {}): StandIn => {
  const state = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-stand-in-")))
  for (const name of ["containers", "output", "exits"]) mkdirSync(join(state, name))
  const program = join(state, "docker")
  const source = fileURLToPath(import.meta.resolve("./docker-stand-in-program.ts"))
  // Without the two dashes, Node itself would read the file of `--env-file`.
  const words = [realpathSync(process.execPath), source, program].map((word) => `'${word}'`)
  const cache = process.env["NODE_COMPILE_CACHE"] ?? ""
  writeFileSync(program, `#!/bin/bash\nNODE_COMPILE_CACHE='${cache}' exec ${words.join(" ")} -- "$@"\n`)
  chmodSync(program, 0o755)
  const put = (name: string, text: string): void => writeFileSync(join(state, name), text)
  put("engine", "")
  put("images.json", JSON.stringify({ "tools:1": '{"Env":["PATH=/image/bin:/usr/bin","LANG=C.UTF-8"]}' }))
  put("security.json", '["name=seccomp,profile=builtin","name=cgroupns"]')
  onTestFinished(async () => {
    await Promise.all(containersIn(state).map(({ id }) => killAll(id)))
    const broken = join(state, "broken.txt")
    const problem = existsSync(broken) ? readFileSync(broken, "utf8") : undefined
    rmSync(state, { recursive: true, force: true, maxRetries: 10 })
    if (problem !== undefined) throw new Error(`The stand-in is broken: ${problem}`)
  })
  return {
    options: {
      program,
      image: "tools:1",
      network: false,
      readOnlyPaths: [],
      limits: testLimits,
      startAllowanceMs: 0,
      env: { HOME: "/home/worker", PATH: "/usr/bin:/bin", WORKER_SECRET: "worker secret" },
      ...overrides,
    },
    calls: () =>
      readFileSync(join(state, "calls.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    containers: () => containersIn(state),
    last: () => JSON.parse(readFileSync(join(state, "last.json"), "utf8")),
    processes: () => containersIn(state).flatMap(({ id }) => processesOf(id)),
    stopEngine: () => rmSync(join(state, "engine")),
    refuse: (text) => put("refuses", text),
    setImages: (images) => put("images.json", JSON.stringify(images)),
    setSecurity: (options) => put("security.json", JSON.stringify(options)),
  }
}
