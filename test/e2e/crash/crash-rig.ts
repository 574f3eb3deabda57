import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { inject } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarnessAt, type TestConfig } from "../../helpers/engine/open-harness-at.ts"
import { replayLater } from "../../helpers/engine/replay-later.ts"
import { startChatModel } from "../../helpers/providers/chat-model.ts"
import type { FakeProvider, RecordedRequest } from "../../helpers/providers/fake-provider-server.ts"
import { spawnWorker, type WorkerProcess } from "../../helpers/worker/spawn-worker.ts"
import type { WorkerOrder } from "../../helpers/worker/worker-order.ts"

export interface CrashRig extends Harness, AsyncDisposable {
  readonly model: FakeProvider
  /** A worker process on the rig's store. */
  worker(options?: Partial<Pick<WorkerOrder, "crashAt" | "shutdownGraceMs" | "liveness">>): Promise<WorkerProcess>
  /** Returns the lines of a file in the working directory; none if it does not exist. */
  lines(file: string): Promise<readonly string[]>
  /** Writes a file in the working directory. */
  write(file: string, content: string): Promise<void>
  /** The last request to the model. */
  lastRequest(): RecordedRequest
}

export interface CrashRigOptions {
  /** Default: the server that all tests of the run share. */
  readonly address?: string
  readonly respond: Parameters<typeof startChatModel>[0]
  readonly timing?: TestConfig["timing"]
  readonly webhooks?: ConfigInput["webhooks"]
  /** Added to the workers' environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** Short enough that a dead worker is noticed soon, long enough for a busy machine. */
const heartbeatTimeoutMs = 6_000

/**
 * Opens a client and a store here, workers in separate processes, and a model behind HTTP: everything except this
 * process may be killed.
 */
export const openCrashRig = async ({
  address = inject("temporalAddress"),
  respond,
  timing,
  webhooks = [],
  env = {},
}: CrashRigOptions): Promise<CrashRig> => {
  const model = await startChatModel(respond)
  const spec = { provider: "openai-compatible", model: "fake", baseUrl: `${model.url}/v1` } as const
  const options = {
    worker: false,
    model: createFakeTurns(),
    config: {
      models: { main: spec, light: spec },
      webhooks,
      timing: { heartbeatTimeoutMs, updateDeadlineMs: 300, ...timing },
    },
  }
  const harness = await openHarnessAt(address, options, replayLater)
  const workers: WorkerProcess[] = []
  const close = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.kill()))
    await harness.close()
    await model.close()
  }
  return {
    ...harness,
    model,
    async worker(order = {}) {
      const worker = await spawnWorker({ address, dataDir: harness.dataDir, shutdownGraceMs: 5_000, ...order }, env)
      workers.push(worker)
      return worker
    },
    async lines(file) {
      const text = await readFile(join(harness.cwd, file), "utf8").catch(() => "")
      return text.split("\n").filter((line) => line !== "")
    },
    write: (file, content) => writeFile(join(harness.cwd, file), content),
    lastRequest() {
      const request = model.requests.at(-1)
      if (request === undefined) throw new Error("the model was never asked")
      return request
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
