import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv } from "ajv"
import { parse } from "yaml"
import { readApiConfig } from "../../services/api/config.ts"
import { readAuthProxyConfig } from "../../services/auth-proxy/config.ts"
import { readDashboardHostConfig } from "../../services/dashboard-host/config.ts"
import { readWorkerConfig } from "../../services/worker/config.ts"
import { type Environment, faultsOf } from "../../signer/core/settings/settings.ts"
import { readConfig as readSignerConfig } from "../../signer/enclave/config.ts"
import { readConfig as readFetcherConfig } from "../../signer/fetcher/config.ts"
import { readConfig as readWitnessConfig } from "../../signer/witness/config.ts"
import { ROOT } from "./sources.ts"

export type Service = {
  image?: string
  build?: { context: string; target: string }
  environment?: { [name: string]: string }
  extends?: { file: string; service: string }
  networks?: string[]
  ports?: string[]
  volumes?: string[]
}
export type Compose = {
  services: { [name: string]: Service }
  networks?: { [name: string]: unknown }
  volumes?: { [name: string]: unknown }
}

/** Each program's reader of settings, by the stage of the Dockerfile that holds it. */
const READERS: { readonly [target: string]: (environment: Environment) => unknown } = {
  signer: readSignerConfig,
  fetcher: readFetcherConfig,
  witness: readWitnessConfig,
  api: readApiConfig,
  "auth-proxy": readAuthProxyConfig,
  worker: readWorkerConfig,
  dashboard: readDashboardHostConfig,
}

const schema = JSON.parse(
  readFileSync(join(ROOT, "test", "vectors", "published", "compose-spec.json"), "utf8"),
) as { $schema: string }
// Draft 7 is what ajv reads without naming it; strict mode is about the schema's own style, which is not ours.
const { $schema: _, ...draft7 } = schema
const isCompose = new Ajv({ strict: false, formats: { duration: true, subnet_ip_address: true } }).compile(
  draft7,
)

export function readCompose(file: string): Compose {
  return parse(readFileSync(join(ROOT, file), "utf8"), { merge: true }) as Compose
}

/** Breaches of the Compose Specification, each with its place. */
export function faultsOfSchema(compose: Compose): string[] {
  if (isCompose(compose)) return []
  return (isCompose.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`)
}

/** All services of a file, those that extend a service of another file in full. */
export function servicesOf(compose: Compose): [name: string, service: Service][] {
  return Object.entries(compose.services).map(([name, service]) => {
    if (service.extends === undefined) return [name, service]
    const base = readCompose(service.extends.file).services[service.extends.service]
    if (base === undefined) throw new Error(`${name} extends ${service.extends.service}, which is not there`)
    return [name, { ...base, ...service }]
  })
}

/** Stages, networks and volumes that a service names and its file lacks; and volumes that no service mounts. */
export function faultsOfNames(compose: Compose): string[] {
  const { networks = {}, volumes = {} } = compose
  const services = servicesOf(compose)
  const mounted = services.flatMap(([, service]) => mountsOf(service).map(({ source }) => source))
  const faults = services.flatMap(([name, service]) => [
    ...(service.build && READERS[service.build.target] === undefined
      ? [`${name}: no stage ${service.build.target}`]
      : []),
    ...(service.networks ?? []).flatMap((network) =>
      Object.hasOwn(networks, network) ? [] : [`${name}: no network ${network}`],
    ),
    ...mountsOf(service).flatMap(({ source }) =>
      source.startsWith(".") || Object.hasOwn(volumes, source) ? [] : [`${name}: no volume ${source}`],
    ),
  ])
  const unused = Object.keys(volumes).filter((volume) => !mounted.includes(volume))
  return [...faults, ...unused.map((volume) => `volume ${volume}: nobody mounts it`)]
}

/** Settings that the service's program does not read, that it refuses, or whose path no volume holds. */
export function faultsOfSettings(name: string, service: Service, dockerfile: string): string[] {
  const read = READERS[service.build?.target ?? ""]
  if (read === undefined) return []
  const environment = environmentOf(service, dockerfile)
  const known = namesReadBy(read)
  const unknown = Object.keys(service.environment ?? {}).filter((setting) => !known.has(setting))
  const passed = Object.values(service.environment ?? {}).flatMap((value) => {
    const [, variable] = /^\$\{(\w+):-\}$/.exec(value) ?? []
    return variable === undefined || known.has(variable) ? [] : [variable]
  })
  const mounts = mountsOf(service)
  const outside = pathsIn(environment).filter(
    ([, path]) => !mounts.some(({ target }) => path === target || path.startsWith(`${target}/`)),
  )
  return [
    ...[...unknown, ...passed].map((setting) => `${name}: its program does not read ${setting}`),
    ...outside.map(([setting, path]) => `${name}: ${setting} is ${path}, which is in no volume`),
    ...faultsOf(() => read(withExistingFiles(environment))).map((fault) => `${name}: ${fault}`),
  ]
}

/** The mount that holds a path of a service. */
export function volumeOf(service: Service | undefined, path: string): string | undefined {
  if (service === undefined) return undefined
  return mountsOf(service).find(({ target }) => path.startsWith(`${target}/`))?.source
}

/** Settings of a service: those of its image, under those of its file. Passed variables count as unset. */
export function environmentOf(service: Service, dockerfile: string): Record<string, string> {
  const stage = dockerfile
    .split(/^FROM /m)
    .find((text) => text.split("\n")[0]?.endsWith(` AS ${service.build?.target}`))
  const image = [...(stage ?? "").matchAll(/^(?:ENV| {3}) ?(COUNTERSIGN_\w+)=(\S+)/gm)]
  const own = Object.entries(service.environment ?? {}).map(([name, value]) => [
    name,
    value.startsWith("${") ? "" : value,
  ])
  return { ...Object.fromEntries(image.map(([, name, value]) => [name, value])), ...Object.fromEntries(own) }
}

function mountsOf({ volumes = [] }: Service): { source: string; target: string }[] {
  return volumes.map((volume) => {
    const [source = "", target = ""] = volume.split(":")
    return { source, target }
  })
}

/** Names that a reader of settings asks the environment for. */
function namesReadBy(read: (environment: Environment) => unknown): Set<string> {
  const names = new Set<string>()
  const get = (_: object, name: string | symbol) => void names.add(String(name))
  faultsOf(() => read(new Proxy<Environment>({}, { get })))
  return names
}

/** Settings whose value is a path of the container. */
function pathsIn(environment: Record<string, string>): [name: string, path: string][] {
  return Object.entries(environment).flatMap(([name, value]): [string, string][] => {
    const path = value.startsWith("unix:") ? value.slice("unix:".length) : value
    return path.startsWith("/") ? [[name, path]] : []
  })
}

/** The container's files do not exist here: each stands for a file that does. */
function withExistingFiles(environment: Record<string, string>): Record<string, string> {
  const file = join(ROOT, "package.json")
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, name.endsWith("_FILE") ? file : value]),
  )
}
