import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import {
  containersIn,
  exitFile,
  findContainer,
  killAll,
  outputFile,
  recordFile,
  removeRecord,
  signalInit,
  supervise,
  writeWhole,
} from "./docker-stand-in-containers.ts"
import { checkValues, containerEnvironment, parse, parseMount, Refusal, runGrammar } from "./docker-stand-in-grammar.ts"

// Makes this program start faster; it is not one of its client's variables.
const { NODE_COMPILE_CACHE, ...clientEnv } = process.env
const [, source = "", program = "", , verb = "", ...args] = process.argv
const state = dirname(program)
const image = (name: string): string | undefined => {
  const images: Record<string, string> = JSON.parse(readFileSync(join(state, "images.json"), "utf8"))
  return images[name]
}

const copy = (file: string, from: number, to: NodeJS.WriteStream): number => {
  if (!existsSync(file)) return from
  const descriptor = openSync(file, "r")
  const buffer = Buffer.alloc(1_000_000)
  const length = readSync(descriptor, buffer, 0, buffer.length, from)
  closeSync(descriptor)
  to.write(buffer.subarray(0, length))
  return from + length
}

/** Prints what the container writes until it is gone. */
const attach = async (id: string): Promise<number> => {
  const read = { out: 0, err: 0 }
  const show = (): void => {
    read.out = copy(outputFile(state, id, "out"), read.out, process.stdout)
    read.err = copy(outputFile(state, id, "err"), read.err, process.stderr)
  }
  while (existsSync(recordFile(state, id))) {
    show()
    await delay(5)
  }
  for (let before = -1; before !== read.out + read.err;) {
    before = read.out + read.err
    show()
  }
  return Number(readFileSync(exitFile(state, id), "utf8"))
}

const run = async (): Promise<number> => {
  const parsed = parse(args, runGrammar, 125)
  checkValues(parsed)
  const { options, rest } = parsed
  const [name = "", ...words] = rest
  const mounts = (options.get("mount") ?? []).map(parseMount)
  const env = containerEnvironment(parsed)
  if (image(name) === undefined) throw new Refusal(`docker: Error response from daemon: No such image: ${name}`, 125)
  const targets = [
    ...mounts.map((mount) => mount["target"]),
    ...(options.get("tmpfs") ?? []).map((text) => text.split(":")[0]),
  ]
  if (new Set(targets).size < targets.length)
    throw new Refusal("docker: Error response from daemon: Duplicate mount point", 125)
  const refusal = join(state, "refuses")
  if (existsSync(refusal))
    throw new Refusal(`docker: Error response from daemon: ${readFileSync(refusal, "utf8")}`, 125)
  const id = randomBytes(32).toString("hex")
  const record = {
    id,
    name: options.get("name")?.[0] ?? id,
    labels: options.get("label") ?? [],
    options: Object.fromEntries(options),
    mounts,
    env,
    command: [...(options.get("entrypoint") ?? []), ...words],
    clientEnv,
  }
  if (containersIn(state).some((other) => other.name === record.name))
    throw new Refusal("docker: Error response from daemon: Conflict. The container name is in use", 125)
  writeWhole(recordFile(state, id), JSON.stringify(record))
  writeWhole(join(state, "last.json"), JSON.stringify(record))
  const interactive = options.has("interactive")
  const child = spawn(process.execPath, [source, program, "--", "supervise", id], {
    detached: true,
    env: { STAND_IN_CONTAINER: id, NODE_COMPILE_CACHE },
    stdio: [interactive ? "pipe" : "ignore", "ignore", "ignore"],
  })
  child.unref()
  if (child.stdin !== null) process.stdin.pipe(child.stdin).on("error", () => {})
  process.on("SIGTERM", () => signalInit(state, id, "SIGTERM"))
  return attach(id)
}

const remove = async (): Promise<void> => {
  const { options, rest } = parse(args, { force: false, volumes: false }, 125)
  for (const reference of rest) {
    const { id } = findContainer(state, reference)
    if (!options.has("force")) throw new Refusal("Error response from daemon: cannot remove a running container", 1)
    await killAll(id)
    removeRecord(state, id, 137)
  }
}

const stop = async (): Promise<void> => {
  const { options, rest } = parse(args, { timeout: true }, 125)
  const timeoutMs = Number(options.get("timeout")?.[0] ?? 10) * 1_000
  for (const reference of rest) {
    const { id } = findContainer(state, reference)
    signalInit(state, id, "SIGTERM")
    const deadline = performance.now() + timeoutMs
    while (existsSync(recordFile(state, id)) && performance.now() < deadline) await delay(5)
    await killAll(id)
    removeRecord(state, id, 137)
  }
}

const list = (): string => {
  const { options, rest } = parse(args, { all: false, quiet: false, "no-trunc": false, filter: true }, 125)
  const [filter = ""] = options.get("filter") ?? []
  if (rest.length > 0 || !options.has("quiet") || !filter.startsWith("label=")) throw new Refusal("unknown use", 1)
  const label = filter.slice("label=".length)
  return containersIn(state)
    .filter(({ labels }) => labels.includes(label))
    .map(({ id }) => `${id}\n`)
    .join("")
}

const info = (): string => {
  const template = parse(args, { format: true }, 125).options.get("format")?.[0] ?? ""
  const options = readFileSync(join(state, "security.json"), "utf8")
  return `${template.replace("{{.OSType}}", "linux").replace("{{json .SecurityOptions}}", options)}\n`
}

const inspectImage = (): string => {
  const { options, rest } = parse(args.slice(1), { format: true }, 125)
  const config = image(rest[0] ?? "")
  if (args[0] !== "inspect" || options.get("format")?.[0] !== "{{json .Config}}") throw new Refusal("unknown use", 1)
  if (config === undefined) throw new Refusal(`Error response from daemon: No such image: ${rest[0]}`, 1)
  return `${config}\n`
}

const answer = async (): Promise<number> => {
  if (verb === "supervise") await supervise(state, args[0] ?? "")
  if (verb === "supervise") return 0
  appendFileSync(join(state, "calls.jsonl"), `${JSON.stringify([verb, ...args])}\n`)
  if (!existsSync(join(state, "engine"))) {
    const absent = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"
    throw new Refusal(verb === "run" ? `docker: ${absent}` : absent, verb === "run" ? 125 : 1)
  }
  switch (verb) {
    case "run":
      return run()
    case "rm":
      await remove()
      return 0
    case "stop":
      await stop()
      return 0
    case "ps":
      process.stdout.write(list())
      return 0
    case "info":
      process.stdout.write(info())
      return 0
    case "image":
      process.stdout.write(inspectImage())
      return 0
    default:
      throw new Refusal(`docker: '${verb}' is not a docker command`, 1)
  }
}

try {
  const exitCode = await answer()
  // The client's own input may still be open.
  process.stdout.write("", () => process.exit(exitCode))
} catch (error) {
  if (!(error instanceof Refusal)) {
    writeFileSync(join(state, "broken.txt"), String(error instanceof Error ? error.stack : error))
    throw error
  }
  const advice = error.exitCode === 125 ? "\n\nRun 'docker run --help' for more information" : ""
  process.stderr.write(`${error.message}${advice}\n`, () => process.exit(error.exitCode))
}
