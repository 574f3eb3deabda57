import { isRecord } from "../../domain/text/is-record.ts"

/** `at call (file:///folder/tools/bash.ts:3:4)`, of which only the file's name matters. */
const frame = /^\s*at (?:(?:async )?([\w.<>$#]+)[^(]*\()?(?:.*\/)?([^/\s]+:\d+:\d+)\)?$/

const framesOf = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => {
    const [, name = "", place = ""] = frame.exec(line) ?? []
    return place === "" ? [] : [`${name} ${place}`.trim()]
  })

/** The part of a message that the program's source has: what follows its colon can be of a model, a tool or a person. */
const ownMessage = (message: string): string =>
  (/^(?:task \S+: )?[^:]*/.exec(message)?.[0] ?? "").replaceAll(/"[^"]*"/g, '"…"')

const errorOf = (error: unknown) => {
  if (!isRecord(error)) return {}
  const { type, code, stack } = error
  return {
    error: {
      ...(typeof type === "string" ? { type } : {}),
      ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
      frames: typeof stack === "string" ? framesOf(stack) : [],
    },
  }
}

const warning = 40

/** Returns the warnings and errors in the lines of a log, without the texts that are in them: of a crash, where it happened. */
export const logEntries = (lines: readonly string[]): readonly unknown[] =>
  lines.flatMap((line): readonly unknown[] => {
    let entry: unknown
    try {
      entry = JSON.parse(line)
    } catch {
      return framesOf(line)
    }
    if (!isRecord(entry) || Number(entry["level"]) < warning) return []
    const { level, time, msg, session_id, err } = entry
    return [
      {
        time,
        level,
        message: ownMessage(typeof msg === "string" ? msg : ""),
        session_id,
        ...errorOf(err ?? entry["error"]),
      },
    ]
  })
