import path from "node:path"

export type ImageStep =
  | { readonly kind: "run"; readonly workdir: string; readonly command: string }
  | {
      readonly kind: "copy"
      readonly workdir: string
      readonly from?: string
      readonly sources: readonly string[]
      /** Absolute path within the image; ends with a slash if it is a folder to copy into. */
      readonly target: string
    }

export interface Stage {
  readonly name: string
  readonly steps: readonly ImageStep[]
  readonly entrypoint: readonly string[]
}

/** Returns the steps of a Dockerfile, stage by stage, without instructions that do not change the disk. */
export const parseDockerfile = (text: string): readonly Stage[] => {
  const stages: { name: string; steps: ImageStep[]; entrypoint: readonly string[] }[] = []
  let workdir = "/"
  for (const line of instructions(text)) {
    const [, word = "", rest = ""] = /^(\w+)\s+(.*)$/s.exec(line) ?? []
    const stage = stages.at(-1)
    if (word === "FROM") {
      stages.push({ name: /\sAS\s+(\S+)$/i.exec(rest)?.[1] ?? "final", steps: [], entrypoint: [] })
      workdir = "/"
    } else if (stage === undefined) throw new Error(`${word} before FROM`)
    else if (word === "WORKDIR") workdir = path.posix.resolve(workdir, rest)
    else if (word === "RUN") stage.steps.push({ kind: "run", workdir, command: rest })
    else if (word === "COPY") stage.steps.push(copyStep(workdir, rest))
    else if (word === "ENTRYPOINT") stage.entrypoint = JSON.parse(rest)
  }
  return stages
}

const instructions = (text: string): readonly string[] =>
  text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "")

const copyStep = (workdir: string, rest: string): ImageStep => {
  const words = rest.split(/\s+/)
  const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length)
  const paths = words.filter((word) => !word.startsWith("--"))
  const named = paths.at(-1) ?? ""
  const target = path.posix.resolve(workdir, named) + (named.endsWith("/") ? "/" : "")
  return { kind: "copy", workdir, ...(from === undefined ? {} : { from }), sources: paths.slice(0, -1), target }
}
