import { z } from "zod"
import { createDockerClient, type DockerClient } from "./docker-client.ts"
import { firstExecutable, usualPaths } from "../try-sandbox.ts"

/** An engine that answers and has the image. */
export interface DockerEngine {
  /** Absolute path of the client. */
  readonly program: string
  readonly client: DockerClient
  /** True: root inside is the user that the engine runs as, and others inside are nobody outside. */
  readonly rootless: boolean
  /** True: users inside are others outside, unless a container is exempt. */
  readonly remapsUsers: boolean
  /** True: the engine labels containers, so that they can open no file that is not labelled for them. */
  readonly labels: boolean
  /** PATH of the image, empty where it sets none. */
  readonly imagePath: string
}

export interface EngineRequest {
  /** Absolute path of the client; default the first of the usual places. */
  readonly program?: string
  readonly image: string
  readonly clientEnv: Readonly<Record<string, string>>
}

/** For the engine to answer a request that takes no time of its own. */
export const answerMs = 10_000

const usualPrograms: readonly string[] = [
  ...usualPaths("docker"),
  "/opt/homebrew/bin/docker",
  "/Applications/Docker.app/Contents/Resources/bin/docker",
  "/snap/bin/docker",
]

/** The name of an image, never an option. */
const imageName = /^[a-z0-9][A-Za-z0-9._:/@-]*$/

const optionsSchema = z.array(z.string()).nullish()
const configSchema = z.object({ Env: z.array(z.string()).nullish() }).nullish()

const readJson = <Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> | undefined => {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** What docker says in one line, without its own name before it and without the advice after it. */
export const dockerMessage = (text: string): string =>
  (text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("WARNING:")) ?? "")
    .replace(/^docker: /, "")
    .trim()
    .replace(/\.$/, "")

const hasOption = (options: readonly string[], name: string): boolean =>
  options.some((option) => option.split(",").includes(`name=${name}`))

/** The client that was named, or the first of the usual places; undefined where there is none. */
export const findDocker = (program: string | undefined): Promise<string | undefined> =>
  firstExecutable(program === undefined ? usualPrograms : [program])

export const missingDocker = "docker is not installed (the program docker)"

/** The engine, or in one clause why it cannot be used. */
export const openEngine = async ({ program, image, clientEnv }: EngineRequest): Promise<DockerEngine | string> => {
  if (process.getuid === undefined) return "docker needs Linux or macOS"
  if (!imageName.test(image)) return `docker cannot use ${JSON.stringify(image)}, which is not the name of an image`
  const found = await findDocker(program)
  if (found === undefined) return missingDocker
  const client = createDockerClient(found, clientEnv)
  const info = await client(["info", "--format", "{{.OSType}} {{json .SecurityOptions}}"], answerMs)
  const [, osType, options] = /^(\w+) (.*)$/.exec(info.stdout.trim()) ?? []
  if (info.exitCode !== 0 || osType === undefined)
    return `docker is installed, but its engine does not answer (${dockerMessage(info.stderr) || "it said nothing"}): start it, or let this user use it`
  if (osType !== "linux") return `docker runs ${osType} containers here, and commands need Linux ones`
  const inspected = await client(["image", "inspect", "--format", "{{json .Config}}", image], answerMs)
  if (inspected.exitCode !== 0) {
    if (/no such image/i.test(inspected.stderr)) return `docker does not have the image ${image}: docker pull ${image}`
    return `docker does not show the image ${image} (${dockerMessage(inspected.stderr)})`
  }
  const securityOptions = readJson(optionsSchema, options ?? "") ?? []
  const imageEnv = readJson(configSchema, inspected.stdout)?.Env ?? []
  return {
    program: found,
    client,
    rootless: hasOption(securityOptions, "rootless"),
    remapsUsers: hasOption(securityOptions, "userns"),
    labels: hasOption(securityOptions, "selinux"),
    imagePath: imageEnv.find((entry) => entry.startsWith("PATH="))?.slice("PATH=".length) ?? "",
  }
}
