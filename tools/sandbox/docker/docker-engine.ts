import { z } from "zod"
import { createDockerClient, type DockerClient } from "./docker-client.ts"
import { firstExecutable, usualPaths } from "../try-sandbox.ts"

/** A Docker engine that answers and has the image. */
export interface DockerEngine {
  /** Absolute path of the client. */
  readonly program: string
  readonly client: DockerClient
  /** Whether root inside is the engine's own user outside, and other users inside have no rights outside. */
  readonly rootless: boolean
  /** Whether the engine maps users inside to other users outside, unless a container is exempt. */
  readonly remapsUsers: boolean
  /** Whether the engine labels containers, so that they can only open files that are labelled for them. */
  readonly labels: boolean
  /** PATH of the image; empty if it sets none. */
  readonly imagePath: string
}

export interface EngineRequest {
  /** Absolute path of the client (default: the first of the usual paths). */
  readonly program?: string
  readonly image: string
  readonly clientEnv: Readonly<Record<string, string>>
}

/** Time limit for the engine's answer to a simple request. */
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

/** Returns docker's message in one line, without the name of the program before it and the advice after it. */
export const dockerMessage = (text: string): string =>
  (text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("WARNING:")) ?? "")
    .replace(/^docker: /, "")
    .trim()
    .replace(/\.$/, "")

const hasOption = (options: readonly string[], name: string): boolean =>
  options.some((option) => option.split(",").includes(`name=${name}`))

/** Returns the path of the given client or of the first one at the usual paths; undefined if it does not exist. */
export const findDocker = (program: string | undefined): Promise<string | undefined> =>
  firstExecutable(program === undefined ? usualPrograms : [program])

export const missingDocker = "docker is not installed (the program docker)"

/** Opens the engine. Returns it, or the reason why it cannot be used. */
export const openEngine = async ({ program, image, clientEnv }: EngineRequest): Promise<DockerEngine | string> => {
  if (process.getuid === undefined) return "docker needs Linux or macOS"
  if (!imageName.test(image)) return `docker cannot use ${JSON.stringify(image)}, which is not the name of an image`
  const found = await findDocker(program)
  if (found === undefined) return missingDocker
  const client = createDockerClient(found, clientEnv)
  const info = await client(["info", "--format", "{{.OSType}} {{json .SecurityOptions}}"], answerMs)
  const [, osType, options] = /^(\w+) (.*)$/.exec(info.stdout.trim()) ?? []
  if (info.exitCode !== 0 || osType === undefined) {
    // Some versions of the client blame the format for an engine that is not there.
    const { stderr } = /^template:/m.test(info.stderr) ? await client(["version"], answerMs) : info
    return `docker is installed, but its engine does not answer (${dockerMessage(stderr) || "without a message"}): start it, or give this user access to it`
  }
  if (osType !== "linux") return `docker runs ${osType} containers here, and commands need Linux containers`
  const inspected = await client(["image", "inspect", "--format", "{{json .Config}}", image], answerMs)
  if (inspected.exitCode !== 0) {
    if (/no such image/i.test(inspected.stderr))
      return `docker does not have the image ${image}: run docker pull ${image}`
    return `docker cannot inspect the image ${image} (${dockerMessage(inspected.stderr)})`
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
