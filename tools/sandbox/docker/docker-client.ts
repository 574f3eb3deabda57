import { execFile } from "node:child_process"
import type { Environment } from "../../../domain/environment.ts"

export interface DockerAnswer {
  /** 0 if the request succeeded; null if the client was not found or took too long. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Sends a short request to the engine through the client program. Never throws. */
export type DockerClient = (args: readonly string[], timeoutMs?: number) => Promise<DockerAnswer>

const defaultTimeoutMs = 30_000
const maxAnswerBytes = 4 * 1024 * 1024

/** Variables of the worker's environment that the client needs to find its settings and the engine. It looks for `ssh` on PATH. */
const clientVariables = [
  "PATH",
  "HOME",
  "USER",
  "XDG_RUNTIME_DIR",
  "SSH_AUTH_SOCK",
  "DOCKER_HOST",
  "DOCKER_CONTEXT",
  "DOCKER_CONFIG",
  "DOCKER_CERT_PATH",
  "DOCKER_TLS",
  "DOCKER_TLS_VERIFY",
  "DOCKER_API_VERSION",
]

/** Returns the client's own environment. */
export const clientEnvironment = (source: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    clientVariables.flatMap((name) => {
      const value = source[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

export const createDockerClient =
  (program: string, env: Readonly<Record<string, string>>): DockerClient =>
  (args, timeoutMs = defaultTimeoutMs) =>
    new Promise((resolve) => {
      const options = { env, cwd: "/", timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: maxAnswerBytes } as const
      execFile(program, [...args], options, (error, stdout, stderr) => {
        if (error === null) return resolve({ exitCode: 0, stdout, stderr })
        const exitCode = typeof error.code === "number" ? error.code : null
        const message = error.killed === true ? `it did not answer within ${timeoutMs} ms` : stderr || error.message
        return resolve({ exitCode, stdout, stderr: message })
      })
    })
