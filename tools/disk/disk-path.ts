import { isUtf8 } from "node:buffer"

// The name of a file on Linux is bytes. A path is a string here, in which each byte that is not part of a character is one half of a surrogate pair, which
// no text contains. So all names can be compared, joined and stored like text, and lead to their files.

const escapeBase = 0xdc00
const escapes = /[\udc80-\udcff]/u
/** Characters of several bytes, in text where each character is one byte, and bytes that are none. */
const wide =
  /((?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+)|[\x80-\xff]/g

/** Returns whether a path contains bytes that are not text. Only system calls can use it. */
export const hasRawBytes = (path: string): boolean => escapes.test(path)

/** Returns the path, or a part of one, that bytes of the system name. */
export const pathOfBytes = (bytes: Uint8Array): string => {
  if (isUtf8(bytes)) return Buffer.from(bytes).toString("utf8")
  return Buffer.from(bytes)
    .toString("latin1")
    .replaceAll(wide, (found: string, characters?: string) =>
      characters === undefined
        ? String.fromCharCode(escapeBase + found.charCodeAt(0))
        : Buffer.from(characters, "latin1").toString("utf8"),
    )
}

/** Returns the bytes of a path. */
export const bytesOfPath = (path: string): Buffer =>
  Buffer.concat(
    path
      .split(/([\udc80-\udcff])/u)
      .map((part) =>
        part.length === 1 && hasRawBytes(part) ? Buffer.from([part.charCodeAt(0) - escapeBase]) : Buffer.from(part),
      ),
  )

/** Returns what a system call needs to reach a path. */
export const diskPath = (path: string): string | Buffer => (hasRawBytes(path) ? bytesOfPath(path) : path)

/** Returns a path as people and models are shown it. */
export const shownPath = (path: string): string =>
  path.replaceAll(/[\udc80-\udcff]/gu, (byte) => `\\x${(byte.charCodeAt(0) - escapeBase).toString(16)}`)
