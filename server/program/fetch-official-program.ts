// Started by download-temporal-program.ts as a separate process: downloads an archive into a folder, and unpacks `temporal` only if the archive has the
// expected hash. Arguments: the folder, the URL, the SHA-256 hash.
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { Readable, Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import { errorMessage } from "../../domain/text/error-message.ts"
import { outgoing } from "../../network/outgoing.ts"

/** The archive has about 50 MB. */
const maxBytes = 500_000_000

/** Writes what a URL returns to a file. Returns the hash of the content. */
const download = async (url: string, file: string): Promise<string> => {
  const response = await outgoing(url)
  if (!response.ok || response.body === null) throw new Error(`the server answered with status ${response.status}`)
  const hash = createHash("sha256")
  let bytes = 0
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      hash.update(chunk)
      done(bytes > maxBytes ? new Error("the archive is too large") : null, chunk)
    },
  })
  await pipeline(Readable.fromWeb(response.body), measured, createWriteStream(file, { mode: 0o600 }))
  return hash.digest("hex")
}

const [folder = "", url = "", sha256 = ""] = process.argv.slice(2)
const archive = join(folder, "archive.tar.gz")
try {
  const actual = await download(url, archive)
  if (actual !== sha256) throw new Error(`not unpacked: its SHA-256 hash is ${actual} instead of ${sha256}`)
  await promisify(execFile)("tar", ["-xzf", archive, "-C", folder, "temporal"])
  await chmod(join(folder, "temporal"), 0o755)
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ""
  console.error(`${errorMessage(error)}${cause}`)
  process.exitCode = 1
}
