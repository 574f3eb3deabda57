import { redactTexts } from "../text/redact.ts"

/** What a text that contains the placeholder itself is recorded as has one backslash more. */
const placeholder = /\{\{(\\*)cwd\}\}/g

/** Matches the path as a whole: neither the end of a longer path nor the beginning of another name. A line break may be written as `\n` before it. */
const pathPattern = (cwd: string): RegExp =>
  new RegExp(
    String.raw`(?:(?<![\p{L}\p{N}_.~)}\]-])|(?<=\\[nrt]))${cwd.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)}(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}])`,
    "gu",
  )

const isPortable = (cwd: string | undefined): cwd is string => cwd !== undefined && cwd !== "/"

/** Returns a JSON value with `{{cwd}}` in place of the working directory: a recording is used in another copy of the project. */
export const withoutDirectory = <T>(value: T, cwd: string | undefined): T => {
  if (!isPortable(cwd)) return value
  const path = pathPattern(cwd)
  return redactTexts(value, (text) =>
    text.replaceAll(placeholder, String.raw`{{$1\cwd}}`).replaceAll(path, () => "{{cwd}}"),
  )
}

/** Returns what `withoutDirectory` recorded, for another working directory. */
export const withDirectory = <T>(value: T, cwd: string | undefined): T =>
  isPortable(cwd)
    ? redactTexts(value, (text) =>
        text.replaceAll(placeholder, (_, slashes: string) => (slashes === "" ? cwd : `{{${slashes.slice(1)}cwd}}`)),
      )
    : value
