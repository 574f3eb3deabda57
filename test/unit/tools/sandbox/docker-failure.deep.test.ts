import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { createDocker, dockerFailure } from "../../../../tools/sandbox/docker/docker.ts"
import type { DockerOptions } from "../../../../tools/sandbox/docker/docker.ts"
import { surveySandboxes } from "../../../../tools/sandbox/detect-sandbox.ts"
import { describeWith } from "../../../helpers/needs.ts"
import { firstExecutable, usualPaths } from "../../../../tools/sandbox/try-sandbox.ts"
import { createCommand, testLimits } from "./command.ts"
import { createStandIn } from "./docker-stand-in.ts"

describe.runIf(process.platform === "linux")("whether docker can be used, with a stand-in for docker", () => {
  test("reports no problem if the engine answers and has the image", async () => {
    expect(await dockerFailure(createStandIn().options)).toBeUndefined()
  })

  test("reports a missing program", async () => {
    const options = { ...createStandIn().options, program: "/does/not/exist" }
    expect(await dockerFailure(options)).toBe("docker is not installed (the program docker)")
    await expect(createDocker(options).run(createCommand("true"))).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message: "the command could not be run: docker is not installed (the program docker)",
    })
  })

  test("reports an engine that does not answer", async () => {
    const standIn = createStandIn()
    standIn.stopEngine()
    expect(await dockerFailure(standIn.options)).toMatch(
      /^docker is installed, but its engine does not answer \(Cannot connect to the Docker daemon.*\): start it/,
    )
  })

  test("reports a missing image, and does not take its name as an option", async () => {
    const { options } = createStandIn({ image: "node:24" })
    expect(await dockerFailure(options)).toBe("docker does not have the image node:24: run docker pull node:24")
    expect(await dockerFailure({ ...options, image: "--privileged" })).toContain("is not the name of an image")
  })

  test("explains an engine that does not have the worker's directories, as the doctor shows it", async () => {
    const { options, refuse } = createStandIn()
    refuse(
      "invalid mount config for type \"bind\": bind source path does not exist: /srv/project.\nSee 'docker run --help'.",
    )
    const { reason } = await surveySandboxes("auto", {
      ...{ backends: ["docker"], dockerImage: options.image },
      ...(options.program === undefined ? {} : { dockerProgram: options.program }),
    })
    expect(reason).toMatch(
      /bind source path does not exist: \/srv\/project \(image tools:1\); the engine does not see this worker's files: .*security\.sandboxBackends$/,
    )
  })

  test("finds a program, engine or image as soon as it is there", async () => {
    const standIn = createStandIn({ image: "node:24" })
    const sandbox = createDocker(standIn.options)
    await expect(sandbox.run(createCommand("true"))).rejects.toThrow("docker pull node:24")
    standIn.setImages({ "node:24": "null" })
    expect(await sandbox.run(createCommand("true"))).toMatchObject({ exitCode: 0 })
  })
})

const program = await firstExecutable(usualPaths("docker"))
if (program === undefined) console.log("The tests with the real client are skipped: docker is not installed.")

const createSocket = (): string => {
  const root = mkdtempSync(join(tmpdir(), "adjutant-engine-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return join(root, "engine.sock")
}

const optionsFor = (socket: string): DockerOptions => ({
  program,
  image: "tools:1",
  network: false,
  readOnlyPaths: [],
  limits: testLimits,
  env: { PATH: "/usr/bin:/bin", HOME: join(socket, ".."), DOCKER_HOST: `unix://${socket}` },
})

/** Answers the client's requests before it creates a container, and refuses to create one. */
const createEngine = async (socket: string) => {
  const wanted: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? ""
    const body = Buffer.concat(await request.toArray()).toString("utf8")
    if (url.includes("/containers/create")) wanted.push(body)
    const [status, text] = url.endsWith("/info")
      ? [200, '{"OSType":"linux","SecurityOptions":["name=seccomp,profile=builtin"]}']
      : url.includes("/images/tools:1/")
        ? [200, '{"Config":{"Env":["PATH=/image/bin"]}}']
        : url.includes("/containers/json")
          ? [200, "[]"]
          : url.endsWith("_ping")
            ? [200, "OK"]
            : [url.includes("/create") ? 409 : 404, '{"message":"No such image or container: it is a stand-in"}']
    response.writeHead(Number(status), { "content-type": "application/json", "api-version": "1.44" })
    response.end(text)
  }
  const server = createServer((request, response) => void answer(request, response)).listen(socket)
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return { wanted }
}

describeWith([{ name: "docker", isAvailable: program !== undefined }], "the real client", () => {
  test("reports that no engine answers", async () => {
    const socket = createSocket()
    expect(await dockerFailure(optionsFor(socket))).toMatch(
      /^docker is installed, but its engine does not answer \(Cannot connect to the Docker daemon at unix:.*\): start it/,
    )
  })

  test("reports that the image is missing", async () => {
    const socket = createSocket()
    await createEngine(socket)
    expect(await dockerFailure({ ...optionsFor(socket), image: "node:24" })).toBe(
      "docker does not have the image node:24: run docker pull node:24",
    )
  })

  test("accepts every option, and sends a stand-in engine the intended request", async () => {
    const socket = createSocket()
    const { wanted } = await createEngine(socket)
    const sandbox = createDocker(optionsFor(socket))
    const command = createCommand("echo hi", { env: { PATH: "/usr/bin:/bin", TOKEN: "secret", GODEBUG: "panicnil=1" } })
    const hidden = join(command.cwd, "..")
    await expect(sandbox.run({ ...command, hiddenDirs: [hidden] })).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message: expect.stringContaining("No such image or container: it is a stand-in"),
    })
    const [body = "{}"] = wanted
    expect(JSON.parse(body)).toMatchObject({
      User: `${process.getuid?.()}:${process.getgid?.()}`,
      OpenStdin: false,
      WorkingDir: command.cwd,
      Entrypoint: ["/bin/bash"],
      Cmd: ["-c", 'exec /bin/bash -c "$1" 2>&1', "bash", "echo hi"],
      StopSignal: "SIGTERM",
      Env: expect.arrayContaining([
        "TOKEN=secret",
        "GODEBUG=panicnil=1",
        "PATH=/image/bin:/usr/bin:/bin",
        "HTTP_PROXY",
      ]),
      Labels: { "adjutant.owner": command.ownerId },
      HostConfig: {
        AutoRemove: true,
        Init: true,
        NetworkMode: "none",
        ReadonlyRootfs: true,
        CapAdd: null,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges=true"],
        LogConfig: { Type: "none" },
        PidsLimit: 2_048,
        Memory: 4 * 1024 ** 3,
        MemorySwap: 4 * 1024 ** 3,
        Tmpfs: { "/tmp": `rw,exec,nosuid,nodev,size=${1024 ** 3},mode=1777` },
        Mounts: [
          { Type: "bind", Source: command.cwd, Target: command.cwd },
          { Type: "tmpfs", Target: hidden, ReadOnly: true, TmpfsOptions: { SizeBytes: 4_096, Mode: 0o555 } },
        ],
      },
    })
    expect(existsSync(command.outputFile)).toBe(false)
    await sandbox.stopBackground(command.ownerId)
  })
})
