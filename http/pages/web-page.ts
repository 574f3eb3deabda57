import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"
import type { FastifyInstance } from "fastify"
import type { HttpLogger } from "../http-options.ts"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
}

/**
 * Allows resources of this server only, and no inline script or style. Images of tools need the token, which only a request of the script has: it shows
 * what it has read as `blob:`. A text can name no such image, unlike one of `data:`.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const missing = "The web page is not built. Run `npm run build:page`, and start the server again.\n"

/** Answers at `/` how to build the page. */
const explainMissing = (app: FastifyInstance): void => {
  app.get("/", { config: { access: "public" }, schema: { hide: true } }, async (_request, reply) =>
    reply.code(503).type("text/plain; charset=utf-8").send(missing),
  )
}

/**
 * Serves the files of a folder, which are read once; `index.html` is at `/`. Files of unknown types are not served. The folder of a checkout is
 * missing if its packages were installed without scripts; then every answer says so, and so does the log.
 */
export const serveWebPage = async (app: FastifyInstance, folder: string, logger: HttpLogger): Promise<void> => {
  if (!existsSync(join(folder, "index.html"))) {
    logger.warn({ folder }, "the web page is not built: run `npm run build:page`, and start the server again")
    return explainMissing(app)
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const type = types[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join("/")}`
    const content = await readFile(file)
    app.get(
      path === "/index.html" ? "/" : path,
      { config: { access: "public" }, schema: { hide: true } },
      async (_request, reply) =>
        reply.headers({ "content-security-policy": policy, "cache-control": "no-cache" }).type(type).send(content),
    )
  }
}
