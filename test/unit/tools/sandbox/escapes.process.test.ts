import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:net"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { closedPaths } from "../../../../tools/sandbox/masked-paths.ts"
import type { SandboxCommand } from "../../../../tools/sandbox/sandbox.ts"
import { detectSandbox } from "../../../../tools/sandbox/detect-sandbox.ts"
import { describeEachBackend, isRoot } from "./backends.ts"
import { createCommand } from "./command.ts"

await describeEachBackend(async ({ name: backend, create }) => {
  const sandbox = await create()
  const run = (command: string, overrides: Partial<SandboxCommand> = {}) =>
    sandbox.run(createCommand(command, overrides))

  test("the command runs in the working directory and can write to it", async () => {
    const command = createCommand("pwd; echo hi > made.txt; cat made.txt; exit 5")
    expect(await sandbox.run(command)).toMatchObject({ output: `${command.cwd}\nhi\n`, exitCode: 5 })
    expect(readFileSync(join(command.cwd, "made.txt"), "utf8")).toBe("hi\n")
  })

  test("nothing outside can be read: neighbours, homes, other workers' files, links that lead there", async () => {
    const places = [homedir(), "/root", "/home", "/var/lib", "/run", "/sys", "/boot", "/srv", "/mnt", "/media"]
    const listed = places.map((place) => `ls -A ${place} 2>/dev/null | sed "s:^:${place}/:"`)
    const command = createCommand(`cat ../secret.txt link; ${listed.join("; ")}`)
    symlinkSync(command.workspace.secret, join(command.cwd, "link"))
    const { output } = await sandbox.run(command)
    expect(output).not.toContain("top secret")
    // Only the parents of what is shown may exist, without their other entries.
    const shown = [realpathSync(process.execPath), fileURLToPath(import.meta.url), command.cwd]
    const seen = output.split("\n").filter((line) => places.some((place) => line.startsWith(`${place}/`)))
    for (const path of seen)
      expect(
        shown.some((way) => way.startsWith(path)),
        path,
      ).toBe(true)
  })

  test("nothing outside can be written, and temporary files do not reach the machine's own", async () => {
    const name = `adjutant-escape-${randomUUID()}`
    const places = ["/", "/usr/", "/etc/", "/opt/", "/var/", `${homedir()}/`, "../", "/proc/sys/", "/dev/shm/", "/tmp/"]
    const command = createCommand(places.map((place) => `echo x > ${place}${name}`).join("; "))
    await sandbox.run(command)
    expect(existsSync(join(command.cwd, "..", name))).toBe(false)
    for (const place of places.filter((path) => path.startsWith("/")))
      expect(existsSync(place + name), place).toBe(false)
    expect((await run("touch /x /usr/x /etc/x")).output.match(/Read-only file system/g)).toHaveLength(3)
  })

  test("files in /etc that other users may not read cannot be read", async () => {
    const closed = await closedPaths("/etc")
    const { output } = await run(`cat /etc/shadow ${closed.map(({ path }) => path).join(" ")}`)
    for (const line of output.trim().split("\n"))
      expect(line).toMatch(/^cat: .*(Permission denied|Is a directory|No such file)/)
    const listed = closed.filter(({ type }) => type === "directory").map(({ path }) => `find ${path} -mindepth 1`)
    expect((await run(["true", ...listed].join("; "))).output).toBe("")
  })

  test("no descriptor of the worker is open, not even in the first process", async () => {
    const { output } = await run("ls -l /proc/1/fd /proc/self/fd")
    const targets = [...output.matchAll(/-> (\S+)/g)].map(([, target]) => target)
    expect(targets.length).toBeGreaterThan(3)
    for (const target of targets) expect(target).toMatch(/^(pipe:|socket:|\/dev\/null$|anon_inode:|\/proc\/)/)
  })

  test("the network cannot be reached, not even the machine itself", async () => {
    const server = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    try {
      expect((await run(`cat < /dev/tcp/127.0.0.1/${port}`)).output).not.toContain("reached")
      expect((await run("cat /proc/net/dev")).output).not.toMatch(/eth|ens|wlan/)
    } finally {
      server.close()
    }
  })

  test("the environment is the given one with its own home, and is on no command line and not in /proc", async () => {
    process.env.WORKER_SECRET = "worker secret"
    const command = createCommand("env; cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline", {
      env: { PATH: "/usr/bin:/bin", HOME: "/home/me", GIVEN: "yes" },
    })
    const { output } = await sandbox.run(command)
    delete process.env.WORKER_SECRET
    expect(output).toContain("GIVEN=yes")
    expect(output).toContain("HOME=/tmp")
    expect(output).not.toContain("WORKER_SECRET")
    expect(output).not.toContain("--setenv")
  })

  test("other processes can be neither seen nor reached", async () => {
    const { output } = await run(
      `ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid} && echo reached; cat /proc/${process.pid}/environ`,
    )
    expect(Number(output.split("\n")[0])).toBeLessThan(10)
    expect(output).not.toContain("reached")
  })

  test("a command cannot get new privileges, mounts or other namespaces", async () => {
    const { output } = await run(
      "grep NoNewPrivs /proc/self/status; mount -t tmpfs x /tmp && echo mounted; unshare -m true && echo unshared",
    )
    expect(output).toMatch(/NoNewPrivs:\s+1/)
    expect(output).not.toMatch(/^(mounted|unshared)$/m)
  })

  const refusesSetId = async (): Promise<void> => {
    const command = createCommand(
      `cp /bin/sh shell; chmod 4755 shell; chmod g+s shell; install -m 6755 /bin/sh other; ${process.execPath} -e 'require("fs").writeFileSync("node", "", { mode: 0o4755 })'; ls`,
    )
    const { output } = await sandbox.run(command)
    expect(output).toContain("shell")
    for (const name of readdirSync(command.cwd)) expect(statSync(join(command.cwd, name)).mode & 0o6000, name).toBe(0)
  }
  test("no file gets a bit with which other users run it as its owner", refusesSetId)

  const holdNothing = async (): Promise<void> => {
    const { output } = await run(
      "for f in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger; do [ -e $f ] && { : >> $f; } && echo opened $f; done; grep CapEff /proc/self/status",
    )
    expect(output).not.toContain("opened")
    expect(output).toMatch(/CapEff:\s+0000000000000000/)
  }

  const isRefused = async (): Promise<void> => {
    await expect(detectSandbox("require", { backends: [backend] })).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message: expect.stringContaining("kernel's settings"),
    })
  }

  // A root worker's commands keep both inside the runtime; detection refuses it for that reason
  // (docs/sandbox.md).
  const expectation = backend === "sandbox-runtime" && isRoot ? isRefused : holdNothing
  test("commands have no capabilities and cannot change the kernel's settings, or the backend is not offered", () =>
    expectation())

  test("hidden directories are empty, cannot be written and stay unharmed", async () => {
    const command = createCommand(
      "ls -A .adjutant state; cat .adjutant/store; echo x > .adjutant/new; rm -rf .adjutant; mv state gone",
    )
    for (const name of [".adjutant", "state"]) {
      mkdirSync(join(command.cwd, name))
      writeFileSync(join(command.cwd, name, "store"), "transcripts")
    }
    const hiddenDirs = [join(command.cwd, ".adjutant"), join(command.cwd, "state"), join(command.cwd, "missing")]
    const { output } = await sandbox.run({ ...command, hiddenDirs })
    expect(output).not.toContain("transcripts")
    expect(output).not.toMatch(/^store$/m)
    for (const name of [".adjutant", "state"]) {
      expect(readdirSync(join(command.cwd, name))).toEqual(["store"])
    }
    expect(existsSync(join(command.cwd, "missing"))).toBe(false)
  })

  test("a hidden directory cannot be moved with a directory above it, to be read there by the next command", async () => {
    const command = createCommand(
      "mv a moved; mv a/b a/moved; rm -rf a; mkdir -p a/b; ls -R .; find . -name store | xargs cat",
    )
    const hidden = join(command.cwd, "a", "b", "state")
    mkdirSync(hidden, { recursive: true })
    writeFileSync(join(hidden, "store"), "transcripts")
    const hiddenDirs = [hidden]
    await sandbox.run({ ...command, hiddenDirs })
    const { output } = await sandbox.run({ ...command, hiddenDirs })
    expect(output).not.toContain("transcripts")
    expect(readFileSync(join(hidden, "store"), "utf8")).toBe("transcripts")
  })

  test("the usual programs work: node, git, temporary files, shared memory, pipes", async () => {
    const { output } = await run(
      `${process.execPath} -p 40+2; git init -q . && git status --short && echo git; mktemp >/dev/null && echo temporary; cat <(echo pipe); echo x > /dev/null && id -u`,
    )
    expect(output.split("\n")).toEqual(
      expect.arrayContaining(["42", "git", "temporary", "pipe", String(process.getuid?.())]),
    )
  })

  test("no file is added to the working directory, even if the worker runs in it", async () => {
    const { output } = await run("ls -A", { cwd: process.cwd() })
    expect(output.split("\n")).toContain("package.json")
    for (const name of [".bashrc", ".gitconfig", ".vscode"]) expect(output.split("\n")).not.toContain(name)
  })

  test("a system directory is rejected as the working directory", async () => {
    for (const cwd of ["/", "/etc", "/usr", "/bin", "/usr/lib", "/proc/self"]) {
      await expect(run("true", { cwd }), cwd).rejects.toMatchObject({ code: "sandbox_unavailable" })
    }
  })

  test("a link that is swapped during reads and writes never leads outside", async () => {
    const command = createCommand("")
    const { root, secret } = command.workspace
    mkdirSync(join(command.cwd, "inside"))
    writeFileSync(join(command.cwd, "inside", "secret.txt"), "harmless\n")
    const swapping = `while [ ! -e done ]; do ln -sfn ${root} next; mv -T next link; ln -sfn inside next; mv -T next link; done`
    // One loop runs outside with the worker's rights, one inside.
    const outside = spawn("/bin/bash", ["-c", swapping.replaceAll("next", "far")], {
      cwd: command.cwd,
      stdio: "ignore",
    })
    const ended = once(outside, "exit")
    onTestFinished(() => void outside.kill("SIGKILL"))
    const attempt = "cat link/secret.txt; echo escaped > link/written.txt; echo escaped >> link/secret.txt; ls link"
    const { output } = await sandbox.run({
      ...command,
      command: `(${swapping}) & for i in {1..200}; do ${attempt}; done 2>/dev/null; touch done; wait`,
      maxOutputBytes: 1_000_000,
    })
    await ended
    expect(output).toContain("harmless")
    expect(output).not.toContain("top secret")
    expect(readFileSync(secret, "utf8")).toBe("top secret\n")
    expect(readdirSync(root)).not.toContain("written.txt")
    expect(existsSync(join(command.cwd, "inside", "written.txt"))).toBe(true)
  })
})
