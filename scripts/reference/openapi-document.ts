import { configSchema } from "../../contracts/config/config.ts"
import { createHttpServer, type HttpServer } from "../../http/create-http-server.ts"
import type { HttpServerOptions } from "../../http/http-options.ts"

/** Whose properties can be read and not called: routes take them from a client and a store, and the document needs no answer. */
const unused: unknown = new Proxy(() => undefined, {
  get: () => unused,
  apply: () => {
    throw new Error("the OpenAPI document needs neither a client nor a store")
  },
})

const createServer = async (): Promise<HttpServer> =>
  createHttpServer({
    client: unused as HttpServerOptions["client"], // oxlint-disable-line typescript/no-unsafe-type-assertion -- nothing calls it
    store: unused as HttpServerOptions["store"], // oxlint-disable-line typescript/no-unsafe-type-assertion -- nothing calls it
    loaded: {
      ...{
        config: configSchema.parse({}),
        configPath: null,
        projectRoot: "/",
        dataDir: "/",
        models: {},
        knownModels: {},
      },
    },
    env: {},
    logger: { warn: () => undefined, error: () => undefined },
    localToken: async () => "none",
  })

/** Returns the OpenAPI document of a server with the default configuration, as JSON. */
export const openApiDocument = async (): Promise<string> => {
  const server = await createServer()
  try {
    const { body } = await server.app.inject({ url: "/openapi.json" })
    return `${JSON.stringify(JSON.parse(body), undefined, 2)}\n`
  } finally {
    await server.close()
  }
}
