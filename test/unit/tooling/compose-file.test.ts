import { readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { parseConfig } from "../../../config/parse-config.ts"
import { secretEnvNames } from "../../../config/secrets/secrets.ts"
import { temporalServerVersion } from "../../../scripts/cluster/temporal-server-programs.ts"
import { searchAttributeNames } from "../../../server/connection/search-attribute-names.ts"
import { apiGuard } from "../../../server/exposure/http-api-guard.ts"
import { dynamicConfig } from "../../../server/keeper/server-arguments.ts"

const root = resolve(import.meta.dirname, "../../..")
const read = (file: string): string => readFileSync(join(root, file), "utf8")

const serviceSchema = z.looseObject({
  image: z.string().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  secrets: z.array(z.string()).default([]),
  restart: z.string(),
  security_opt: z.array(z.string()),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  healthcheck: z.unknown().optional(),
})
const composeSchema = z.looseObject({
  services: z.record(z.string(), serviceSchema),
  networks: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
})

const document: unknown = parse(read("docker-compose.yml"), { merge: true })
const compose = composeSchema.parse(document)
const services = Object.entries(compose.services)

test("the compose file is valid by the Compose Specification", () => {
  // From compose-spec/compose-go 2.16.2 (Apache-2.0).
  const schema: unknown = JSON.parse(read("test/helpers/compose-spec.schema.json"))
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(z.looseObject({}).parse(schema))
  expect(validate(document), JSON.stringify(validate.errors)).toBe(true)
  expect(validate({ services: { x: { imag: "x" } } })).toBe(false)
})

test("every service restarts, gets no privileges, and runs an image with a fixed version", () => {
  for (const [name, service] of services) {
    expect(service.restart, name).toMatch(/^(unless-stopped|on-failure:\d+)$/)
    expect(service.security_opt, name).toContain("no-new-privileges:true")
    expect(service.image, name).toMatch(/^(adjutant:local|[a-z/-]+:\d+\.\d+[\w.-]*)$/)
  }
  const version = temporalServerVersion.slice(1)
  for (const name of ["temporal", "temporal-schema", "temporal-namespace"])
    expect(compose.services[name]?.image).toMatch(new RegExp(`:${version}$`))
})

test("the digest of every image from a registry is documented, and of no other", () => {
  const inCompose = services.flatMap(([, { image = "" }]) => (image.startsWith("adjutant:") ? [] : [image]))
  const inDockerfile = [...read("Dockerfile").matchAll(/^FROM (\S+)/gm)].map(([, image = ""]) => image)
  const rows = [...read("docs/deploy.md").matchAll(/^\| `([^`@]+:[^`@]+)` +\| `(sha256:[^`]*)` \|$/gm)]
  expect(new Set(rows.map(([, image]) => image))).toEqual(new Set([...inCompose, ...inDockerfile]))
  for (const [, image, digest] of rows) expect(digest, image).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(new Set(rows.map(([, , digest]) => digest)).size).toBe(rows.length)
})

test("ports are published on loopback only, and those of databases and engine are not published", () => {
  expect(services.filter(([, { ports }]) => ports.length > 0).map(([name]) => name)).toEqual([
    "temporal-ui-guard",
    "server",
  ])
  for (const [, { ports }] of services) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/)
})

test("the Temporal UI can be reached only through its guard, and browsers cannot reach it directly", async () => {
  const ui = `temporal-ui:${compose.services["temporal-ui"]?.environment["TEMPORAL_UI_PORT"]}`
  expect(compose.services["temporal-ui-guard"]?.command).toContain(ui)
  // Node's fetch refuses the same ports as browsers.
  await expect(fetch(`http://${ui.replace("temporal-ui", "127.0.0.1")}`)).rejects.toMatchObject({
    cause: { message: "bad port" },
  })
})

test("secrets are passed as files, and the compose file contains none", () => {
  for (const [name, { environment, secrets }] of services) {
    const variables = Object.entries(environment)
    const mounted = variables.flatMap(([, value]) => /^\/run\/secrets\/(.*)$/.exec(value)?.[1] ?? [])
    expect(secrets, name).toEqual(expect.arrayContaining(mounted))
    const revealing = variables.filter(([variable]) => /(PASSWORD|PWD|TOKEN|KEY|SECRET)$/.test(variable))
    expect(revealing, name).toEqual([])
    for (const secret of secrets) expect(compose.secrets).toHaveProperty(secret)
  }
  for (const { file } of Object.values(compose.secrets)) expect(file).toMatch(/^\.\/docker\/secrets\//)
  expect(read(".gitignore")).toContain("docker/secrets/")
})

test("Adjutant reads its configuration and finds the secrets that it is given", () => {
  const config = parseConfig(read("docker/adjutant.config.yaml"), "docker/adjutant.config.yaml")
  const names = secretEnvNames(config)
  for (const name of ["worker", "server"]) {
    const environment = compose.services[name]?.environment ?? {}
    const given = Object.keys(environment).filter((variable) => variable.endsWith("_FILE"))
    expect(given.length).toBeGreaterThan(0)
    for (const variable of given) expect(names).toContain(variable.replace(/_FILE$/, ""))
  }
  expect(config.store.url).toContain("@postgres:5432/adjutant")
})

test("every mounted file exists", () => {
  const mounted = services
    .flatMap(([, { volumes }]) => volumes.map((volume) => volume.split(":")[0] ?? ""))
    .filter((source) => source.startsWith("./docker/"))
  expect(mounted.length).toBeGreaterThan(4)
  for (const source of mounted) expect(statSync(join(root, source)).isFile(), source).toBe(true)
})

test("the cluster has the embedded server's tuning, search attributes and protection against web pages", () => {
  const values = z
    .record(z.string(), z.tuple([z.object({ value: z.unknown() })]))
    .parse(parse(read("docker/dynamic-config.yaml")))
  const inFile = Object.fromEntries(Object.entries(values).map(([key, [{ value }]]) => [key, value]))
  expect(inFile).toEqual({ ...dynamicConfig, ...apiGuard("nobody.invalid") })
  expect(read("docker/temporal-namespace.sh")).toContain(`in ${searchAttributeNames.join(" ")};`)
})
