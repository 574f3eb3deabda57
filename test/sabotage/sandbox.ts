import type { Fault } from "../../scripts/sabotage/fault.ts"

export const sandbox: readonly Fault[] = [
  {
    name: "a confined command reaches the network",
    file: "tools/sandbox/bubblewrap/bubblewrap-arguments.ts",
    find: `...(view.network ? [] : ["--unshare-net"]),`,
    replace: "",
  },
  {
    name: "a confined command writes to protected paths",
    file: "tools/sandbox/bubblewrap/bubblewrap-arguments.ts",
    find: "  ...fixed.readOnly.flatMap(readOnly),\n",
    replace: "",
  },
  {
    name: "a confined command moves a directory that contains a protected path",
    file: "tools/sandbox/bubblewrap/bubblewrap-arguments.ts",
    find: "fixed.pinned.length > 0 ? [...fixed.pinned.flatMap(writable), ...writable(cwd)] : []",
    replace: "[]",
  },
  {
    name: "a confined command moves what is hidden from it to where it can be read",
    file: "tools/sandbox/launch.ts",
    find: "...(fixed?.pinned ?? []), ...hidden]",
    replace: "...(fixed?.pinned ?? [])]",
  },
  {
    name: "a confined command sees the files of the system that only some users can read",
    file: "tools/sandbox/masked-paths.ts",
    find: "(mode & needed) === needed",
    replace: "(mode & 0o044) !== 0",
  },
  {
    name: "a confined program creates namespaces with a newer system call",
    file: "tools/sandbox/seccomp/seccomp-filter.ts",
    find: "  ...onCall(calls.clone3, [end(fail(errnos.noSuchCall))]),\n",
    replace: "",
  },
  {
    name: "a file tool writes outside through a link that leads to no file yet",
    file: "tools/files/confined-path.ts",
    find: "return realTarget(resolve(parent, link), linksLeft - 1)",
    replace: "return join(parent, basename(path))",
  },
  {
    name: "a file tool writes to a working directory that a link has replaced",
    file: "tools/files/confined-path.ts",
    find: "if (real !== cwd) throw",
    replace: "if (!isInside(real, real)) throw",
  },
  {
    name: "a protected name is not recognised with characters that show nothing",
    file: "domain/workspace/protected-paths.ts",
    find: `.normalize("NFKC").replaceAll(ignorable, "")`,
    replace: `.normalize("NFKC")`,
  },
  {
    name: "folders whose names are not UTF-8 are not searched for protected files",
    file: "tools/disk/list-directory.ts",
    find: "if (!entries.some(({ name }) => name.includes(replacement))) return entries",
    replace: "if (entries.length >= 0) return entries",
  },
  {
    name: "a sandbox that cannot be told of a protected path runs the command",
    file: "tools/sandbox/launch.ts",
    find: "if (raw === undefined) return",
    replace: "if (raw === undefined || hasRawBytes(raw)) return",
  },
  {
    name: "a task writes to a pipe whose name is not UTF-8",
    file: "tools/sandbox/task-scratch.ts",
    find: "const all = hasOthers ?",
    replace: "const all = !hasOthers && hasOthers ?",
  },
  {
    name: "a command is checked where its working directory was, not where it is",
    file: "tools/disk/held-directory.ts",
    find: "if (await isThere(path)) return { path }",
    replace: 'if (path !== "") return { path }',
  },
  {
    name: "what a command planted in a directory that was moved is the state before the next one",
    file: "tools/protection/watch-record.ts",
    find: "return await relocated(",
    replace: "return await Promise.resolve(",
  },
  {
    name: "a setting of git that is not known counts as harmless",
    file: "domain/workspace/harmless-git-config.ts",
    find: "const isHarmless = pattern?.test(value) === true",
    replace: "const isHarmless = pattern?.test(value) !== false",
  },
  {
    name: "nobody is told what a command in the background planted",
    file: "tools/sandbox/guard-sandbox.ts",
    find: "      untold.add(command.ownerId, planted)\n",
    replace: "",
  },
  {
    name: "keys inside of what is shown to commands are visible",
    file: "tools/sandbox/bubblewrap/bubblewrap-arguments.ts",
    find: "...view.hiddenOfShown.flatMap(mask),",
    replace: "",
  },
  {
    name: "the settings of the sandbox show a folder with keys by its name",
    file: "tools/sandbox/view/secret-paths.ts",
    find: "find((each) => isInside(each, path))",
    replace: "find((each) => each === `${path}/`)",
  },
]
