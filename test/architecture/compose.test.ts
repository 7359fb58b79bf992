// The compose files, which no test can run: they follow the Compose Specification, and every setting, path, volume and
// port in them fits the programs.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import {
  type Compose,
  environmentOf,
  faultsOfNames,
  faultsOfSchema,
  faultsOfSettings,
  readCompose,
  type Service,
  servicesOf,
  volumeOf,
} from "./compose.ts"
import { ROOT } from "./sources.ts"

const dockerfile = readFileSync(join(ROOT, "Dockerfile"), "utf8")
const files = globSync("docker-compose*.yml", { cwd: ROOT }).toSorted()

function faultsOfFile(compose: Compose): string[] {
  return [
    ...faultsOfSchema(compose),
    ...faultsOfNames(compose),
    ...servicesOf(compose).flatMap(([name, service]) => faultsOfSettings(name, service, dockerfile)),
  ]
}

function service(compose: Compose, name: string): Service {
  const found = servicesOf(compose).find(([one]) => one === name)?.[1]
  if (found === undefined) throw new Error(`there is no service ${name}`)
  return found
}

t.test("every compose file follows the specification and fits the programs that it starts", async (t) => {
  t.strictSame(files, [
    "docker-compose.api.yml",
    "docker-compose.signer.yml",
    "docker-compose.witness.yml",
    "docker-compose.yml",
  ])
  for (const file of files) t.strictSame(faultsOfFile(readCompose(file)), [], file)
})

t.test(
  "on one host the API reaches signer and fetcher through the volumes that hold their sockets",
  async (t) => {
    const compose = readCompose("docker-compose.yml")
    const api = service(compose, "api")
    for (const peer of ["signer", "fetcher"]) {
      const name = peer.toUpperCase()
      const listen = environmentOf(service(compose, peer), dockerfile)[`COUNTERSIGN_${name}_LISTEN`] ?? ""
      const address = environmentOf(api, dockerfile)[`COUNTERSIGN_${name}_ADDRESS`] ?? ""
      t.match(listen, /^unix:\//)
      const [at, from] = [address, listen].map((socket) => socket.slice("unix:".length))
      t.equal(volumeOf(api, at ?? ""), volumeOf(service(compose, peer), from ?? ""), peer)
      t.equal(at?.split("/").at(-1), from?.split("/").at(-1), peer)
    }
  },
)

t.test(
  "on two hosts the API dials the ports that signer and fetcher publish, with certificates",
  async (t) => {
    const [signerHost, apiHost] = ["docker-compose.signer.yml", "docker-compose.api.yml"].map(readCompose)
    for (const [peer, port] of [
      ["signer", 7443],
      ["fetcher", 7444],
    ] as const) {
      const name = peer.toUpperCase()
      const settings = environmentOf(service(signerHost!, peer), dockerfile)
      t.equal(settings[`COUNTERSIGN_${name}_LISTEN`], `0.0.0.0:${port}`)
      t.strictSame(service(signerHost!, peer).ports, [`${port}:${port}`])
      const { [`COUNTERSIGN_${name}_ADDRESS`]: address } = environmentOf(service(apiHost!, "api"), dockerfile)
      t.equal(address, `${peer}.internal:${port}`)
    }
    // `certificate` and `join` put them there.
    const data = "/var/lib/countersign"
    for (const [compose, name, files] of [
      [signerHost!, "signer", { SIGNER_TLS_CERTIFICATE_FILE: "crt", SIGNER_TLS_KEY_FILE: "key" }],
      [signerHost!, "fetcher", { FETCHER_TLS_CERTIFICATE_FILE: "crt", FETCHER_TLS_KEY_FILE: "key" }],
      [apiHost!, "api", { SIGNER_CLIENT_CERTIFICATE_FILE: "crt", FETCHER_CLIENT_KEY_FILE: "key" }],
    ] as const) {
      const settings = environmentOf(service(compose, name), dockerfile)
      t.equal(settings["COUNTERSIGN_DATA_DIR"], data)
      for (const [setting, extension] of Object.entries(files))
        t.equal(settings[`COUNTERSIGN_${setting}`], `${data}/${name}/tls/${name}.${extension}`)
    }
    t.notOk(apiHost!.services["signer"] ?? apiHost!.services["fetcher"], "no trusted process beside the API")
    t.notOk(signerHost!.services["api"], "no API beside the signer")
  },
)

t.test("the dashboard's container mounts nothing and shares a network with no other", async (t) => {
  const compose = readCompose("docker-compose.yml")
  const { volumes = [], networks = [] } = service(compose, "dashboard")
  t.strictSame(volumes, [])
  const others = servicesOf(compose).filter(([name]) => name !== "dashboard")
  t.strictSame(
    others.filter(([, other]) => other.networks?.some((network) => networks.includes(network))),
    [],
  )
})

t.test("each fault of a compose file is found", async (t) => {
  const changed = (change: (compose: Compose, signer: Service) => void) => {
    const compose = readCompose("docker-compose.yml")
    change(compose, compose.services["signer"]!)
    return faultsOfFile(compose)
  }
  const set = (name: string, value: string) =>
    changed((_, signer) => (signer.environment = { ...signer.environment, [name]: value }))
  t.strictSame(
    changed(() => undefined),
    [],
  )
  t.match(
    changed((_, signer) => Object.assign(signer, { read_onyl: true })),
    [/^\/services\/signer: must NOT have/],
  )
  t.match(
    changed((_, signer) => Object.assign(signer, { ports: "7443" })),
    [/^\/services\/signer\/ports: must be/],
  )
  t.match(set("COUNTERSIGN_SIGNER_CALERS", "api"), [/does not read COUNTERSIGN_SIGNER_CALERS/])
  t.match(set("COUNTERSIGN_FETCHER_ISSUERS", "*"), [/does not read COUNTERSIGN_FETCHER_ISSUERS/])
  t.match(set("COUNTERSIGN_SIGNER_LISTEN", "here"), [/COUNTERSIGN_SIGNER_LISTEN: /])
  t.match(set("COUNTERSIGN_DATA_DIR", "/elsewhere"), [/is \/elsewhere, which is in no volume/])
  t.match(set("COUNTERSIGN_SIGNER_LEDGER_DIRECTORY", "${LEDGER:-}"), [/does not read LEDGER$/])
  t.match(
    changed(
      (_, signer) => (signer.volumes = ["ledger:/var/lib/countersign", "signer-socket:/run/countersign"]),
    ),
    [/no volume ledger/, /signer-data: nobody mounts it/],
  )
  t.match(
    changed((_, signer) => (signer.build = { context: ".", target: "enclave" })),
    [/no stage enclave/],
  )
  t.match(
    changed((compose) => delete compose.networks?.["front"]),
    [/api: no network front/, /no network front/],
  )
})
