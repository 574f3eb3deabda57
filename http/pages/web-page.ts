import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { createHash } from "node:crypto"
import { extname, join, relative, sep } from "node:path"
import type { FastifyInstance } from "fastify"
import { acceptedEncoding, compressed, type Encoding } from "../answers/compress-answers.ts"
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

interface PageFile {
  readonly path: string
  readonly type: string
  readonly content: Buffer
}

const indexPath = "/index.html"

const readFiles = async (folder: string): Promise<readonly PageFile[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const found: PageFile[] = []
  for (const entry of entries) {
    const type = types[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    found.push({ path: `/${relative(folder, file).split(sep).join("/")}`, type, content: await readFile(file) })
  }
  return found
}

/** Scripts and styles are large and change with each build: their names in the page have a hash of the content, so that browsers can keep them. */
const isHashed = ({ path }: PageFile): boolean => [".js", ".css"].includes(extname(path))

const hashedPath = ({ path, content }: PageFile): string => {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16)
  return path.replace(/\.(\w+)$/, `.${hash}.$1`)
}

const withHashedNames = (index: PageFile, files: readonly PageFile[]): PageFile => {
  const html = files
    .filter(isHashed)
    .reduce(
      (text, file) => text.replaceAll(`"${file.path.slice(1)}"`, `"${hashedPath(file).slice(1)}"`),
      index.content.toString(),
    )
  return { ...index, content: Buffer.from(html) }
}

/** Serves a file, compressed once for all who accept that, when the first of them asks. */
const serveFile = (app: FastifyInstance, path: string, { type, content }: PageFile, cacheControl: string): void => {
  const short = new Map<Encoding, Promise<Buffer | undefined>>()
  const inEncoding = (encoding: Encoding): Promise<Buffer | undefined> => {
    const made = short.get(encoding) ?? compressed(content, encoding, "best")
    short.set(encoding, made)
    return made
  }
  app.get(path, { config: { access: "public" }, schema: { hide: true } }, async (request, reply) => {
    const encoding = isText(type) ? acceptedEncoding(request.headers["accept-encoding"]) : undefined
    const body = encoding === undefined ? undefined : await inEncoding(encoding)
    if (body !== undefined && encoding !== undefined) reply.header("content-encoding", encoding)
    return reply
      .headers({ "content-security-policy": policy, "cache-control": cacheControl, vary: "accept-encoding" })
      .type(type)
      .send(body ?? content)
  })
}

/** Images are compressed as they are. */
const isText = (type: string): boolean => type !== "image/png"

/**
 * Serves the files of a folder, which are read once; `index.html` is at `/`. Files of unknown types are not served. The folder of a checkout is
 * missing if its packages were installed without scripts; then every answer says so, and so does the log.
 */
export const serveWebPage = async (app: FastifyInstance, folder: string, logger: HttpLogger): Promise<void> => {
  if (!existsSync(join(folder, "index.html"))) {
    logger.warn({ folder }, "the web page is not built: run `npm run build:page`, and start the server again")
    return explainMissing(app)
  }
  const files = await readFiles(folder)
  for (const file of files) {
    if (file.path === indexPath) serveFile(app, "/", withHashedNames(file, files), "no-cache")
    else {
      serveFile(app, file.path, file, "no-cache")
      if (isHashed(file)) serveFile(app, hashedPath(file), file, "public, max-age=31536000, immutable")
    }
  }
}
