// Builds the web page. `npm ci` runs it as the script `prepare`; without the development packages, it builds nothing.
import path from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

const hasBundler = (): boolean => {
  try {
    return fileURLToPath(import.meta.resolve("rolldown")) !== ""
  } catch {
    return false
  }
}

if (hasBundler()) {
  const { bundlePage } = await import("./page/bundle-page.ts")
  const script = await bundlePage(path.resolve(import.meta.dirname, ".."))
  process.stdout.write(
    `built web/dist with a script of ${Math.round(gzipSync(script).length / 1_000)} kB, compressed\n`,
  )
} else {
  process.stdout.write("web/dist is not built, because the development packages are not installed\n")
}
