import { expect, test } from "vitest"
import { dockerEnvironment } from "../../../../../tools/sandbox/docker/docker-environment.ts"

test("values are passed by name, and none is an argument", () => {
  const { args, values, lines } = dockerEnvironment({ PATH: "/bin", TOKEN: "secret", TEXT: "two\nlines=1 " }, "")
  expect(args.join(" ")).toMatch(/--env TOKEN --env TEXT( |$)/)
  expect(args.join(" ")).not.toMatch(/secret|lines|\/bin/)
  expect(values).toEqual({ TOKEN: "secret", TEXT: "two\nlines=1 " })
  expect(lines).toBe("PATH=/bin\n")
})

test("variables that affect the client or its shell are kept out of their environment", () => {
  const shaping = {
    LD_PRELOAD: "/evil.so",
    BASH_ENV: "/evil.sh",
    DOCKER_HOST: "tcp://evil:1",
    GODEBUG: "x=1",
    TMOUT: "1",
    PWD: "/elsewhere",
    _name: "x",
    SSH_AUTH_SOCK: "/s",
    POSIXLY_CORRECT: "1",
  }
  const { args, values, lines } = dockerEnvironment(shaping, "/image/bin")
  expect(values).toEqual({})
  expect(lines.trim().split("\n")).toEqual([
    ...Object.entries(shaping).map(([name, value]) => `${name}=${value}`),
    "PATH=/image/bin",
  ])
  for (const name of Object.keys(shaping)) expect(args).not.toContain(name)
})

test("the image's programs come first on PATH, then those of the command's PATH", () => {
  expect(dockerEnvironment({ PATH: "/bin:/own" }, "/image/bin:/bin").lines).toBe("PATH=/image/bin:/bin:/own\n")
})

test("the home and the temporary directory belong to the container", () => {
  const { args, values } = dockerEnvironment({ HOME: "/home/me", TMPDIR: "/home/me/tmp" }, "")
  expect(args.join(" ")).toContain("--env HOME=/tmp --env TMPDIR=/tmp")
  expect(values).toEqual({})
})

test("proxies of the client's configuration are not passed on, and those of the command are", () => {
  const { args, values } = dockerEnvironment({ HTTPS_PROXY: "http://user:password@proxy" }, "")
  for (const name of ["HTTP_PROXY", "https_proxy", "ALL_PROXY", "no_proxy"]) expect(args).toContain(name)
  expect(args.filter((arg) => arg === "HTTPS_PROXY")).toHaveLength(1)
  expect(values).toEqual({ HTTPS_PROXY: "http://user:password@proxy" })
})

test.each([
  ["a name with an equals sign", { "A=B": "1" }],
  ["a name with a space", { "A B": "1" }],
  ["a name that looks like an option", { "-x": "1" }],
  ["an empty name", { "": "1" }],
  ["a zero byte", { A: "1\0" }],
  ["line breaks in a value that is passed as a line", { LD_PRELOAD: "1\nEVIL=1" }],
])("rejects %s without revealing its value", (_, env) => {
  expect(() => dockerEnvironment(env, "")).toThrow(/^docker cannot pass on the environment variable "/)
  expect(() => dockerEnvironment(env, "")).not.toThrow("EVIL")
})
