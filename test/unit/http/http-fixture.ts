import type { InjectOptions } from "fastify"
import { onTestFinished } from "vitest"
import type { LoadedConfig } from "../../../config/loaded-config.ts"
import { type ConfigInput, configSchema } from "../../../contracts/config/config.ts"
import { createHttpServer, type HttpServer } from "../../../http/create-http-server.ts"
import type { HttpServerOptions } from "../../../http/http-options.ts"
import { clientFixture, type ClientFixture } from "../client/client-fixture.ts"

export interface HttpFixture extends ClientFixture {
  readonly server: HttpServer
  readonly logged: readonly Readonly<Record<string, unknown>>[]
  /** Sends a request without a socket; returns the body as JSON if it is JSON. */
  ask(options: InjectOptions): Promise<Answer>
  /** Creates a session with a run, as `start` leaves it. */
  started(): Promise<string>
}

export interface Answer {
  readonly status: number
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- tests look at answers of any shape
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

export interface HttpFixtureOptions extends Partial<
  Pick<HttpServerOptions, "env" | "limits" | "host" | "port" | "now" | "localToken" | "mcp" | "onlyLocally">
> {
  readonly config?: ConfigInput
  readonly models?: LoadedConfig["models"]
}

const loadedWith = (config: ConfigInput, models: LoadedConfig["models"]): LoadedConfig => ({
  config: configSchema.parse(config),
  configPath: null,
  projectRoot: "/srv/project",
  dataDir: "/srv/project/.adjutant",
  models,
  knownModels: {},
})

/** Creates the HTTP server over a real store and a fake engine. */
export const httpFixture = async (options: HttpFixtureOptions = {}): Promise<HttpFixture> => {
  const logged: Record<string, unknown>[] = []
  const log = (details: Readonly<Record<string, unknown>>) => void logged.push({ ...details })
  const { config = {}, models = {}, env = {}, ...rest } = options
  const loaded = loadedWith(config, models)
  const fixture = await clientFixture({ loaded })
  const server = await createHttpServer({
    client: fixture.client,
    store: fixture.store,
    loaded,
    env,
    logger: { warn: log, error: log },
    localToken: "none",
    ...rest,
  })
  onTestFinished(() => server.close())
  return {
    ...fixture,
    server,
    logged,
    ask: async (request) => {
      const response = await server.app.inject(request)
      const text = response.body
      const isJson = String(response.headers["content-type"]).startsWith("application/json")
      return {
        status: response.statusCode,
        body: isJson && text !== "" ? JSON.parse(text) : undefined,
        headers: response.headers,
        text,
      }
    },
    started: async () => {
      const { sessionId } = await fixture.client.start({ prompt: "Count.", cwd: "/srv/project" })
      return sessionId
    },
  }
}
