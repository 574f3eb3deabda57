import { expect, it } from "vitest"
import { sandboxTrouble } from "../../../../domain/programs/sandbox-trouble.ts"

it.each([
  ["/bin/bash: line 1: cargo: command not found", ["cargo"]],
  ["sh: 1: tsc: not found", ["tsc"]],
  ["env: ‘node’: No such file or directory", ["node"]],
  ['exec: "gcc": executable file not found in $PATH', ["gcc"]],
  ["Error: spawn yarn ENOENT", ["yarn"]],
  ["error: file not found", []],
])("finds the program that %j misses", (output, programs) => {
  expect(sandboxTrouble(output).programs).toEqual(programs)
})

it.each([
  ["curl: (6) Could not resolve host: example.org", ["example.org"]],
  [
    "npm error request to https://registry.npmjs.org/a failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org",
    ["registry.npmjs.org"],
  ],
  ["dial tcp: lookup proxy.golang.org on 127.0.0.1:53: no such host", ["proxy.golang.org"]],
  ["connect: Network is unreachable", []],
  ["connect ECONNREFUSED 127.0.0.1:3000", undefined],
])("finds the host that %j does not reach", (output, hosts) => {
  expect(sandboxTrouble(output).hosts).toEqual(hosts)
})

it("finds the paths that are read-only", () => {
  expect(sandboxTrouble("touch: cannot touch '/usr/x': Read-only file system").readOnly).toEqual(["/usr/x"])
  expect(sandboxTrouble("Error: EROFS: read-only file system, open '/etc/a'").readOnly).toEqual(["/etc/a"])
})
