import { mkdir, readdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { execa } from "execa"

/** The package, installed as users install it, and a folder in which it is used. */
export interface InstalledPackage {
  /** Where programs are run: a project that is independent of the checkout. */
  readonly project: string
  /** The folder of the package's files. */
  readonly home: string
  /** The program itself. */
  readonly adjutant: string
  /** Paths inside the tarball, without the leading `package/`. */
  readonly packedFiles: readonly string[]
  /** Runs a program in the project; never rejects because of its exit code. */
  readonly run: (
    command: string,
    args: readonly string[],
  ) => Promise<{ exitCode: number; stdout: string; stderr: string }>
  /** Starts a program that runs until it is stopped. */
  readonly start: (command: string, args: readonly string[]) => StartedProgram
}

interface StartedProgram {
  /** Resolves to the first group of a match on stderr; rejects if the program ends before. */
  lineWith(pattern: RegExp): Promise<string>
  stop(): Promise<void>
}

const root = path.resolve(import.meta.dirname, "../..")
const toStderr = { stdout: 2, stderr: 2, stdin: "ignore" } as const

/** Builds the package and packs it below `folder`. Returns the path of the tarball. */
export const packPackage = async (folder: string): Promise<string> => {
  await execa("npm", ["pack", "--pack-destination", folder], { cwd: root, ...toStderr })
  const tarball = (await readdir(folder)).find((file) => file.endsWith(".tgz"))
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`)
  return path.join(folder, tarball)
}

/** The environment without settings of the checkout and of the developer. */
const environment = { ADJUTANT_CONFIG: undefined, NODE_OPTIONS: undefined }

const programsIn = (project: string): Pick<InstalledPackage, "run" | "start"> => {
  const options = { cwd: project, env: environment, reject: false, stdin: "ignore", preferLocal: true } as const
  return {
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

const filesIn = async (tarball: string): Promise<readonly string[]> => {
  const { stdout } = await execa("tar", ["-tzf", tarball])
  return stdout.split("\n").map((file) => file.replace(/^package\//, ""))
}

/** Installs the tarball as a dependency of an empty project below `folder`. */
export const installInProject = async (tarball: string, folder: string): Promise<InstalledPackage> => {
  const project = path.join(folder, "project")
  await mkdir(project, { recursive: true })
  await writeFile(path.join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  await execa("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", tarball], { cwd: project, ...toStderr })
  return {
    project,
    home: path.join(project, "node_modules/adjutant"),
    adjutant: path.join(project, "node_modules/.bin/adjutant"),
    packedFiles: await filesIn(tarball),
    ...programsIn(project),
  }
}

/** Installs the tarball globally, below a separate prefix; the project is a folder without any npm installation. */
export const installGlobally = async (tarball: string, folder: string): Promise<InstalledPackage> => {
  const prefix = path.join(folder, "prefix")
  const project = path.join(folder, "elsewhere")
  await Promise.all([prefix, project].map((each) => mkdir(each, { recursive: true })))
  const install = ["install", "--global", "--prefix", prefix, "--prefer-offline", "--no-audit", "--no-fund", tarball]
  await execa("npm", install, { cwd: project, ...toStderr })
  return {
    project,
    home: path.join(prefix, "lib/node_modules/adjutant"),
    adjutant: path.join(prefix, "bin/adjutant"),
    packedFiles: await filesIn(tarball),
    ...programsIn(project),
  }
}
