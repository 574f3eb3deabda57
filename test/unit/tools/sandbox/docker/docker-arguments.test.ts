import { expect, test } from "vitest"
import { dockerArguments } from "../../../../../tools/sandbox/docker/docker-arguments.ts"
import type { DockerView } from "../../../../../tools/sandbox/docker/docker-arguments.ts"

const view: DockerView = {
  image: "tools:1",
  name: "adjutant-1",
  labels: { "adjutant.owner": "session-1" },
  user: "7:8",
  overridesOwner: false,
  hostUsers: false,
  unlabelled: false,
  cwd: "/project",
  readOnlyPaths: [],
  fixed: { readOnly: [], pinned: [] },
  hiddenDirs: [],
  network: false,
  interactive: false,
  memoryBytes: 1024,
  maxProcesses: 9,
  cpuSeconds: 7,
  fileBytes: 2048,
  tmpBytes: 512,
  environment: ["--env", "TOKEN"],
}

const of = (overrides: Partial<DockerView>): string =>
  dockerArguments({ ...view, ...overrides }, ["bash", "-c", "echo hi"]).join(" ")

test("a container has no network, no capabilities and limited resources, cannot write to its system, and leaves nothing behind", () => {
  expect(of({})).toBe(
    "--rm --init --pull never --name adjutant-1 --label adjutant.owner=session-1 --log-driver none --no-healthcheck --stop-signal SIGTERM --read-only --cap-drop ALL --security-opt no-new-privileges=true --user 7:8 --network none --pids-limit 9 --memory 1024 --memory-swap 1024 --ulimit cpu=7 --ulimit fsize=2048 --ulimit core=0 --tmpfs /tmp:rw,exec,nosuid,nodev,size=512,mode=1777 --mount type=bind,source=/project,target=/project --workdir /project --env TOKEN --entrypoint bash tools:1 -c echo hi",
  )
})

test("arguments differ only in what the options allow", () => {
  expect(of({ network: true })).not.toContain("--network")
  expect(of({ interactive: true })).toContain("--interactive")
  expect(of({ hostUsers: true })).toContain("--userns host")
  expect(of({ unlabelled: true })).toContain("--security-opt label=disable")
  expect(of({ overridesOwner: true })).toContain("--cap-drop ALL --cap-add DAC_OVERRIDE --cap-add FOWNER")
})

test("paths are quoted where a mount option would end, and rejected if they cannot be quoted", () => {
  expect(of({ cwd: '/a,"b' })).toContain('--mount type=bind,"source=/a,""b","target=/a,""b" --workdir /a,"b')
  expect(() => of({ cwd: "/a\nb" })).toThrow('docker cannot mount "/a\\nb"')
})

test("the sandbox of a task has the working directory read-only, its scratch folder as /tmp, and none of its sockets", () => {
  const text = of({
    scratchDir: "/data/scratch/task1",
    closedPaths: ["/project/s.sock"],
    fixed: { readOnly: ["/project/.git"], pinned: ["/project/src"] },
  })
  expect(text.split(" ").filter((word) => word.startsWith("type="))).toEqual([
    "type=bind,source=/data/scratch/task1,target=/tmp",
    "type=bind,source=/project,target=/project,readonly",
    "type=bind,source=/dev/null,target=/project/s.sock,readonly",
  ])
  expect(text).toContain("--network none")
  expect(text).not.toContain("--tmpfs")
})

test("hidden directories are empty, further paths are read-only, and no place is mounted twice", () => {
  const text = of({ cwd: "/tmp", readOnlyPaths: ["/opt/tool", "/tmp", "/opt/tool"], hiddenDirs: ["/tmp/.secret"] })
  expect(text.split(" ").filter((word) => word.startsWith("type="))).toEqual([
    "type=bind,source=/tmp,target=/tmp",
    "type=bind,source=/opt/tool,target=/opt/tool,readonly",
    "type=tmpfs,target=/tmp/.secret,tmpfs-size=4096,tmpfs-mode=0555,readonly",
  ])
  expect(text).not.toContain("--tmpfs")
})
