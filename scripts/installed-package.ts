import { mkdir, readdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { execa } from "execa"

export interface InstalledPackage {
  /** A project that has nothing but the package. */
  readonly project: string
  /** Paths inside the tarball, without the leading `package/`. */
  readonly packedFiles: readonly string[]
  /** Runs a program in the project; never rejects because of its exit code. */
  readonly run: (
    command: string,
    args: readonly string[],
  ) => Promise<{ exitCode: number; stdout: string; stderr: string }>
  /** Starts a program that goes on until it is stopped. */
  readonly start: (command: string, args: readonly string[]) => StartedProgram
}

interface StartedProgram {
  /** The first group of what matches on stderr; rejects when the program ends before. */
  lineWith(pattern: RegExp): Promise<string>
  stop(): Promise<void>
}

const root = path.resolve(import.meta.dirname, "..")

const pack = async (folder: string) => {
  await execa("npm", ["pack", "--pack-destination", folder], { cwd: root, stdout: 2, stderr: 2, stdin: "ignore" })
  const tarball = (await readdir(folder)).find((file) => file.endsWith(".tgz"))
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`)
  return path.join(folder, tarball)
}

/** Builds and packs the package, and installs the tarball in an empty project below `folder`. Writes progress to stderr. */
export const installPackedPackage = async (folder: string): Promise<InstalledPackage> => {
  const tarball = await pack(folder)
  const { stdout: listing } = await execa("tar", ["-tzf", tarball])
  const project = path.join(folder, "project")
  await mkdir(project)
  await writeFile(path.join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  await execa("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", tarball], {
    cwd: project,
    stdout: 2,
    stderr: 2,
    stdin: "ignore",
  })
  const environment = { ADJUTANT_CONFIG: undefined, NODE_OPTIONS: undefined }
  const options = { cwd: project, env: environment, reject: false, stdin: "ignore", preferLocal: true } as const
  return {
    project,
    packedFiles: listing.split("\n").map((file) => file.replace(/^package\//, "")),
    run: async (command, args) => {
      const { exitCode = -1, stdout, stderr } = await execa(command, args, { ...options, localDir: project })
      return { exitCode, stdout, stderr }
    },
    start: (command, args) => {
      const program = execa(command, args, { ...options, localDir: project })
      return {
        lineWith: (pattern) =>
          new Promise((resolve, reject) => {
            let text = ""
            program.stderr.on("data", (chunk) => {
              text += String(chunk)
              const found = pattern.exec(text)?.[1]
              if (found !== undefined) resolve(found)
            })
            void program.then(() => reject(new Error(`${command} ended without ${pattern}: ${text}`)))
          }),
        stop: async () => {
          program.kill("SIGTERM")
          await program
        },
      }
    },
  }
}
