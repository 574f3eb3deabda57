import { temporalCliVersion } from "./temporal-version.ts"

/** An archive to download, and the SHA-256 hash of its content. */
export interface OfficialArchive {
  readonly url: string
  readonly sha256: string
}

/** Hashes of the archives of `temporalCliVersion`, by Node's names of system and architecture. They change together with the version. */
const hashes: Readonly<Record<string, string>> = {
  "darwin-arm64": "cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415",
  "darwin-x64": "bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9",
  "linux-arm64": "bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5",
  "linux-x64": "ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d",
}

/** Returns the archive with the official `temporal` for a system; undefined if there is none whose hash is known. */
export const officialArchive = (platform: string, arch: string): OfficialArchive | undefined => {
  const sha256 = hashes[`${platform}-${arch}`]
  if (sha256 === undefined) return undefined
  const file = `temporal_cli_${temporalCliVersion.slice(1)}_${platform}_${arch === "x64" ? "amd64" : arch}.tar.gz`
  return { url: `https://github.com/temporalio/cli/releases/download/${temporalCliVersion}/${file}`, sha256 }
}
