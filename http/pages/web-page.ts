import { readdir, readFile } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"
import type { FastifyInstance } from "fastify"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
}

/** Allows resources of this server only, and no inline script or style. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** Serves the files of a folder, which are read once; `index.html` is at `/`. Files of unknown types are not served. */
export const serveWebPage = async (app: FastifyInstance, folder: string): Promise<void> => {
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
